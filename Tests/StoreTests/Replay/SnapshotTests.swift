import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

/// Creates a replica from a snapshot of a store's present state, or of the state after a
/// transaction.
func replicaFromSnapshot(
  of origin: Store,
  at location: Location,
  after transaction: Int64? = nil
) throws -> Store {
  let replica = try Store.open(
    location,
    schema: transaction.flatMap { id in try origin.read { try $0.adoptedSchema(after: id)?.schema }
    }
      ?? origin.schema,
    options: Options(
      origin: ReplicaOrigin(identifier: origin.identifier, lineage: origin.lineage)
    )
  )
  try origin.read(after: transaction) { reader in
    try replica.replay(content: { try reader.largeValue($0) }) { replayer in
      try replayer.begin(
        snapshot: transaction.map { try reader.point($0) } ?? reader.historyRange().head,
        count: reader.snapshotCount()
      )
      try reader.snapshot { try replayer.apply($0) }
      try replayer.endSnapshot(time: "2026-11-03T08:00:00.000000Z")
    }
  }
  return replica
}

@Suite("Replicas that start with a snapshot")
struct SnapshotTests {
  @Test("A snapshot and the transactions after it give the store.", arguments: 1...4)
  func equality(_ round: Int) throws {
    try withTemporaryFolder { folder in
      let location: (String) -> Location = { name in
        round % 2 == 0 ? .memory(name) : .file(folder.appendingPathComponent(name))
      }
      var world = HistoryWorld(SeededGenerator(for: "snapshot \(round)"))
      let origin = try Store.open(location("origin"), schema: worldSchema)
      for _ in 0..<50 { try world.write(to: origin) }
      let point = try origin.read { try $0.historyRange().head }
      // The values are then only in the rows.
      if round > 2 { try origin.deleteHistory([1...point.transaction]) }
      let replica = try replicaFromSnapshot(of: origin, at: location("replica"))
      #expect(try rowDump(of: replica) == rowDump(of: origin))
      let range = try replica.read { try $0.historyRange() }
      #expect(range.base == point)
      #expect(range.head == point)
      #expect(range.oldest == nil)
      for _ in 0..<30 {
        try world.write(to: origin)
        try copyHistory(of: origin, into: replica)
        #expect(try rowDump(of: replica) == rowDump(of: origin))
      }
      let expected = try lines(of: origin, after: point.transaction)
      #expect(try lines(of: replica, after: point.transaction) == expected)
      let head = try origin.read { try $0.historyRange().head }
      #expect(try replica.read { try $0.historyRange().head } == head)
      let counts = "SELECT sha256, size, rows FROM store_blob WHERE rows > 0 ORDER BY 1"
      #expect(try rows(counts, in: replica) == rows(counts, in: origin))
    }
  }

  @Test("The changes of a snapshot are canonical insertions, in the announced number.")
  func canonical() throws {
    try withStore(.memory, schema: worldSchema) { store, _ in
      var world = HistoryWorld(SeededGenerator(for: "canonical snapshots"))
      for _ in 0..<60 { try world.write(to: store) }
      try store.read { reader in
        let format = try ChangeFormat(store.schema)
        var count: Int64 = 0
        try reader.snapshot { change in
          #expect(change.kind == .insert)
          #expect(change.sequence == count)
          try format.check(change)
          count += 1
        }
        #expect(try reader.snapshotCount() == count)
        #expect(count > 10)
      }
    }
  }

  @Test("A snapshot of a store without history starts a replica.")
  func empty() throws {
    try withStore(.memory) { origin, _ in
      let replica = try replicaFromSnapshot(of: origin, at: .memory("replica"))
      try origin.write(Author()) { try $0.insert(tag, id: 1, values: [.text("a")]) }
      try copyHistory(of: origin, into: replica)
      #expect(try lines(of: replica) == lines(of: origin))
    }
  }

