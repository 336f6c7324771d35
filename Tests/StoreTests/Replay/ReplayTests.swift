import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

/// Replays what a replica does not have yet, `batch` transactions in one SQL transaction.
func copyHistory(of source: Store, into replica: Store, batch: Int = 1, until: Int64 = .max) throws
{
  try source.read { reader in
    let first = try replica.read { try $0.historyRange().head.transaction }
    let cursor = try reader.history(after: first, through: until)
    var isAtEnd = false
    while !isAtEnd {
      try replica.replay(content: { digest in try reader.largeValue(digest) }) { replayer in
        for _ in 0..<batch {
          guard let transaction = try cursor.nextTransaction() else {
            isAtEnd = true
            break
          }
          try replayer.begin(transaction.id, count: transaction.count)
          while let change = try cursor.nextChange() { try replayer.apply(change) }
          try replayer.end(transaction)
        }
      }
    }
  }
}

@Suite("Replaying a history")
struct ReplayTests {
  private func replica(of source: Store, at location: Location) throws -> Store {
    try Store.open(
      location,
      schema: source.schema,
      options: Options(
        origin: ReplicaOrigin(identifier: source.identifier, lineage: source.lineage)
      )
    )
  }

  @Test("A replica equals its origin after every transaction, rows and history.", arguments: 1...4)
  func equality(_ round: Int) throws {
    try withTemporaryFolder { folder in
      let location: (String) -> Location = { name in
        round % 2 == 0 ? .memory(name) : .file(folder.appendingPathComponent(name))
      }
      var world = HistoryWorld(SeededGenerator(for: "replay \(round)"))
      let source = try Store.open(location("source"), schema: worldSchema)
      let replica = try replica(of: source, at: location("replica"))
      for _ in 0..<60 {
        try world.write(to: source)
        try copyHistory(of: source, into: replica)
        #expect(try rowDump(of: replica) == rowDump(of: source))
      }
      let expected = try lines(of: source)
      #expect(expected.utf8.count > 10_000)
      #expect(try lines(of: replica) == expected)
      let blobs = "SELECT sha256, size, rows, history FROM store_blob ORDER BY 1"
      #expect(try rows(blobs, in: replica) == rows(blobs, in: source))
      // Replay gets digests of large transactions, and computes the others.
      let head = try source.read { try $0.historyRange().head }
      #expect(try replica.read { try $0.historyRange().head } == head)
    }
  }

