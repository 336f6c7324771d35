import Format
import SQLite

/// The number of a table's rows, and one SHA-256 over the names and values of all rows in the
/// table's order.
struct TableDigest: Codable, Hashable {
  let rows: Int64
  let digest: String

  /// Reads all rows of a table, and calls the closure with each row.
  init(_ table: Table, _ body: (RowName, [Value]) throws -> Void = { _, _ in }) throws {
    var hash = SHA256()
    let statement = try table.rows()
    var count: Int64 = 0
    var line: [UInt8] = []
    while try statement.step() {
      let row = try table.row(at: statement)
      line.removeAll(keepingCapacity: true)
      line += row.name.bytes
      for value in row.values {
        line.append(UInt8(ascii: "\t"))
        appendCanonical(value, as: .any, to: &line)
      }
      line.append(UInt8(ascii: "\n"))
      line.withUnsafeBytes { hash.update($0) }
      try body(row.name, row.values)
      count += 1
    }
    rows = count
    digest = hash.finish().description
  }
}
