import Format
import Foundation
import SQLite
import Store

/// All lines of a store's history in the form of a log.
package func lines(
  of store: Store,
  after first: Int64 = 0,
  through last: Int64 = .max
) throws -> String {
  try store.read { reader in
    let cursor = try reader.history(after: first, through: last)
    var text: [UInt8] = []
    while let transaction = try cursor.nextTransaction() {
      let lines = TransactionLines(transaction)
      while let change = try cursor.nextChange() { lines.append(change, to: &text) }
      let digest = try transaction.digest ?? reader.point(transaction.id).digest
      lines.appendClosing(digest: digest, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// All rows of a store's own tables as SQL literals.
package func rowDump(of store: Store, after point: Int64? = nil) throws -> [String] {
  try store.read(after: point) { reader in
    let names = try reader.connection.prepare(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name NOT LIKE 'history_%' AND name NOT LIKE 'store_%'
        AND name NOT LIKE 'travelog_%' ORDER BY name
      """
    )
    var result: [String] = []
    while try names.step() {
      let name = names.string(at: 0)
      let probe = try reader.connection.prepare("SELECT * FROM \(quoted(name)) LIMIT 0")
      let columns = (0..<probe.columnCount).map { "quote(\(quoted(probe.columnName(at: $0))))" }
      let rows = try reader.connection.prepare(
        "SELECT \(columns.joined(separator: " || '|' || ")) FROM \(quoted(name)) ORDER BY 1"
      )
      while try rows.step() { result.append("\(name): \(rows.string(at: 0))") }
    }
    return result
  }
}

/// All rows of a query as texts with bars between the columns.
package func rows(_ sql: String, in store: Store) throws -> [String] {
  try store.read { reader in
    let statement = try reader.connection.prepare(sql)
    var result: [String] = []
    while try statement.step() {
      let columns = (0..<statement.columnCount).map {
        let index = Int32($0)
        return statement.isNull(at: index) ? "null" : statement.string(at: index)
      }
      result.append(columns.joined(separator: "|"))
    }
    return result
  }
}