  @Test("A replica replays the same without a write-ahead log, unless it is open elsewhere.")
  func withoutLog() throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "replay without a log"))
      let place = Location.file(folder.appendingPathComponent("source"))
      let source = try Store.open(place, schema: worldSchema)
      for _ in 0..<40 { try world.write(to: source) }
      let url = folder.appendingPathComponent("replica")
      // The header of the file has 2 for a write-ahead log and 1 for a journal.
      func modes() throws -> [UInt8] { Array(try Data(contentsOf: url)[18..<20]) }
      let replica = try replica(of: source, at: .file(url))
      #expect(try modes() == [2, 2])
      try replica.setWriteAheadLog(isUsed: false)
      #expect(try modes() == [1, 1])
      try copyHistory(of: source, into: replica, batch: 7)
      try replica.setWriteAheadLog(isUsed: true)
      try replica.setWriteAheadLog(isUsed: true)
      #expect(try modes() == [2, 2])
      #expect(try lines(of: replica) == lines(of: source))
      #expect(try rowDump(of: replica) == rowDump(of: source))
      let other = try Store.open(.file(url), options: Options(isReadOnly: true))
      try other.read { _ in
        try replica.setWriteAheadLog(isUsed: false)
        #expect(try modes() == [2, 2])
      }
    }
  }

  @Test("Transactions replayed in batches give the same rows, and nothing the second time.")
  func batches() throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "replay in batches"))
      let place = Location.file(folder.appendingPathComponent("source"))
      let source = try Store.open(place, schema: worldSchema)
      for _ in 0..<80 { try world.write(to: source) }
      let replica = try replica(of: source, at: .file(folder.appendingPathComponent("replica")))
      try copyHistory(of: source, into: replica, batch: 7, until: 30)
      try copyHistory(of: source, into: replica, batch: 1000)
      let text = try lines(of: replica)
      #expect(try text == lines(of: source))
      try copyHistory(of: source, into: replica)
      #expect(try text == lines(of: replica))
      #expect(try rowDump(of: replica) == rowDump(of: source))
    }
  }

  @Test("A delete whose blob file was missing is replayed by its digest.")
  func missingValue() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "Photo",
          attributes: [Attribute(name: "image", type: .data, isOptional: true, isExternal: true)]
        )
      ]
    )
    try withStore(.file, schema: schema) { source, _ in
      try withTemporaryFolder { folder in
        let replica = try replica(of: source, at: .file(folder.appendingPathComponent("replica")))
        for (id, size) in [(1, 200_000), (2, 2_000_000)] as [(Int64, Int)] {
          try source.write(Author()) {
            try $0.insert(0, id: id, values: [.blob(Data(repeating: UInt8(id), count: size))])
          }
        }
        try copyHistory(of: source, into: replica)
        try FileManager.default.removeItem(atPath: source.location.path + "-blobs")
        for id in 1...2 as ClosedRange<Int64> {
          try source.write(Author()) { try $0.delete(0, id: id) }
        }
        try copyHistory(of: source, into: replica)
        #expect(try rows("SELECT count(*) FROM Photo", in: replica) == ["0"])
        #expect(try lines(of: replica) == lines(of: source))
      }
    }
  }

  @Test("A row that is not as a change expects stops the replay, with all differences.")
  func mismatch() throws {
    try withStore(.file) { source, _ in
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("replica")
        try source.save { world in
          for id in Int64(1)...4 { try world.trip(id).insert(name: "trip \(id)") }
        }
        let replica = try replica(of: source, at: .file(url))
        try copyHistory(of: source, into: replica)
        try source.save { try $0.tag(1).insert(word: "good") }
        try source.save { world in
          try world.trip(1).set(name: "new")
          try world.trip(2).set(name: "newer")
          try world.trip(3).delete()
          try world.tag(2).insert(word: "bad")
          try world.trip(4).link(tag: 1)
        }
        let other = try Connection(path: url.path, mode: .readWrite)
        try other.execute(
          """
          UPDATE Trip SET name = 'other' WHERE id = 1; DELETE FROM Trip WHERE id = 3;
          INSERT INTO Tag VALUES (2, 'there');
          """
        )
        let error = #expect(throws: StoreError.self) { try copyHistory(of: source, into: replica) }
        #expect(error?.code == .replayMismatch)
        #expect(
          error?.replayDifferences.map(\.description) == [
            #"Trip 1.name is "other" and should be "trip 1""#, "Trip 3 is missing",
            "Tag 2 exists already",
          ]
        )
        #expect(error?.message.contains("Transaction 3 can't be replayed") == true)
        #expect(try replica.read { try $0.historyRange().head.transaction } == 2)
      }
    }
  }

  @Test("Links that are not as a change expects stop the replay, with all differences.")
  func linkMismatch() throws {
    try withStore(.file) { source, _ in
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("replica")
        try source.save { world in
          try world.trip(1).insert(name: "a trip")
          for id in Int64(1)...6 {
            try world.tag(id).insert(word: "tag \(id)")
            if id < 6 { try world.trip(1).link(tag: id) }
          }
        }
        let replica = try replica(of: source, at: .file(url))
        try copyHistory(of: source, into: replica)
        try source.save { world in
          for id in Int64(3)...5 { try world.trip(1).unlink(tag: id) }
          try world.trip(1).link(tag: 6)
        }
        let other = try Connection(path: url.path, mode: .readWrite)
        try other.setTriggers(enabled: false)
        try other.execute(
          """
          DELETE FROM Tag_trips WHERE Tag IN (3, 4);
          INSERT INTO Tag_trips (Tag, Trip) VALUES (6, 1);
          """
        )
        let error = #expect(throws: StoreError.self) { try copyHistory(of: source, into: replica) }
        #expect(error?.code == .replayMismatch)
        #expect(
          error?.replayDifferences.map(\.description) == [
            "Tag 3.trips is nothing and should be linked to 1",
            "Tag 4.trips is nothing and should be linked to 1",
            "Tag 6.trips is linked to 1 and should be nothing",
          ]
        )
        #expect(try replica.read { try $0.historyRange().head.transaction } == 1)
      }
    }
  }

  @Test("A replica accepts only replayed transactions, and an ordinary store none of them.")
  func replicas() throws {
    try withStore(.memory) { source, _ in
      try source.save { try $0.tag(1).insert(word: "a") }
      let replica = try replica(of: source, at: .memory("replica"))
      let write = #expect(throws: StoreError.self) {
        try replica.save { try $0.tag(1).insert(word: "a") }
      }
      #expect(write?.code == .replica)
      try copyHistory(of: source, into: replica)
      #expect(try storeError { try replica.deleteHistory([1...1]) }.code == .replica)
      #expect(try replica.read { try $0.historyRange().oldest } == 1)
      let replayed = #expect(throws: StoreError.self) {
        try copyHistory(of: source, into: source)
      }
      #expect(replayed?.code == .misuse)
    }
  }

  @Test("A transaction that does not follow the last one is refused.")
  func gaps() throws {
    try withStore(.memory) { source, _ in
      for id in Int64(1)...3 {
        try source.save { try $0.tag(id).insert(word: "\(id)") }
      }
      let replica = try replica(of: source, at: .memory("replica"))
      let error = #expect(throws: StoreError.self) {
        try source.read { reader in
          let cursor = try reader.history(after: 1)
          guard let second = try cursor.nextTransaction() else { return }
          try replica.replay(content: { _ in .bytes(Data()) }) {
            try $0.begin(second.id, count: second.count)
          }
        }
      }
      #expect(error?.code == .historyGap)
      #expect(error?.message.contains("transaction 1 must be next") == true)
    }
  }

  @Test(
    "A change is refused if its transaction has all its changes, or if an earlier one must be next.",
    arguments: [(skipped: 0, count: 1), (skipped: 1, count: 2)] as [(skipped: Int, count: Int64)]
  )
  func outOfPlace(_ skipped: Int, _ count: Int64) throws {
    try withStore(.memory) { source, _ in
      try source.save { world in
        for id in Int64(1)...2 { try world.tag(id).insert(word: "\(id)") }
      }
      let replica = try replica(of: source, at: .memory("replica"))
      let error = try storeError {
        try source.read { reader in
          let cursor = try reader.history()
          _ = try cursor.nextTransaction()
          for _ in 0..<skipped { _ = try cursor.nextChange() }
          try replica.replay(content: { _ in .bytes(Data()) }) { replayer in
            try replayer.begin(1, count: count)
            while let change = try cursor.nextChange() { try replayer.apply(change) }
          }
        }
      }
      #expect(error.code == .damaged)
      #expect(try rowDump(of: replica).isEmpty)
    }
  }

  @Test(
    "A change that is not in the writer's form is refused.",
    arguments: [
      #"{"word": "a"}"#, #"{"word":"a"} "#, #"{"word":"\u0061"}"#, #"{"word":1}"#, #"{}"#,
      #"{"word":"a","word":"a"}"#, #"{"other":"a"}"#, #"{"word":"a",}"#, #"{"word":"a""#, "",
      "null",
      #"{"word":"a","trips":[]}"#, #"{"word":}"#, #"{"word"}"#, #"["a"]"#, "{\"word\":\"\u{1}\"}",
    ]
  )
  func malformed(_ text: String) throws {
    try withStore(.memory) { source, _ in
      try source.save { try $0.tag(1).insert(word: "a") }
      let replica = try replica(of: source, at: .memory("replica"))
      let error = #expect(throws: StoreError.self) {
        try source.read { reader in
          let cursor = try reader.history()
          guard let transaction = try cursor.nextTransaction(),
            var change = try cursor.nextChange()
          else { return }
          try Array(text.utf8).withUnsafeBytes { bytes in
            change.after = bytes
            try replica.replay(content: { _ in .bytes(Data()) }) { replayer in
              try replayer.begin(transaction.id, count: transaction.count)
              try replayer.apply(change)
              try replayer.end(transaction)
            }
          }
        }
      }
      #expect(error?.code == .damaged)
      #expect(try rowDump(of: replica).isEmpty)
      #expect(try replica.read { try $0.historyRange().oldest } == nil)
    }
  }

  /// Calls `body` with a reader of a store that has an object with a large text, and with an empty
  /// replica of the store.
  private func withLargeText(_ body: (Reader, Store) throws -> Void) throws {
    let text = Attribute(name: "text", type: .string)
    let schema = StoreSchema(
      version: "1",
      entities: [Entity(name: "Note", attributes: [text])]
    )
    try withStore(.memory, schema: schema) { source, _ in
      let value = Value.text(String(repeating: "x", count: 1_100_000))
      try source.write(Author()) { try $0.insert(0, id: 1, values: [value]) }
      let replica = try replica(of: source, at: .memory("replica"))
      try source.read { try body($0, replica) }
      #expect(try rows("SELECT count(*) FROM Note", in: replica) == ["0"])
    }
  }

  @Test("A change is refused if the size of its large value is another size than in its reference.")
  func otherSize() throws {
    try withLargeText { reader, replica in
      let cursor = try reader.history()
      let transaction = try #require(try cursor.nextTransaction())
      var change = try #require(try cursor.nextChange())
      let large = String(decoding: change.large, as: UTF8.self)
      let other = large.replacingOccurrences(of: #""size":1100000"#, with: #""size":1100001"#)
      #expect(other != large)
      let error = try storeError {
        try Array(other.utf8).withUnsafeBytes { bytes in
          change.large = bytes
          try replica.replay(content: { try reader.largeValue($0) }) { replayer in
            try replayer.begin(transaction.id, count: transaction.count)
            try replayer.apply(change)
            try replayer.end(transaction)
          }
        }
      }
      #expect(error.code == .damaged)
      #expect(error.message.contains("(Note 1) can't be replayed: the large value"))
      #expect(error.message.contains("does not match this digest"))
    }
  }

  @Test("A snapshot is refused if the bytes of a large value do not have the value's digest.")
  func otherBytes() throws {
    try withLargeText { reader, replica in
      let error = try storeError {
        let other = Data(repeating: UInt8(ascii: "y"), count: 1_100_000)
        try replica.replay(content: { _ in .bytes(other) }) { replayer in
          try replayer.begin(snapshot: reader.historyRange().head, count: 1)
          try reader.snapshot { try replayer.apply($0) }
          try replayer.endSnapshot(time: nil)
        }
      }
      #expect(error.code == .damaged)
      #expect(error.message.contains("(Note 1) can't be replayed: the large value"))
      #expect(error.message.contains("does not match this digest"))
    }
  }
}
