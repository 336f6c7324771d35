import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Audit

/// The rows of each table with the names of its columns, each value with its storage class, sorted.
typealias Dump = [String: [String]]

private func spelled(_ values: [Value]) -> String {
  values.map { value in
    var text: [UInt8] = []
    value.appendSpelling(to: &text)
    return String(decoding: text, as: UTF8.self)
  }.joined(separator: "|")
}

func rows(
  _ sql: String,
  on connection: Connection
) throws -> (columns: [String], [String]) {
  let statement = try connection.prepare(sql)
  var result: [String] = []
  while try statement.step() {
    result.append(spelled((0..<statement.columnCount).map { statement.value(at: Int32($0)) }))
  }
  return ((0..<statement.columnCount).map { statement.columnName(at: $0) }, result)
}

func rows(_ sql: String, of query: PastQuery) throws -> (columns: [String], [String]) {
  let rows = try query.rows(of: sql)
  var result: [String] = []
  while let values = try rows.next() { result.append(spelled(values)) }
  return (rows.columns, result)
}

private func isOfProgram(_ table: String) -> Bool {
  !["travelog_", "sqlite_", "history_", "store_"].contains { table.hasPrefix($0) }
}

/// All tables of a file.
func dump(_ path: String) throws -> Dump {
  let connection = try Connection(path: path, mode: .readOnly)
  // This also reads the encoding of the texts.
  try connection.useTables(prefix: "travelog_")
  let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
  var result: Dump = [:]
  while try tables.step() {
    let name = tables.string(at: 0)
    guard isOfProgram(name) else { continue }
    let (columns, found) = try rows("SELECT * FROM \(quoted(name))", on: connection)
    result[name] = [columns.joined(separator: "|")] + found.sorted()
  }
  return result
}

/// All tables of a state.
func dump(of text: String, into file: URL? = nil) throws -> Dump {
  let queried = try QueriedStates([("main", text)])
  let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
  var result: Dump = [:]
  for table in queried.states[0].state.tables {
    let (columns, found) = try rows("SELECT * FROM \(quoted(table.name))", of: query)
    result[table.name] = [columns.joined(separator: "|")] + found.sorted()
  }
  if let file { _ = try queried.states[0].state.write(to: file.path) }
  return result
}

private func digest(_ path: String) throws -> Digest {
  SHA256.digest(of: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
}

private func files(in folder: URL) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
}

@Suite("Queries of a store at a point")
struct QueryTests {
  // MARK: Stores

