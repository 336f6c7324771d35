import Audit
import Format
import FoundationEssentials
import Store

/// Writes a script for the `sqlite3` shell that changes the rows of an adopted file into the rows of
/// another file.
///
/// The script is empty if the rows are equal.
///
/// A changed row is deleted and inserted again. All deletions are first. Otherwise an inserted row
/// could conflict with a unique value of a row that is deleted later. Rows that have a rowid because
/// their key has NULL are inserted before other rows, which get any free rowid. If another row has
/// the rowid, that row gets a new rowid. Foreign keys are not enforced, because their actions would
/// change other rows. The triggers of the file run. At its first error, the script ends and changes
/// nothing.
///
/// - Returns: Whether the files differ.
func writeScript(
  ofTables differences: StoreDifferences,
  to output: ([UInt8]) throws -> Void
) throws -> Bool {
  let numbered = Spool()
  let insertions = Spool()
  let encoding = differences.schema.encoding
  var isSame = true
  try differences.adoptedRows { row in
    if isSame { try output(Array(".bail on\nPRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\n".utf8)) }
    isSame = false
    if row.before != nil {
      let conditions = try row.key.map { try condition($0, encoding) }.joined(separator: " AND ")
      try output(Array("DELETE FROM \(row.table) WHERE \(conditions);\n".utf8))
    }
    guard let values = row.after else { return }
    let statement =
      "INSERT OR ABORT INTO \(row.table) (\(row.columns.joined(separator: ", ")))"
      + " VALUES (\(try values.map { try literal($0, encoding) }.joined(separator: ", ")));\n"
    guard let (column, value) = row.rowid else {
      try insertions.append(Array(statement.utf8))
      return
    }
    let move =
      "UPDATE OR ABORT \(row.table) SET \(column) = (SELECT max(\(column)) + 1 FROM \(row.table))"
      + " WHERE \(column) = \(try literal(value, encoding));\n"
    try numbered.append(Array((move + statement).utf8))
  }
  guard !isSame else { return false }
  try numbered.read(0..<numbered.count) { try output($0) }
  try insertions.read(0..<insertions.count) { try output($0) }
  for table in differences.schema.fullTextTables.map(quoted) {
    try output(Array("INSERT INTO \(table) (\(table)) VALUES ('rebuild');\n".utf8))
  }
  try output(Array("COMMIT;\n".utf8))
  return true
}

/// The SQL condition that a column has exactly this value: the same type and the same bytes.
private func condition(
  _ part: (column: String, value: Value),
  _ encoding: TextEncoding?
) throws -> String {
  let (column, value) = (part.column, try literal(part.value, encoding))
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

/// A value in SQL, for the `sqlite3` shell and a file with texts in an encoding.
///
/// If the file is in UTF-16, SQLite converts the texts of the script, and replaces the two
/// noncharacters U+FFFE and U+FFFF. So a text with one of them is written as bytes.
private func literal(_ value: Value, _ encoding: TextEncoding?) throws -> String {
  guard let encoding else { return scriptLiteral(value) }
  let text: Data
  switch value {
  case .text(let string):
    guard !string.unicodeScalars.allSatisfy(isKept) else { return scriptLiteral(value) }
    text = Data(string.utf8)
  case .brokenText(let data): text = data
  default: return scriptLiteral(value)
  }
  guard let bytes = encoding.storedBytes(of: text) else {
    throw CanonicalEncodingError(message: "a text in UTF-16 can't have the bytes of a text")
  }
  return "CAST(x'\(hexadecimal(bytes))' AS TEXT)"
}

/// Whether a script has the character as itself, and a database in UTF-16 gets it unchanged.
private func isKept(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value >= 0x20 && scalar.value != 0x7f && !(0xfffe...0xffff).contains(scalar.value)
}
