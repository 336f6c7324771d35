import Foundation
import Glibc
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Replicas that follow schema changes")
struct FollowingReplicaTests {
  @Test("A replica equals its origin after every step of random migrations.")
  func evolution() throws {
    var seeds = SeededGenerator(for: "evolving replicas")
    for _ in 0..<trials(6, long: 600) {
      let seed = seeds.next()
      var world = EvolvingSchema(SeededGenerator(seed: seed))
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("origin")
        try world.fill(Store.open(.file(url), schema: world.schema))
        let replica = try FollowingReplica(
          of: Store.open(.file(url)),
          at: folder.appendingPathComponent("replica")
        )
        for step in 0..<5 {
          let origin = try Store.open(.file(url))
          try replica.follow(origin)
          try replica.expectEquality(origin, "world \(seed), step \(step)")
          world.evolve()
          try Migration.migrate(url, to: world.schema, author: Author(name: "migrator"))
          let migrated = try Store.open(.file(url))
          // Sometimes the replica gets the migration together with later transactions.
          if world.chance(50) {
            try replica.follow(migrated)
            try replica.expectEquality(migrated, "world \(seed), migration \(step)")
          }
          try world.fill(migrated)
        }
      }
    }
  }

  @Test("A replica follows a family that loses an entity with links and references to it.")
  func lostEntity() throws {
    func schema(_ version: String, withCamp: Bool) -> StoreSchema {
      var schema = worldSchema
      schema.version = version
      if !withCamp { schema.entities.removeAll { $0.name == "Camp" } }
      return schema
    }
    for seed in 1...trials(6, long: 100) {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("origin")
        var world = HistoryWorld(SeededGenerator(seed: UInt64(seed)))
        let origin = try Store.open(.file(url), schema: schema("1", withCamp: true))
        for _ in 0..<40 { try world.write(to: origin) }
        let replica = try FollowingReplica(of: origin, at: folder.appendingPathComponent("replica"))
        try Migration.migrate(url, to: schema("2", withCamp: false), author: Author())
        let migrated = try Store.open(.file(url))
        try replica.follow(migrated)
        try replica.expectEquality(migrated, "seed \(seed)")
      }
    }
  }

  @Test("A replica follows a migration of several stages with code between them.")
  func stages() throws {
    try withStoreFile(StagedMigrationTests.one, fill: StagedMigrationTests.fill) { url in
      try withTemporaryFolder { folder in
        var replica = try FollowingReplica(
          of: Store.open(.file(url)),
          at: folder.appendingPathComponent("replica")
        )
        let migration = try StagedMigration.begin(on: url)
        try StagedMigrationTests.stages(migration)
        try migration.commit()
        for batch in [1, 5] {
          replica.batch = batch
          try replica.follow(Store.open(.file(url)))
          try replica.expectEquality(Store.open(.file(url)))
        }
      }
    }
  }

  @Test("A new schema version with the same tables has no transaction.")
  func versionAlone() throws {
    try withStoreFile(sampleSchema) { url in
      try withTemporaryFolder { folder in
        let replica = try FollowingReplica(
          of: Store.open(.file(url)),
          at: folder.appendingPathComponent("replica")
        )
        var schema = sampleSchema
        for (index, version) in ["1.1.0", "1.2.0"].enumerated() {
          schema.version = version
          schema.entities[trip].relationships[0].deleteRule = index == 0 ? .nullify : .deny
          let origin = try Store.open(.file(url), schema: schema)
          try origin.write(Author()) {
            try $0.insert(tag, id: Int64(index) + 1, values: [.text("a")])
          }
          try replica.follow(origin)
          try replica.expectEquality(origin)
          #expect(try replica.open().schema == schema)
        }
        schema.version = "2"
        try Migration.migrate(url, to: schema, author: Author())
        try replica.follow(Store.open(.file(url)))
        try replica.expectEquality(Store.open(.file(url)))
      }
    }
  }

  /// Calls `body` with a migrated origin, and a replica that has its earlier transactions.
  private func withMigrated(
    _ body: (_ origin: Store, _ replica: FollowingReplica) throws -> Void
  ) throws {
    try withStoreFile(StagedMigrationTests.one, fill: StagedMigrationTests.fill) { url in
      try withTemporaryFolder { folder in
        let replica = try FollowingReplica(
          of: Store.open(.file(url)),
          at: folder.appendingPathComponent("replica")
        )
        try replica.follow(Store.open(.file(url)))
        try Migration.migrate(url, to: StagedMigrationTests.two, author: Author())
        try body(Store.open(.file(url)), replica)
      }
    }
  }

  private func expectOldState(_ replica: FollowingReplica) throws {
    let store = try replica.open()
    #expect(store.schema == StagedMigrationTests.one)
    #expect(try rows("SELECT * FROM Trip", in: store) == ["1|first", "2|second"])
    #expect(try rows("SELECT count(*) FROM store_schema", in: store) == ["1"])
    #expect(try store.read { try $0.historyRange().head.transaction } == 1)
    #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
  }

  @Test("A failure in the middle leaves the replica unchanged, and it can follow later.")
  func failure() throws {
    struct Interrupted: Error {}
    try withMigrated { origin, replica in
      try origin.read { reader in
        let transaction = try #require(try reader.transaction(2))
        #expect(throws: Interrupted.self) {
          try Migration.replay(
            replica.url,
            to: origin.schema,
            content: { _ in .bytes(Data()) },
            { replayer in
              try replayOne(transaction, reader, replayer)
              throw Interrupted()
            }
          )
        }
      }
      try expectOldState(replica)
      try replica.follow(origin)
      try replica.expectEquality(origin)
    }
  }

  @Test("A migration that is not replayed leaves the replica unchanged.")
  func nothingReplayed() throws {
    try withMigrated { origin, replica in
      let error = try storeError {
        try Migration.replay(
          replica.url,
          to: origin.schema,
          content: { _ in .bytes(Data()) },
          { _ in }
        )
      }
      #expect(error.code == .misuse)
      #expect(error.message.contains("was not replayed"))
      try expectOldState(replica)
    }
  }

  @Test("Values that a migration filled differently from its origin are listed.")
  func otherValues() throws {
    try withMigrated { origin, replica in
      let connection = try Connection(path: origin.location.path, mode: .readWrite)
      try connection.execute(
        """
        UPDATE history_change SET after = '{"b":"+"}' WHERE transaction_id = 2 AND object = 2
        """
      )
      let error = try storeError { try replica.follow(origin) }
      #expect(error.code == .replayMismatch)
      #expect(
        error.replayDifferences.map(\.description) == [#"Trip 2.b is "-" and should be "+""#]
      )
      try expectOldState(replica)
    }
  }

  @Test("An independent store, or a replica that another program changed, is refused.")
  func refused() throws {
    try withMigrated { origin, replica in
      let url = URL(filePath: origin.location.path)
      let own = try storeError {
        try Migration.replay(url, to: origin.schema, content: { _ in .bytes(Data()) }, { _ in })
      }
      #expect(own.code == .misuse)
      let connection = try Connection(path: replica.url.path, mode: .readWrite)
      try connection.execute("UPDATE Trip SET a = a")
      let changed = try storeError { try replica.follow(origin) }
      #expect(changed.code == .replayMismatch)
      #expect(changed.message.contains("another program has changed it"))
    }
  }

  @Test("Tables change only with the transaction that records the migration of the origin.")
  func notAMigration() throws {
    try withMigrated { origin, replica in
      let error = try storeError {
        try origin.read { reader in
          let cursor = try reader.history(after: 1)
          var transaction = try #require(try cursor.nextTransaction())
          transaction.operation = .recorded
          try Migration.replay(
            replica.url,
            to: origin.schema,
            content: { _ in .bytes(Data()) },
            { replayer in
              try replayer.begin(transaction.id, count: transaction.count)
              while let change = try cursor.nextChange() { try replayer.apply(change) }
              try replayer.end(transaction)
            }
          )
        }
      }
      #expect(error.code == .misuse)
      try expectOldState(replica)
    }
  }

  @Test("A process that is killed in the middle leaves the old state.")
  func killed() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("origin")
      let origin = try Store.open(.file(url), schema: StagedMigrationTests.one)
      try origin.write(Author(), StagedMigrationTests.fill)
      let replica = try FollowingReplica(of: origin, at: folder.appendingPathComponent("replica"))
      try replica.follow(origin)
      try Migration.migrate(url, to: StagedMigrationTests.two, author: Author())
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [source = url.path as String, target = replica.url.path as String] in
        let origin = try Store.open(.file(URL(filePath: source)))
        try origin.read { reader in
          guard let transaction = try reader.transaction(2) else { return }
          try Migration.replay(
            URL(filePath: target),
            to: origin.schema,
            content: { _ in .bytes(Data()) },
            { replayer in
              try replayOne(transaction, reader, replayer)
              kill(getpid(), SIGKILL)
            }
          )
        }
      }
      try expectOldState(replica)
      try replica.follow(Store.open(.file(url)))
      try replica.expectEquality(Store.open(.file(url)))
    }
  }
}
