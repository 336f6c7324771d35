import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("The order of the calls that replay a transaction")
struct ReplayerTests {
  @Test("A change is refused if the transaction already has all its changes.", arguments: 0...3)
  func tooMany(_ count: Int64) throws {
    let source = try Store.open(.memory("source \(count)"), schema: sampleSchema)
    try source.save { world in for id in Int64(1)...3 { try world.tag(id).insert(word: "\(id)") } }
    let origin = ReplicaOrigin(identifier: source.identifier, lineage: source.lineage)
    let replica = try Store.open(
      .memory("replica \(count)"),
      schema: sampleSchema,
      options: Options(origin: origin)
    )
    var applied: Int64 = 0
    let error = try storeError {
      try source.read { reader in
        let cursor = try reader.history()
        _ = try cursor.nextTransaction()
        try replica.replay(content: { try reader.largeValue($0) }) { replayer in
          try replayer.begin(1, count: count)
          while let change = try cursor.nextChange() {
            try replayer.apply(change)
            applied += 1
          }
          throw StoreError(ReplayFailure.outOfOrder, path: "all")
        }
      }
    }
    #expect(applied == count)
    #expect(error.code == (count < 3 ? .damaged : .misuse))
    let text = "can't be replayed: change \(count) of \(count) must be next."
    #expect(error.message.contains(text) == (count < 3), "\(error.message)")
    #expect(try replica.read { try $0.historyRange().head.transaction } == 0)
  }

  @Test("A change is refused if an earlier change of its transaction must be next.")
  func tooEarly() throws {
    let source = try Store.open(.memory("source"), schema: sampleSchema)
    try source.save { world in for id in Int64(1)...2 { try world.tag(id).insert(word: "\(id)") } }
    let origin = ReplicaOrigin(identifier: source.identifier, lineage: source.lineage)
    let replica = try Store.open(
      .memory("replica"),
      schema: sampleSchema,
      options: Options(origin: origin)
    )
    let error = try storeError {
      try source.read { reader in
        let cursor = try reader.history()
        _ = try cursor.nextTransaction()
        _ = try cursor.nextChange()
        let second = try #require(try cursor.nextChange())
        try replica.replay(content: { try reader.largeValue($0) }) { replayer in
          try replayer.begin(1, count: 2)
          try replayer.apply(second)
        }
      }
    }
    #expect(error.code == .damaged)
    #expect(
      error.message
        == "Change 1 of transaction 1 (Tag 2) can't be replayed: change 0 of 2 must be next."
    )
    #expect(try rows("SELECT count(*) FROM Tag", in: replica) == ["0"])
  }
}
