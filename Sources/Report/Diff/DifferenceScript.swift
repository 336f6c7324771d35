import Audit
import Format
import FoundationEssentials
import Store

/// Writes a script for the `sqlite3` shell that changes the first store's rows into the second
/// store's rows.
///
/// The script is empty if the rows are equal.
///
/// Deletions are first, so that unique values are free for other objects. A row whose unique values
/// change is deleted and inserted again. The store's triggers record the changes as foreign
/// changes. The stores are read once: changes of rows wait until all deletions are written. At its
/// first error, the script ends and changes nothing.
///
/// - Returns: Whether the stores differ.
package func writeScript(
  for differences: StoreDifferences,
  to output: ([UInt8]) throws -> Void
) throws -> Bool {
  guard differences.schema.words == .entities else {
    return try writeScript(ofTables: differences, to: output)
  }
  let uniques = try uniqueColumns(differences.schema)
  let additions = Spool()
  var isSame = true
  try differences.rows { table, change in
    if isSame {
      try output(Array(".bail on\nBEGIN IMMEDIATE;\nPRAGMA defer_foreign_keys = ON;\n".utf8))
    }
    isSame = false
    let isReplaced = hasChanged(change, table: table, among: uniques[table.name] ?? [])
    if let before = change.before, change.after == nil || isReplaced {
      try output(
        Array("DELETE FROM \(quoted(table.name)) WHERE \(key(table, row: before));\n".utf8)
      )
    }
    guard let after = change.after else { return }
    let statement =
      change.before.flatMap { isReplaced ? nil : update(table, from: $0, to: after) }
      ?? insertion(table, row: after)
    try additions.append(Array(statement.utf8))
  }
  guard !isSame else { return false }
  try additions.read(0..<additions.count) { try output($0) }
  try output(Array("COMMIT;\n".utf8))
  return true
}

/// Whether a row that is in both stores has different values in some of the columns.
private func hasChanged(
  _ change: RowPair,
  table: TableDefinition,
  among columns: Set<String>
) -> Bool {
  guard let before = change.before, let after = change.after else { return false }
  return table.columns.indices.contains {
    !before[$0].isSame(as: after[$0]) && columns.contains(table.columns[$0])
  }
}

private func insertion(_ table: TableDefinition, row: [Value]) -> String {
  "INSERT INTO \(quoted(table.name)) (\(table.columns.map(quoted).joined(separator: ", ")))"
    + " VALUES (\(row.map(scriptLiteral).joined(separator: ", ")));\n"
}

private func update(_ table: TableDefinition, from before: [Value], to after: [Value]) -> String {
  let changed = table.columns.indices.filter { !before[$0].isSame(as: after[$0]) }
  let list = changed.map { "\(quoted(table.columns[$0])) = \(scriptLiteral(after[$0]))" }
  return "UPDATE \(quoted(table.name)) SET \(list.joined(separator: ", "))"
    + " WHERE \(key(table, row: after));\n"
}

/// The columns in unique indexes of each table, and the column with the entity's name.
private func uniqueColumns(_ schema: StoreSchema) throws -> [String: Set<String>] {
  var result: [String: Set<String>] = [:]
  for layout in try schema.layouts() {
    for property in layout.entity.uniques.joined() {
      guard let column = layout.column(of: property) else { continue }
      result[layout.entity.table, default: ["_entity"]].insert(layout.columns[column].name)
    }
  }
  return result
}

/// The condition in SQL that selects a row.
private func key(_ table: TableDefinition, row: [Value]) -> String {
  (0..<table.keys).map { "\(quoted(table.columns[$0])) = \(scriptLiteral(row[$0]))" }
    .joined(separator: " AND ")
}

/// Writes a value in SQL so that the `sqlite3` shell reads the same value.
func scriptLiteral(_ value: Value) -> String {
  switch value {
  case .null: "NULL"
  case .integer(.min): "(-9223372036854775807 - 1)"
  case .integer(let number): String(number)
  case .real(let number): scriptLiteral(number)
  case .blob(let data): "x'\(hexadecimal(data))'"
  case .text(let text): scriptLiteral(text: text)
  case .brokenText(let data): "CAST(x'\(hexadecimal(data))' AS TEXT)"
  }
}

/// A number in SQL that the `sqlite3` shell reads exactly.
///
/// The shell does not read decimal numbers of more than fifteen digits exactly.
private func scriptLiteral(_ number: Double) -> String {
  switch number {
  case .infinity: return "9e999"
  case -.infinity: return "-9e999"
  default: break
  }
  let text = "\(number)"
  let digits = text.utf8.count { (0x30...0x39).contains($0) }
  let isPlain = !text.contains("e") && digits <= 15 && !(number == 0 && number.sign == .minus)
  if isPlain { return text }
  let bytes = withUnsafeBytes(of: number.bitPattern.bigEndian) { Data($0) }
  return "ieee754_from_blob(x'\(hexadecimal(bytes))')"
}

/// A text in SQL; a text with control characters is written as bytes.
///
/// The `sqlite3` shell ends a statement at a NUL, and some terminals interpret other control
/// characters.
private func scriptLiteral(text: String) -> String {
  let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
  return isPlain ? literal(text) : "CAST(x'\(hexadecimal(Data(text.utf8)))' AS TEXT)"
}

func hexadecimal(_ data: Data) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(data.count * 2)
  for byte in data {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}
