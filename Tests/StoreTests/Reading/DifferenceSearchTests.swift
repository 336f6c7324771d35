import Format
import Foundation
import SQLite
import Store
import TestSupport
import Testing

/// All rows of a table by the values of its key, read naively.
private func plainRows(_ table: String, keys: Int, in path: String) throws -> [[Value]: [Value]] {
  let statement = try Connection(path: path, mode: .readOnly).prepare("SELECT * FROM \"\(table)\"")
  var result: [[Value]: [Value]] = [:]
  while try statement.step() {
    let row = (0..<Int32(statement.columnCount)).map { statement.value(at: $0) }
    result[Array(row.prefix(keys))] = row
  }
  return result
}

/// The bits of a value, which are equal only for equal values.
private func bits(_ value: Value) -> String {
  switch value {
  case .null: "null"
  case .integer(let number): "integer \(number)"
  case .real(let number): "real \(number.bitPattern)"
  case .text(let text): "text \(Array(text.utf8))"
  case .brokenText(let data): "broken \(Array(data))"
  case .blob(let data): "blob \(Array(data))"
  }
}

private func bits(_ row: [Value]?) -> [String]? { row.map { $0.map(bits) } }

/// A copy of a store with foreign changes that were not captured.
private struct ChangedCopy {
  let old: URL
  let new: URL

