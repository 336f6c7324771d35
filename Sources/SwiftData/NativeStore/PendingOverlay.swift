import Format
import SQLite
import Store
import Synchronization

/// The pending changes of a context, in temporary tables that SQL can read.
///
/// For each table with pending changes there are temporary tables with the changed rows, the saved
/// rows that they replace, and the rows that will be deleted. A view combines the temporary tables
/// with the saved rows. A fetch reads the view instead of the table, so its conditions, joins,
/// order and limits also apply to unsaved changes. Each fetch first writes the changes since the
/// last fetch.
final class PendingOverlay {
  private let store: Store
  private let reader: Reader
  private var number: Int
  let storeIndex: Int
  let map: EntityMap
  var views: Set<String> = []
  var losing: Set<String> = []
  /// Whether batch deletions include rows that the overlay does not list as deleted yet.
  var needsAllRows = false
  private var isUsed = false
  /// Members whose hidden columns are changed, by the row of the owner and the name of the column.
  var members: [Int64: [String: [_ModelState]]] = [:]

  private static let numbers = Atomic<Int>(0)

  init(_ store: Store, storeIndex: Int, map: EntityMap) throws {
    self.store = store
    self.storeIndex = storeIndex
    self.map = map
    reader = try store.takeReader()
    try reader.allowTemporaryTables()
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  var connection: Connection { reader.connection }

  func head() throws -> Reader.Head {
    try reader.readHead()
    return reader.head
  }

  /// Whether all contexts read through the same connection, as in a store in memory.
  var isShared: Bool { reader.isShared }

  func source(_ table: String) -> String {
    views.contains(table) ? "temp." + name("view", of: table) : quoted(table)
  }

  /// The order of a table's rows: saved rows first, then new ones in insertion order.
  func order(of table: String) -> String {
    views.contains(table) ? "t0.\(Self.rank), t0.id" : "t0.id"
  }

  /// The name of a column that the views add.
  ///
  /// The column's name contains a space, so that no attribute can have the same name.
  static let rank = quoted("insertion rank")

  func gone(_ table: String) -> String? {
    losing.contains(table) ? "temp." + name("gone", of: table) : nil
  }

  func name(_ kind: String, of table: String) -> String {
    quoted("\(kind) \(number) \(table)")
  }

  /// Removes all rows, because the changes were saved or discarded.
  func clear() {
    guard isUsed else { return }
    isUsed = false
    needsAllRows = false
    members = [:]
    do {
      for table in views {
        try connection.execute("DELETE FROM temp.\(name("row", of: table))")
        try connection.execute("DELETE FROM temp.\(name("hidden", of: table))")
      }
      for table in losing {
        try connection.execute("DELETE FROM temp.\(name("gone", of: table))")
      }
      losing = []
    } catch {
      // Old rows could not be removed, so the next fetch uses tables with new names.
      number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
      views = []
      losing = []
    }
  }

  func close() {
    // Other contexts will use the reader without these temporary tables. If a table can't be
    // dropped, there is no error later, because its name is never used again.
    for table in views {
      try? connection.execute("DROP VIEW IF EXISTS temp.\(name("view", of: table))")
      try? connection.execute("DROP TABLE IF EXISTS temp.\(name("row", of: table))")
      try? connection.execute("DROP TABLE IF EXISTS temp.\(name("hidden", of: table))")
      try? connection.execute("DROP TABLE IF EXISTS temp.\(name("gone", of: table))")
    }
    store.giveBack(reader)
  }

  func sync(_ states: [_ModelState], pending: PendingChanges) throws {
    isUsed = true
    for state in states { try write(state) }
    let owners = states.filter { $0.phase == .inserting || $0.phase == .stored }
    for state in owners { try writeMembers(of: state, removing: true) }
    for state in owners { try writeMembers(of: state, removing: false) }
    if needsAllRows {
      needsAllRows = false
      for deletion in pending.batchDeleted where deletion.entity.storeIndex == storeIndex {
        for row in deletion.rows { try lose(row, of: deletion.entity.table) }
      }
    }
    if pending.batchDeleted.contains(where: { $0.entity.storeIndex == storeIndex }) {
      try loseWhatFollows(map.schemas[storeIndex])
    }
  }

  func run(_ sql: String, values: [Value] = []) throws {
    try connection.run(sql, values: values)
  }
}