  @Test(
    "At every transaction of a store, all rows of all tables are those of that time.",
    arguments: 1...trials(2, long: 30)
  )
  func everyTransaction(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "queries \(round)", mode: nil)
      world.history.hasLargeValues = round == 1
      var states: [Int64: Dump] = [0: try dump(world.path)]
      for _ in 0..<30 {
        try world.history.write(to: world.source)
        states[try world.source.read { try $0.sealedHead() }] = try dump(world.path)
      }
      for (id, state) in states.sorted(by: { $0.key < $1.key }) {
        #expect(try dump(of: "\(world.path)@\(id)") == state, "round \(round) at \(id)")
      }
      let middle = try #require(states.keys.sorted().dropFirst(states.count / 2).first)
      let file = folder.appendingPathComponent("into.db")
      #expect(try dump(of: "\(world.path)@\(middle)", into: file) == states[middle])
      #expect(try dump(file.path) == states[middle])
    }
  }

  @Test("A pruned store shows the points that its history keeps, and names an earlier one.")
  func pruned() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "pruned queries", writes: 9)
      let base = try world.source.read { try $0.sealedHead() }
      var states: [Int64: Dump] = [base: try dump(world.path)]
      for _ in 0..<9 {
        try world.history.write(to: world.source)
        states[try world.source.read { try $0.sealedHead() }] = try dump(world.path)
      }
      try world.source.deleteHistory([1...base])
      for (id, state) in states {
        #expect(try dump(of: "\(world.path)@\(id)") == state, "at \(id)")
      }
      let early = #expect(throws: PipelineError.self) { try dump(of: "\(world.path)@\(base - 1)") }
      #expect(early?.code == .historyExpired)
    }
  }

  @Test("After all history was pruned, later points are those of their time.")
  func prunedCompletely() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "pruned completely", writes: 9)
      try checkPruned(world.path, world.source) { try world.history.write(to: world.source) }
      var program = try QueriedProgram(folder, "pruned program")
      program.changesTables = false
      for _ in 0..<5 { try program.step() }
      let store = try Store.open(.file(URL(fileURLWithPath: program.path)))
      try checkPruned(program.path, store) { try program.step() }
    }
  }

  private func checkPruned(_ path: String, _ store: Store, write: () throws -> Void) throws {
    func head() throws -> Int64 { try readableStore(path).read { try $0.sealedHead() } }
    var states: [Int64: Dump] = [try head(): try dump(path)]
    try store.deleteHistory([1...head()])
    for _ in 0..<4 {
      states[try head()] = try dump(path)
      try write()
    }
    for (id, state) in states { #expect(try dump(of: "\(path)@\(id)") == state, "at \(id)") }
  }

  @Test("A replica, the logs and one log show the same states as their store.")
  func otherSources() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "sources of queries", writes: 6)
      let point = try world.source.read { try $0.sealedHead() }
      let state = try dump(world.path)
      try world.write(3)
      try world.export()
      let replica = folder.path + "/replica.store"
      _ = try importLogs(ImportRequest(logs: world.logs, store: replica))
      let log = try #require(world.logs.files(of: world.source.identifier, lineage: 0).first).path
      for source in [world.path, world.logs.path, log, replica] {
        #expect(try dump(of: "\(source)@\(point)") == state, "\(source)")
      }
    }
  }

  @Test(
    "At every transaction in logs, all rows are those of that time, from a snapshot or the beginning.",
    arguments: 1...trials(1, long: 20)
  )
  func everyTransactionOfLogs(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "logs of queries \(round)"))
      world.hasLargeValues = round == 1
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      let logs = LogFolder(folder.path + "/logs")
      try logs.create()
      var states: [Int64: Dump] = [:]
      for step in 1...24 {
        try world.write(to: store)
        states[try store.read { try $0.sealedHead() }] = try dump(url.path)
        guard step % 6 == 0 else { continue }
        var request = ExportRequest(store: url.path, logs: logs)
        request.wantsSnapshot = step == 12 && round % 2 == 0
        _ = try export(request)
      }
      let head = try History(logs.path).last
      let history = try FolderHistory(logs, store: store.identifier)
      for (id, state) in states where id > 0 && id <= head {
        #expect(try history.replay(through: id) != nil)
        #expect(try dump(of: "\(logs.path)@\(id)") == state, "round \(round) at \(id)")
      }
    }
  }

  @Test("A point before a migration has the tables and columns of that time.")
  func migration() throws {
    try withTemporaryFolder { folder in
      let world = try RenamedWorld(folder)
      let early = try dump(of: "\(world.store)@2")
      #expect(early["Person"]?.contains { $0.contains("text:Bergen") } == true)
      #expect(early["Human"] == nil)
      #expect(try dump(of: world.store)["Human"]?.count == 2)
    }
  }

  @Test("An erased value is NULL and counted, and a state with only tombstones has no other value.")
  func tombstones() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "erased queries", mode: .tombstones)
      let guest = try #require(worldSchema.index(of: "Guest"))
      let columns = try worldSchema.layouts()[guest].columns
      let values: [Value] = columns.map { $0.property == "note" ? .text("secret") : .null }
      try world.source.write(Author()) { _ = try $0.insert(guest, id: 1, values: values) }
      try world.source.write(Author()) { try $0.delete(guest, id: 1) }
      let queried = try QueriedStates([("main", "\(world.path)@1")])
      let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
      #expect(try rows("SELECT id, note FROM Guest", of: query).1 == ["integer:1|null"])
      #expect(queried.states[0].state.erased.contains { $0.column == "Guest.note" })
    }
  }

  // MARK: Programs

  @Test(
    "At every transaction of an adopted file, all rows of all tables are those of that time.",
    arguments: 1...trials(3, long: 60)
  )
  func everyTransactionOfProgram(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var program = try QueriedProgram(
        folder,
        "adopted queries \(round)",
        isFollowed: round % 3 == 0,
        encoding: round % 4 == 1 ? "UTF-16le" : "UTF-8"
      )
      var states = [try program.head(): try dump(program.path)]
      for _ in 0..<24 {
        try program.step()
        states[try program.head()] = try dump(program.path)
      }
      let logs = LogFolder(folder.path + "/logs")
      try logs.create()
      // Before that, a change of the tables lost the connection to their earlier rows.
      let first = try readableStore(program.store).read { try $0.knownStart() }
      if first == 1 { _ = try export(ExportRequest(store: program.store, logs: logs)) }
      let before = try digest(program.path)
      for (id, state) in states.sorted(by: { $0.key < $1.key }) where id >= first {
        let file = folder.appendingPathComponent("into \(id).db")
        let found = try dump(of: "\(program.store)@\(id)", into: file)
        #expect(found == state, "round \(round) at \(id): \(program.steps)")
        #expect(try dump(file.path) == state, "round \(round) at \(id): \(program.steps)")
        guard first == 1, id % 4 == 0 else { continue }
        #expect(try dump(of: "\(logs.path)@\(id)") == state, "round \(round) in logs at \(id)")
      }
      #expect(try digest(program.path) == before)
    }
  }

  @Test(
    "Random statements on two points return what they return on copies of those times.",
    arguments: 1...trials(1, long: 20)
  )
  func randomStatements(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var program = try QueriedProgram(folder, "random statements \(round)")
      program.changesTables = false
      var copies: [(id: Int64, path: String)] = []
      for _ in 0..<24 {
        try program.step()
        let copy = folder.appendingPathComponent("copy \(copies.count).db").path
        // VACUUM would change row IDs.
        try Connection(path: program.path, mode: .readWrite)
          .execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: program.path, toPath: copy)
        copies.append((try program.head(), copy))
      }
      var random = SeededGenerator(for: "statements \(round)")
      for _ in 0..<10 {
        let (old, new) = (copies[Int.random(in: 0..<12, using: &random)], copies[23])
        let queried = try QueriedStates([
          ("main", "\(program.store)@\(new.id)"), ("old", "\(program.store)@\(old.id)"),
        ])
        let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
        let reference = try Connection(path: new.path, mode: .readWrite)
        try reference.execute("ATTACH '\(old.path)' AS old")
        for _ in 0..<20 {
          let sql = QueriedProgram.statement(&random)
          let found = try rows(sql, of: query).1.sorted()
          let expected = try rows(sql, on: reference).1.sorted()
          #expect(found == expected, "\(old.id) and \(new.id): \(sql)")
        }
      }
    }
  }

  @Test("Two points in one query find the rows that the comparison of both points finds.")
  func twoPoints() throws {
    try withTemporaryFolder { folder in
      var program = try QueriedProgram(folder, "two points")
      program.changesTables = false
      let first = try program.head()
      for _ in 0..<9 { try program.step() }
      let last = try program.head()
      let queried = try QueriedStates([
        ("main", "\(program.store)@\(last)"), ("old", "\(program.store)@\(first)"),
      ])
      let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
      var found = 0
      for table in queried.states[0].state.tables {
        let name = quoted(table.name)
        for (left, right) in [("main", "old"), ("old", "main")] {
          let sql = "SELECT * FROM \(left).\(name) EXCEPT SELECT * FROM \(right).\(name)"
          found += try rows(sql, of: query).1.count
        }
      }
      let states = try StoreState.pair("\(program.store)@\(first)", "\(program.store)@\(last)")
      var expected = 0
      try StoreDifferences(states.first, states.second).adoptedRows {
        expected += ($0.before == nil ? 0 : 1) + ($0.after == nil ? 0 : 1)
      }
      #expect(found == expected && found > 0)
      var sides = 0
      try StoreDifferences(states.first, states.second).objects {
        sides += $0.kind == .update ? 2 : 1
      }
      #expect(sides == expected)
    }
  }

  @Test(
    "A row that its key names is the same row if only its own changes are read.",
    arguments: [false, true]
  )
  func rowsByKey(isFollowed: Bool) throws {
    try withTemporaryFolder { folder in
      var program = try QueriedProgram(folder, "rows by key", isFollowed: isFollowed)
      var points = [try program.head()]
      for _ in 0..<10 {
        try program.step()
        points.append(try program.head())
      }
      var found = 0
      let keys = [
        "tag": "k", "pair": "a, b", "unsure": "k", "plain": "k", "link": "person, tag",
        "person": "id",
      ]
      for point in points {
        let state = "\(program.store)@\(point)"
        let queried: QueriedStates
        do {
          queried = try QueriedStates([("main", state), ("now", program.store)])
        } catch let error as PipelineError where error.code == .historyExpired {
          continue
        }
        let whole = try PastQuery(queried.states.map { ($0.name, $0.state) })
        // Searches for rows of that time, and of rows that exist now; the program may have renamed or
        // removed a table or a column.
        var searches: [[(sql: String, values: [String: Value])]] = []
        for (table, key) in keys.sorted(by: { $0.key < $1.key }) {
          for name in ["main.\(table)", "now.\(table)"] {
            let list = "SELECT \(key) FROM \(name) LIMIT 4"
            guard let rows = try? whole.rows(of: list) else { continue }
            let condition = rows.columns.map { "\($0) = :\($0)" }.joined(separator: " AND ")
            let sql = "SELECT * FROM main.\(table) WHERE \(condition)"
            var number = 0
            while let row = try rows.next() {
              if searches.count == number { searches.append([]) }
              searches[number].append((sql, .init(uniqueKeysWithValues: zip(rows.columns, row))))
              number += 1
            }
          }
        }
        for round in searches {
          let single = try QueriedStates([("main", state)])
          let one = try PastQuery(single.states.map { ($0.name, $0.state) })
          for (sql, values) in round {
            let all: [Value]?
            do { all = try whole.rows(of: sql, values: values).next() } catch { continue }
            let own = try one.rows(of: sql, values: values).next()
            #expect(own == all, "\(point): \(sql) \(values)")
            found += own == nil ? 0 : 1
          }
        }
      }
      #expect(found > 100)
    }
  }

  @Test("A query leaves no file behind.")
  func noFiles() throws {
    try withTemporaryFolder { folder in
      var program = try QueriedProgram(folder, "files")
      try program.step()
      let before = try files(in: folder)
      let head = try program.head()
      do {
        let queried = try QueriedStates([
          ("main", program.store), ("a", "\(program.store)@\(head - 1)"),
          ("b", "\(program.store)@1"),
        ])
        let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
        _ = try rows("SELECT count(*) FROM a.person, b.person", of: query)
      }
      let after = try files(in: folder)
      #expect(after == before)
    }
  }

  // MARK: Refusals

  @Test("Statements that do something else than read are refused.")
  func refusals() throws {
    try withTemporaryFolder { folder in
      let program = try QueriedProgram(folder, "refusals")
      let queried = try QueriedStates([("main", program.store)])
      let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
      for sql in [
        "DELETE FROM person", "INSERT INTO person DEFAULT VALUES", "CREATE TABLE t(x)",
        "CREATE TEMP TABLE t(x)", "ATTACH 'x' AS y", "DETACH main", "PRAGMA user_version",
        "VACUUM", "BEGIN", "SELECT 1; SELECT 2", "",
        "SELECT load_extension('x')", "EXPLAIN DELETE FROM person", "SELECT * FROM missing",
        "SELECT :x", "DROP TABLE person", "REINDEX", "ANALYZE", "SAVEPOINT s",
        "CREATE VIRTUAL TABLE v USING travelog_past(0)",
      ] {
        #expect(throws: PastQuery.Refusal.self, "\(sql)") { try query.rows(of: sql) }
      }
      #expect(try rows("SELECT value FROM json_each('[1]')", of: query).1 == ["integer:1"])
    }
  }

  @Test("A statement that takes too long fails.")
  func timeout() throws {
    try withTemporaryFolder { folder in
      let program = try QueriedProgram(folder, "timeout")
      let queried = try QueriedStates([("main", program.store)])
      let query = try PastQuery(
        queried.states.map { ($0.name, $0.state) },
        deadline: .now + .milliseconds(50)
      )
      #expect(throws: PastQuery.Timeout.self) {
        try rows(
          "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c",
          of: query
        )
      }
    }
  }

  @Test("Tables with the names of databases, and quotes and keywords in names, can be read.")
  func names() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let other = try Connection(path: path, mode: .readWriteCreate)
      let tables = ["main", "temp", "old", "a\"b", "select", "x;y", "é"]
      for table in tables {
        try other.execute(
          "CREATE TABLE \(quoted(table)) (\"rowid\" TEXT, \"a b\" INT, \"order\" TEXT)"
            + "; INSERT INTO \(quoted(table)) VALUES ('r', 1, 'o')"
        )
      }
      _ = try Store.adopt(path)
      let before = try dump(path)
      for table in tables { try other.execute("UPDATE \(quoted(table)) SET \"a b\" = 2") }
      _ = try readableStore(path)
      #expect(try dump(of: "\(path)@1") == before)
      let queried = try QueriedStates([("main", path), ("old", "\(path)@1")])
      let query = try PastQuery(queried.states.map { ($0.name, $0.state) })
      #expect(
        try rows("SELECT o.\"a b\", m.\"a b\" FROM old.old o JOIN main.main m", of: query).1
          == ["integer:1|integer:2"]
      )
    }
  }
}