  init(_ folder: URL, _ generator: inout SeededGenerator) throws {
    old = folder.appendingPathComponent("old.store")
    new = folder.appendingPathComponent("new.store")
    _ = try Store.open(.file(old), schema: sampleSchema)
    let connection = try Connection(path: old.path, mode: .readWrite)
    // Dense ids that fill several ranges, then some that are far from all others.
    try connection.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
        INSERT INTO Trip (id, name, startDate) SELECT i, 'trip ' || i, 0.0 FROM n;
      INSERT INTO Trip (id, name, startDate, rating) VALUES (-9223372036854775808, 'first', 0, NULL),
        (-7, 'negative', 1.5, 0.0), (1099511627776, 'far', 1, 2), (9223372036854775807, 'last', 2, 3);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO Tag (id, word) SELECT i * 100, 'tag' FROM n;
      INSERT INTO Tag_trips (Tag, Trip)
        SELECT Tag.id, Trip.id FROM Tag JOIN Trip ON Trip.id IN (Tag.id % 7, 1, -7);
      """
    )
    try connection.backup(to: Connection(path: new.path, mode: .readWriteCreate))
    let other = try Connection(path: new.path, mode: .readWrite)
    try other.setForeignKeys(enforced: false)
    var ids = [Int64.min, -7, 1, 4_095, 4_096, 4_097, 8_192, 8_193, 1 << 40, .max]
    ids += (0..<30).map { _ in Int64.random(in: 1...9_100, using: &generator) }
    let trips = [
      "startDate = 0", "startDate = -0.0", "startDate = 'NaN'", "rating = NULL", "rating = 0",
      "rating = -0.0", "name = name || char(0)", "name = 'caf' || char(233) || id",
      "name = 'cafe' || char(769) || id", "leader = id", "name = name",
    ]
    try other.execute("BEGIN")
    for id in ids {
      // Two of the names differ only in their Unicode spelling.
      let change = trips[Int.random(in: 0..<trips.count, using: &generator)]
      try other.execute("UPDATE Trip SET \(change) WHERE id = \(id)")
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: try other.execute("DELETE FROM Trip WHERE id = \(id)")
      case 1:
        try other.execute(
          "INSERT OR IGNORE INTO Trip (id, name, startDate) VALUES (\(id / 2), 'n\(id)', 3.25)"
        )
      case 2: try other.execute("DELETE FROM Tag_trips WHERE Tag = \(id / 100 * 100) AND Trip = 1")
      case 3:
        try other.execute(
          "UPDATE OR REPLACE Tag_trips SET Trip = Trip + 2 WHERE Tag = \(id / 100 * 100)"
        )
      case 4:
        try other.execute("INSERT OR IGNORE INTO Tag_trips VALUES (\(id / 100 * 100), \(id))")
      default: break
      }
    }
    try other.execute("COMMIT")
  }
}

@Suite("Finding the rows that differ")
struct DifferenceSearchTests {
  @Test(
    "The rows and objects that differ are those of a naive comparison, on one thread and on two."
  )
  func naive() throws {
    for _ in 0..<trials(4, long: 60) {
      try withTemporaryFolder { folder in
        var generator = SeededGenerator(for: "which rows differ")
        let pair = try ChangedCopy(folder, &generator)
        let tables = try sampleSchema.tables()
        var expected: [String] = []
        var objects: Set<String> = []
        var tags: Set<Int64> = []
        for path in [pair.old.path, pair.new.path] {
          for case .integer(let id)? in try plainRows("Tag", keys: 1, in: path).keys.map(\.first) {
            tags.insert(id)
          }
        }
        for table in tables {
          let before = try plainRows(table.name, keys: table.keys, in: pair.old.path)
          let after = try plainRows(table.name, keys: table.keys, in: pair.new.path)
          let keys = Set(before.keys).union(after.keys).filter {
            bits(before[$0]) != bits(after[$0])
          }
          func numbers(_ key: [Value]) -> [Int64] {
            key.map { if case .integer(let number) = $0 { number } else { 0 } }
          }
          for key in keys.sorted(by: { numbers($0).lexicographicallyPrecedes(numbers($1)) }) {
            expected.append(
              "\(table.name) \(numbers(key)) \(bits(before[key]) ?? []) \(bits(after[key]) ?? [])"
            )
            let owner = table.name.prefix { $0 != "_" }
            // Links of a missing object are ignored.
            if table.keys == 1 || tags.contains(numbers(key)[0]) {
              objects.insert("\(owner) \(numbers(key)[0])")
            }
          }
        }
        #expect(expected.count > 20)
        let old = try Store.open(.file(pair.old), options: Options(isReadOnly: true))
        let new = try Store.open(.file(pair.new), options: Options(isReadOnly: true))
        for hasCompanion in [false, true] {
          let left = try hasCompanion ? old.takeReaderWithCompanion() : old.takeReader()
          let right = try hasCompanion ? new.takeReaderWithCompanion() : new.takeReader()
          defer {
            old.giveBack(left)
            new.giveBack(right)
          }
          #expect((left.companion != nil) == hasCompanion)
          var rows: [String] = []
          try left.rowDifferences(to: right, in: tables) { table, change in
            let ids = change.either.prefix(table.keys).map { value -> Int64 in
              if case .integer(let number) = value { number } else { 0 }
            }
            rows.append(
              "\(table.name) \(ids) \(bits(change.before) ?? []) \(bits(change.after) ?? [])"
            )
          }
          #expect(rows == expected)
          var told: [(entity: String, id: Int64)] = []
          try left.differences(to: right) {
            told.append((String(decoding: $0.entity, as: UTF8.self), $0.object))
          }
          #expect(Set(told.map { "\($0.entity) \($0.id)" }) == objects)
          #expect(told.count == objects.count)
          #expect(zip(told, told.dropFirst()).allSatisfy { $0 < $1 })
        }
      }
    }
  }

  @Test("An error of the caller stops the comparison, and the readers stay usable.")
  func stop() throws {
    struct Enough: Error {}
    try withTemporaryFolder { folder in
      var generator = SeededGenerator(for: "differences that are stopped")
      let pair = try ChangedCopy(folder, &generator)
      let old = try Store.open(.file(pair.old), options: Options(isReadOnly: true))
      let new = try Store.open(.file(pair.new), options: Options(isReadOnly: true))
      let left = try old.takeReaderWithCompanion()
      let right = try new.takeReaderWithCompanion()
      for _ in 0..<20 {
        #expect(throws: Enough.self) { try left.differences(to: right) { _ in throw Enough() } }
      }
      var count = 0
      try left.differences(to: right) { _ in count += 1 }
      #expect(count > 20)
      old.giveBack(left)
      new.giveBack(right)
    }
  }

  @Test("A reader and its companion see one state, whatever other programs commit meanwhile.")
  func companions() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      let path = url.path
      let store = try Store.open(.file(url), schema: sampleSchema)
      let writer = Thread {
        // History does not have these rows, because triggers are off, as in some other programs.
        guard let connection = try? Connection(path: path, mode: .readWrite) else { return }
        connection.setBusyTimeout(milliseconds: 5_000)
        _ = try? connection.setTriggers(enabled: false)
        for id in 1... {
          guard !Thread.current.isCancelled else { return }
          let sql = "INSERT INTO Person (id, name) VALUES (\(id), 'x')"
          guard (try? connection.execute(sql)) != nil else { return }
        }
      }
      writer.start()
      defer { writer.cancel() }
      var states: Set<Int64> = []
      var companions = 0
      let deadline = ContinuousClock.now + .seconds(120)
      while states.count < 20 || companions < 20, ContinuousClock.now < deadline {
        let reader = try store.takeReaderWithCompanion()
        defer { store.giveBack(reader) }
        func last(_ reader: Reader) throws -> Int64 {
          let find = try reader.connection.prepare("SELECT max(id) FROM Person")
          return try find.step() ? find.int64(at: 0) : 0
        }
        let seen = try last(reader)
        states.insert(seen)
        guard let companion = reader.companion else { continue }
        companions += 1
        #expect(try last(companion) == seen)
      }
      #expect(companions >= 20)
      #expect(states.count >= 20)
    }
  }

  @Test("Two readers of a read-only store leave no other files beside it.")
  func tidy() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      do {
        let store = try Store.open(.file(url), schema: sampleSchema)
        try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("t")]) }
      }
      do {
        let store = try Store.open(.file(url), options: Options(isReadOnly: true))
        let reader = try store.takeReaderWithCompanion()
        #expect(reader.companion != nil)
        store.giveBack(reader)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.store"])
    }
  }
}
