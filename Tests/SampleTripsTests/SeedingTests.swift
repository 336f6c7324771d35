import Format
import Foundation
import Store
import SwiftData
import TestSupport
import Testing

@testable import SampleTrips

@Suite("Seeded histories")
struct SeedingTests {
  @Test("The same seed gives the same store in every process, and another seed a different one.")
  func reproducible() throws {
    let folder = try TemporaryFolder()
    func seed(_ name: String, _ number: String) throws -> URL {
      let file = folder.file(name + ".store")
      let outcome = try trips("seed", file.path, "--changes", "2000", "--seed", number)
      #expect(outcome.code == 0)
      #expect(outcome.output.isEmpty && outcome.messages.isEmpty, "silent where nobody looks")
      return file
    }
    let first = try seed("first", "7")
    let second = try seed("second", "7")
    let other = try seed("other", "8")
    let contents = try dump(first)
    #expect(contents.count > 100)
    #expect(try contents == dump(second))
    #expect(try Data(contentsOf: first) == Data(contentsOf: second))
    #expect(try contents != dump(other))
    let identity = "SELECT value FROM store_catalog WHERE key = 'identifier'"
    #expect(try rows(identity, in: first) != rows(identity, in: other))
  }

  @Test("History has exactly the requested number of changes.", arguments: [0, 1, 2, 19, 20, 333])
  func exact(count: Int) throws {
    let folder = try TemporaryFolder()
    let store = folder.file("trips.store")
    let summary = try SampleTrips.seed(store, changes: count, seed: 3)
    #expect(summary.changes == count)
    #expect(try rows("SELECT count(*) FROM history_change", in: store) == ["\(count)"])
    #expect(
      try rows("SELECT count(*) FROM history_transaction", in: store)
        == ["\(summary.transactions)"]
    )
    #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
  }

  @Test("Two thousand changes include every kind of change, author and attribute, for any seed.")
  func coverage() throws {
    for seed: UInt64 in 1...3 {
      let folder = try TemporaryFolder()
      let store = folder.file("trips.store")
      try SampleTrips.seed(store, changes: 2000, seed: seed)
      try checkAttributes(of: store)
      #expect(try rows("PRAGMA foreign_key_check", in: store) == [])
      let kinds = try rows(
        "SELECT DISTINCT entity || ' ' || kind FROM history_change ORDER BY 1",
        in: store
      )
      for entity in try schema(of: store).entities where entity.name != "Tag" {
        for kind in ["insert", "update", "delete"] {
          #expect(kinds.contains("\(entity.name) \(kind)"), "seed \(seed)")
        }
      }
      try checkKinds(of: store, seed)
    }
  }

  private func schema(of file: URL) throws -> StoreSchema {
    try #require(try Migration.schema(of: file))
  }

  /// Expects that some change has a value of each attribute, and that every type is used.
  private func checkAttributes(of file: URL) throws {
    for entity in try schema(of: file).entities {
      for attribute in entity.attributes {
        let found = try rows(
          """
          SELECT count(*) FROM history_change WHERE entity = '\(entity.name)'
            AND coalesce(
              json_extract(after, '$.\(attribute.name)'),
              json_extract(large, '$.after.\(attribute.name)')
            ) IS NOT NULL
          """,
          in: file
        )
        #expect(found != ["0"], "\(entity.name).\(attribute.name)")
      }
    }
  }

  @Test("The models together use every attribute type.")
  func types() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("trips.store")
    try SampleTrips.seed(store, changes: 1, seed: 1)
    let used = Set(try schema(of: store).entities.flatMap(\.attributes).map(\.type))
    // Only applications define transformers.
    #expect(used == Set(ValueType.declared).subtracting([.transformed]))
  }

  private func checkKinds(of store: URL, _ seed: UInt64) throws {
    func count(_ condition: String) throws -> Int {
      try #require(
        try rows(
          """
          SELECT count(*) FROM history_change c JOIN history_transaction t
            ON t.id = c.transaction_id WHERE \(condition)
          """,
          in: store
        ).first.flatMap { Int($0) }
      )
    }
    for author in SampleTrips.Author.allCases {
      #expect(try count("author = '\(author.rawValue)'") > 10)
    }
    let sync = "author = '\(SampleTrips.Author.sync.rawValue)'"
    #expect(try count("kind = 'update' AND changed LIKE '%\"trips\"%' AND entity = 'Tag'") > 0)
    #expect(try count("\(sync) AND kind = 'update' AND after LIKE '%Changed on the web%'") > 0)
    #expect(try count("\(sync) AND kind = 'delete'") > 0, "batch deletions, seed \(seed)")
    #expect(
      try rows(
        """
        SELECT 1 FROM history_change a JOIN history_change b USING (transaction_id)
          WHERE a.kind = 'delete' AND a.entity LIKE '%Trip' AND b.kind = 'delete'
            AND b.entity = 'BucketListItem' LIMIT 1
        """,
        in: store
      ) == ["1"],
      "cascades"
    )
    #expect(try rows("SELECT max(size) > 131072 FROM store_blob", in: store) == ["1"])
    #expect(
      try rows(
        "SELECT max(changes) > 50, min(changes) = 1, count(DISTINCT process) = 3,"
          + " count(DISTINCT process_id) > 5 FROM history_transaction",
        in: store
      ) == ["1|1|1|1"]
    )
    #expect(
      try rows(
        """
        SELECT count(*) FROM history_transaction a JOIN history_transaction b ON b.id = a.id + 1
          WHERE b.time <= a.time
        """,
        in: store
      ) == ["0"],
      "times go on"
    )
  }

  @Test("An existing store is not overwritten, and a failure leaves no files.")
  func existing() throws {
    struct Stop: Error {}
    let folder = try TemporaryFolder()
    let store = folder.file("trips.store")
    #expect(throws: Stop.self) {
      try SampleTrips.seed(store, changes: 500, seed: 1) { done in
        if done > 100 { throw Stop() }
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    try Data("mine".utf8).write(to: store)
    let error = #expect(throws: SeedingError.self) {
      try SampleTrips.seed(store, changes: 10, seed: 1)
    }
    #expect(error?.code == .exists)
    #expect(try String(contentsOf: store, encoding: .utf8) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
  }

  @Test("Cleaning removes trips that were moved since they were planned.")
  func cleaning() throws {
    let folder = try TemporaryFolder()
    let seeder = try Seeder(
      folder.file("trips.store"),
      changes: 1_000_000,
      seed: 1,
      hasSmallPhotos: true
    )
    for _ in 0..<80 { try seeder.save(as: .app) { try seeder.planTrip($0) } }
    let planned = seeder.known
    try seeder.save(as: .app) { _ in
      for (entry, next) in zip(planned, planned.dropFirst()) { entry.trip.endDate = next.endDate }
    }
    for _ in 0..<20 { try seeder.save(as: .sync) { try seeder.cleanUp($0) } }
    #expect(seeder.known.count < planned.count)
    let there = try Set(
      ModelContext(seeder.container).fetchIdentifiers(FetchDescriptor<Trip>())
    )
    #expect(there.isSuperset(of: seeder.known.map(\.trip.persistentModelID)))
    #expect(there.count == seeder.known.count)
  }

  @Test("Stores of earlier releases have their schemas, and are migrated.", arguments: ["1", "2"])
  func earlier(release: String) throws {
    let folder = try TemporaryFolder()
    func seed(_ name: String) throws -> URL {
      let store = folder.file(name)
      let outcome = try trips(
        "seed",
        store.path,
        "--release",
        release,
        "--changes",
        "300",
        "--seed",
        "3"
      )
      #expect(outcome.code == 0 && outcome.messages.isEmpty)
      return store
    }
    let store = try seed("first.store")
    #expect(try dump(store) == dump(seed("second.store")))
    #expect(try Migration.schema(of: store)?.version == "\(release).0.0")
    #expect(try rows("SELECT count(*) FROM history_change", in: store) == ["300"])
    #expect(
      try rows("SELECT DISTINCT kind FROM history_change ORDER BY 1", in: store)
        == ["delete", "insert", "update"]
    )
    let names = try rows("SELECT count(DISTINCT name) FROM Trip", in: store)
    let count = try rows("SELECT count(*) FROM Trip", in: store)
    #expect((names != count) == (release == "1"), "only the first release let trips share a name")
    _ = try SampleTrips.container(at: store)
    #expect(try Migration.schema(of: store)?.version == "3.0.0")
    #expect(try rows("SELECT count(*) FROM Trip", in: store) == names)
  }

  @Test("The memory of seeding does not grow with the number of changes.")
  func memory() throws {
    let folder = try TemporaryFolder()
    func peak(_ changes: Int) throws -> Int {
      let process = try tripsProgram()
      process.arguments = [
        "seed", folder.file("\(changes).store").path, "--changes", "\(changes)",
      ]
      try process.run()
      var peak = 0
      while process.isRunning {
        // The file is gone after the process has ended.
        let status = try? String(
          contentsOfFile: "/proc/\(process.processIdentifier)/status",
          encoding: .utf8
        )
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let number = line?.split(separator: " ").compactMap { Int($0) }.first
        peak = max(peak, number ?? 0)
        usleep(5000)
      }
      #expect(process.terminationStatus == 0)
      return peak
    }
    let small = try peak(4000)
    let large = try peak(20_000)
    // SQLite keeps up to 16 MiB of pages.
    #expect(large - small < 20 * 1024, "from \(small) to \(large) KiB")
  }
}