  @Test("A snapshot contains unusual values, shared values and missing files of foreign writers.")
  func foreign() throws {
    try withForeignStore { origin, connection in
      try origin.write(Author()) { writer in
        for id in Int64(1)...2 {
          let image = Data(repeating: UInt8(id), count: id == 1 ? 200_000 : 1_200_000)
          try writer.insert(
            Kind.trip,
            id: id,
            values: [.text("t\(id)"), .null, .blob(image), .null]
          )
        }
      }
      try connection.execute(
        """
        INSERT INTO Trip (id, name, price, plan) VALUES (-3, 'x', 'NaN', 77), (9, '', -0.0, NULL);
        UPDATE Trip SET image = '\(String(repeating: "ab", count: 32))' WHERE id = 9;
        INSERT INTO Tag_trips (Tag, Trip) VALUES (1, 2), (1, -3);
        INSERT INTO Tag VALUES (1, 'w');
        """
      )
      try seal(origin)
      try FileManager.default.removeItem(atPath: origin.location.path + "-blobs")
      try withTemporaryFolder { folder in
        let replica = try replicaFromSnapshot(
          of: origin,
          at: .file(folder.appendingPathComponent("replica"))
        )
        #expect(try rowDump(of: replica) == rowDump(of: origin))
        try connection.execute("DELETE FROM Trip; UPDATE Tag SET word = 'u'")
        try seal(origin)
        try copyHistory(of: origin, into: replica)
        #expect(try rowDump(of: replica) == rowDump(of: origin))
      }
    }
  }

  @Test("A snapshot waits for foreign changes that history does not have yet.")
  func unsealed() throws {
    try withForeignStore { origin, connection in
      try connection.execute("INSERT INTO Tag VALUES (1, 'w')")
      let other = try foreignConnection(to: origin)
      try other.execute("BEGIN IMMEDIATE")
      let error = try storeError {
        _ = try replicaFromSnapshot(of: origin, at: .memory("replica"))
      }
      #expect(error.code == .locked)
      try other.execute("COMMIT")
      #expect(try origin.sealForeignChanges())
      let replica = try replicaFromSnapshot(of: origin, at: .memory("replica"))
      #expect(try rowDump(of: replica) == ["Tag: 1|'w'"])
      #expect(try replica.read { try $0.historyRange().head.transaction } == 1)
    }
  }

  @Test("A snapshot is refused if it is cut, of another lineage, or for a replica with contents.")
  func refused() throws {
    try withStore(.memory) { origin, _ in
      try origin.write(Author()) { try $0.insert(tag, id: 1, values: [.text("a")]) }
      let replica = try replicaFromSnapshot(of: origin, at: .memory("replica"))
      let head = try origin.read { try $0.historyRange().head }
      let again = try storeError {
        try replica.replay(content: { _ in .bytes(Data()) }) {
          try $0.begin(snapshot: head, count: 0)
        }
      }
      #expect(again.message.contains("is not empty"))
      func fresh() throws -> Store {
        try Store.open(
          .memory("other"),
          schema: origin.schema,
          options: Options(origin: ReplicaOrigin(identifier: origin.identifier, lineage: 0))
        )
      }
      var other = head
      other.lineage = 4
      let lineage = try storeError {
        try fresh().replay(content: { _ in .bytes(Data()) }) {
          try $0.begin(snapshot: other, count: 0)
        }
      }
      #expect(lineage.message.contains("of lineage 4"))
      let store = try fresh()
      let cut = try storeError {
        try store.replay(content: { _ in .bytes(Data()) }) { replayer in
          try replayer.begin(snapshot: head, count: 2)
          try origin.read { try $0.snapshot { try replayer.apply($0) } }
          try replayer.endSnapshot(time: "2026-11-03T08:00:00.000000Z")
        }
      }
      #expect(cut.message.contains("Only 1 of 2 changes"))
      #expect(try rowDump(of: store) == [])
      #expect(try store.read { try $0.historyRange().head.transaction } == 0)
    }
  }
}
