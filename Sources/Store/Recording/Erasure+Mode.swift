import Format
import SQLite

extension Erasure {
  /// The index that finds the changes of an object.
  private static let index = "history_change_object"

  /// Sets the requested mode of a store; nil keeps the present mode.
  static func prepare(_ mode: HistoryMode?, on connection: Connection) throws {
    guard let mode, try Catalog.historyMode(on: connection) != mode else { return }
    try connection.inTransaction {
      try Catalog.set("history_mode", value: .text(mode.rawValue), on: connection)
      // Earlier changes may have left values in free pages, so the pages are cleared later.
      let history =
        "SELECT 1 FROM sqlite_sequence"
        + " WHERE name = '\(connection.tables.transaction)' AND seq > 0"
      if mode == .tombstones, try connection.hasRow(history) {
        try FreeSpace.note(.values, on: connection)
        try HistoryRows.forgetMarkSeeds(on: connection)
      }
      try connection.execute(
        mode == .tombstones
          ? "CREATE INDEX IF NOT EXISTS \(index) ON \(connection.tables.change) (object, entity)"
          : "DROP INDEX IF EXISTS \(index)"
      )
    }
  }
}

extension HistoryMode {
  /// Whether history keeps the values of a column when their object is deleted.
  func keeps(_ column: EntityLayout.Column, of entity: Entity) -> Bool {
    guard self == .tombstones else { return true }
    guard case .attribute(let index) = column.content else { return false }
    return entity.attributes[index].preservesValueOnDeletion
  }
}

extension Catalog {
  /// The history mode of the store: which values history keeps of deleted objects.
  static func historyMode(on connection: Connection) throws -> HistoryMode {
    guard case .text(let name) = try value("history_mode", on: connection) else { return .full }
    return HistoryMode(rawValue: name) ?? .full
  }
}
