import Audit
import Changes
import Store

/// Writes a script for the `sqlite3` shell that changes the rows of an adopted file into the rows of
/// another file.
///
/// The script is empty if the rows are equal.
///
/// A changed row is deleted and inserted again. All deletions are first. Otherwise an inserted row
/// could conflict with a unique value of a row that is deleted later. Foreign keys are not
/// enforced, because their actions would change other rows. The triggers of the file run.
///
/// - Returns: Whether the files differ.
package func writeAdoptedScript(
  for differences: StoreDifferences,
  to output: ([UInt8]) throws -> Void
) throws -> Bool {
  let insertions = Spool()
  var isSame = true
  try differences.adoptedRows { row in
    if isSame { try output(Array("PRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\n".utf8)) }
    isSame = false
    if row.before != nil {
      let conditions = row.key.map { condition($0) }.joined(separator: " AND ")
      try output(Array("DELETE FROM \(row.table) WHERE \(conditions);\n".utf8))
    }
    guard let values = row.after else { return }
    let statement =
      "INSERT OR ABORT INTO \(row.table) (\(row.columns.joined(separator: ", ")))"
      + " VALUES (\(values.map(scriptLiteral).joined(separator: ", ")));\n"
    try insertions.append(Array(statement.utf8))
  }
  guard !isSame else { return false }
  try insertions.read(0..<insertions.count) { try output($0) }
  for table in differences.schema.fullTextTables.map(quoted) {
    try output(Array("INSERT INTO \(table) (\(table)) VALUES ('rebuild');\n".utf8))
  }
  try output(Array("COMMIT;\n".utf8))
  return true
}

/// The SQL condition that a column has exactly this value: the same type and the same bytes.
private func condition(_ part: (column: String, value: Value)) -> String {
  let (column, value) = (part.column, scriptLiteral(part.value))
  let type =
    switch part.value {
    case .null: "null"
    case .integer: "integer"
    case .real: "real"
    case .text, .brokenText: "text"
    case .blob: "blob"
    }
  return "\(column) = \(value) AND \(column) = \(value) COLLATE BINARY"
    + " AND typeof(\(column)) = '\(type)'"
}
