import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Stores with extreme names and numbers")
struct HostileNumbersTests {
  private func altered(_ sql: String, _ body: (URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      let store = try Store.open(.file(url), schema: sampleSchema)
      try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("sea")]) }
      try store.write(Author()) { try $0.insert(tag, id: 2, values: [.text("snow")]) }
      let other = try Connection(path: url.path, mode: .readWrite)
      try other.setTriggers(enabled: false)
      try other.execute(sql)
      try body(url)
    }
  }

  @Test(
    "The name of a blob file can't lead out of its folder.",
    arguments: ["../precious.txt", "..", ".", "a/b", "", "../test.store-blobs/../precious.txt"]
  )
  func blobName(_ name: String) throws {
    try altered("INSERT INTO store_blob VALUES ('\(name)', 5, 0, 0, NULL)") { url in
      let precious = url.deletingLastPathComponent().appendingPathComponent("precious.txt")
      try Data("gold".utf8).write(to: precious)
      try FileManager.default.createDirectory(
        atPath: url.path + "-blobs",
        withIntermediateDirectories: true
      )
      // Files that are not referenced are removed when a store is opened for writing.
      let store = try Store.open(.file(url))
      #expect(try rows("SELECT count(*) FROM store_blob", in: store) == ["0"])
      #expect(try Data(contentsOf: precious) == Data("gold".utf8))
      let folder = BlobFolder(besides: url.path)
      #expect(!folder.contains(name))
      #expect(try folder.size(of: name) == nil)
      #expect(try folder.read(name) == nil)
    }
  }

  @Test("A store identifier that is not a UUID is damage, because paths contain it.")
  func identifier() throws {
    try altered("UPDATE store_catalog SET value = '../../evil' WHERE key = 'identifier'") { url in
      let error = #expect(throws: StoreError.self) { try Store.open(.file(url)) }
      #expect(error?.code == .damaged)
    }
  }

  @Test("Changes that were captured at any time are sealed.", arguments: [-1e300, 1e300, 0])
  func time(_ time: Double) throws {
    let sql = """
      UPDATE travelog_context SET clock = 1;
      INSERT INTO travelog_rows_0 SELECT 1, 1, 1 | 8 * (SELECT substr(name, 23)
        FROM sqlite_schema WHERE tbl_name = 'Tag' AND name LIKE 'travelog_after_insert_%'),
        \(time), 1, 99, 'rain'
      """
    try altered(sql) { url in
      let store = try Store.open(.file(url), options: Options(isReadOnly: true))
      _ = try store.read { try $0.historyRange() }
      try Store.open(.file(url)).write(Author()) {
        try $0.insert(tag, id: 3, values: [.text("rain")])
      }
    }
  }

  @Test("A store is read even if any number of its transactions lack their digests.")
  func digests() throws {
    let sql = """
      WITH RECURSIVE n (id) AS (SELECT 3 UNION ALL SELECT id + 1 FROM n WHERE id < 60000)
      INSERT INTO history_transaction (id, time, process, process_id, host, schema, first_change,
          changes, seed, op, state)
        SELECT n.id, time, process, process_id, host, schema, 3, 0, seed, 'recorded', 'whole'
          FROM n, history_transaction t WHERE t.id = 2;
      """
    try altered(sql) { url in
      let store = try Store.open(.file(url), options: Options(isReadOnly: true))
      let head = try store.read { try $0.historyRange().head }
      #expect(head.transaction == 60_000)
      try store.check { Issue.record("\($0)") }
    }
  }

  @Test("Counts of large values that overflow a sum are reported.")
  func counts() throws {
    let digest = String(repeating: "a", count: 64)
    let sql = "INSERT INTO store_blob VALUES ('\(digest)', 5, \(Int64.max), \(Int64.max), NULL)"
    try altered(sql) { url in
      let store = try Store.open(.file(url), options: Options(isReadOnly: true))
      #expect(try findings(store).count == 2)
    }
  }

  @Test(
    "The error for a transaction that can't be read names the value that is wrong.",
    arguments: [
      ("op = 'odd'", "transaction 2 has the unknown op odd"),
      ("state = 'odd'", "transaction 2 has the unknown state odd"),
      ("changes = -1", "the number of changes of transaction 2 is the impossible number -1"),
      (
        "changes = \(Int64(1) << 40)",
        "the number of changes of transaction 2 is the impossible number \(Int64(1) << 40)"
      ),
      (
        "first_change = \(Int64(1) << 62)",
        "the first change of transaction 2 is the impossible number \(Int64(1) << 62)"
      ),
      ("first_change = -7", "the first change of transaction 2 is the impossible number -7"),
      ("id = -5", "the id of a transaction is the impossible number -5"),
      ("id = \(Int64.max)", "the id of a transaction is the impossible number \(Int64.max)"),
    ]
  )
  func wrongValue(_ change: String, _ message: String) throws {
    let sql = "UPDATE history_transaction SET \(change) WHERE id = 2"
    try altered("PRAGMA ignore_check_constraints = ON; \(sql)") { url in
      let error = #expect(throws: StoreError.self) {
        let store = try Store.open(.file(url), options: Options(isReadOnly: true))
        try store.read { reader in
          _ = try reader.historyRange()
          let cursor = try reader.history()
          while try cursor.nextTransaction() != nil {}
        }
      }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
  }

  @Test("An impossible id that no other number contradicts is damage too.")
  func lastID() throws {
    try altered("UPDATE history_transaction SET id = \(Int64.max) WHERE id = 2") { url in
      let store = try Store.open(.file(url), options: Options(isReadOnly: true))
      let error = #expect(throws: StoreError.self) {
        try store.read { reader in
          let history = HistoryRows(reader.connection)
          let rows = try history.transactions(after: 0, through: .max)
          while try rows.step() { _ = try history.transaction(at: rows) }
        }
      }
      let message = "the id of a transaction is the impossible number \(Int64.max)"
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
  }

  @Test("A digest is not computed from the changes of another transaction.")
  func otherChanges() throws {
    let sql = """
      UPDATE history_change SET transaction_id = 1 WHERE transaction_id = 2;
      UPDATE history_transaction SET digest = NULL WHERE id = 2
      """
    try altered(sql) { url in
      let error = #expect(throws: StoreError.self) {
        try Store.open(.file(url)).write(Author()) {
          try $0.insert(tag, id: 3, values: [.text("rain")])
        }
      }
      #expect(error?.code == .damaged)
    }
  }

  @Test("A write to a history with an impossible id names the transaction or the change.")
  func impossibleIDs() throws {
    for (table, name) in [("transaction", "transaction"), ("change", "change")] {
      let sql = "UPDATE history_\(table) SET id = \(Int64.max) WHERE id = 2"
      try altered(sql) { url in
        let error = #expect(throws: StoreError.self) {
          try Store.open(.file(url)).write(Author()) {
            try $0.insert(tag, id: 3, values: [.text("rain")])
          }
        }
        let message = "the id of the last \(name) is the impossible number \(Int64.max)"
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
      }
    }
  }

  @Test("An impossible lineage or base in the catalog is damage, and the error names the number.")
  func impossibleBase() throws {
    for (key, name) in [
      ("lineage", "the lineage"), ("history_base", "the transaction of the base"),
    ] {
      for number in [-1, Int64.min, 1 << 62, .max] {
        let sql = "INSERT OR REPLACE INTO store_catalog (key, value) VALUES ('\(key)', \(number))"
        try altered(sql) { url in
          let error = #expect(throws: StoreError.self) {
            let store = try Store.open(.file(url), options: Options(isReadOnly: true))
            try store.read { _ = try HistoryRows($0.connection).base() }
          }
          #expect(error?.code == .damaged)
          let message = "\(name) is the impossible number \(number)"
          #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
      }
    }
  }

  @Test("SQLite's error about a damaged file becomes an error of the store.")
  func damage() throws {
    try altered("SELECT 1") { url in
      let store = try Store.open(.file(url), options: Options(isReadOnly: true))
      let error = #expect(throws: StoreError.self) {
        try store.read { _ in
          throw SQLiteError(code: SQLiteError.corrupt, message: "x", path: url.path)
        }
      }
      #expect(error?.code == .damaged)
      let missing = #expect(throws: StoreError.self) {
        try store.read { try $0.connection.execute("SELECT * FROM nowhere") }
      }
      #expect(missing?.code == .damaged)
    }
  }

  @Test("An object with any id has placeholders for its erased values.")
  func placeholders() throws {
    let layouts = try sampleSchema.layouts()
    for layout in layouts {
      for column in layout.columns {
        for id in [Int64.min, -1, 0, 1, .max] { _ = column.placeholder(for: id) }
      }
    }
  }

  @Test("A busy timeout of any length is accepted.")
  func timeout() throws {
    try altered("SELECT 1") { url in
      var options = Options()
      options.busyTimeout = .seconds(Int64.max)
      _ = try Store.open(.file(url), options: options)
    }
  }

  @Test("Rows that waited for each other are forgotten after they are written.")
  func parked() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { writer in
        for id in Int64(1)...2 { try writer.insert(tag, id: id, values: [.text("tag \(id)")]) }
        for round in 0..<5 {
          try writer.update([
            RowChange(entity: tag, id: 1, columns: [0], values: [.text("tag \(round % 2 + 1)")]),
            RowChange(entity: tag, id: 2, columns: [0], values: [.text("tag \(2 - round % 2)")]),
          ])
          #expect(writer.parked.order.isEmpty)
        }
      }
    }
  }
}
