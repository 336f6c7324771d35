import Format
import SQLite

/// The number of rows of a table, and the sum of a SHA-256 over the name and the values of each row.
///
/// The sum does not depend on the order of the rows. So each change of a row changes the sum without
/// another row being read. The sum finds accidental changes. It does not prove that nobody chose rows
/// with the same sum.
struct RowsDigest: Hashable {
  private(set) var rows: Int64 = 0
  private(set) var sum = Digest.zero

  init() {}

  mutating func add(_ name: RowName, values: [Value]) {
    rows += 1
    sum = sum &+ Self.digest(name, values: values)
  }

  mutating func remove(_ name: RowName, values: [Value]) {
    rows -= 1
    sum = sum &- Self.digest(name, values: values)
  }

  /// Adds all rows of another digest; a removed row counts as -1.
  mutating func add(_ other: RowsDigest) {
    rows += other.rows
    sum = sum &+ other.sum
  }

  mutating func remove(_ other: RowsDigest) {
    rows -= other.rows
    sum = sum &- other.sum
  }

  /// The SHA-256 of the canonical name of a row and the spellings of its values.
  private static func digest(_ name: RowName, values: [Value]) -> Digest {
    var line = name.bytes
    line.reserveCapacity(line.count + 24 * values.count)
    for value in values {
      line.append(separator)
      appendCanonical(value, as: .any, to: &line)
    }
    return SHA256.digest(of: line)
  }

  /// A spelling has no tab, so two rows have the same bytes only if they are equal.
  private static let separator = UInt8(ascii: "\t")

  // MARK: All rows of a table

  init(of table: Table) throws { self = try Self.digests(of: table).whole }

  /// The digest of all rows, and the digest that the table would have with only its first columns.
  static func digests(
    of table: Table,
    columns count: Int? = nil
  ) throws -> (first: RowsDigest, whole: RowsDigest) {
    let columns = table.layout.columns.indices.filter { table.isWritten(ColumnIndex($0)) }
    let place = count.map { count in columns.count { $0 < count } }
    var (first, whole) = (RowsDigest(), RowsDigest())
    var line: [UInt8] = []
    let rows = try table.rows()
    while try rows.step() {
      line.removeAll(keepingCapacity: true)
      try table.appendName(at: rows, to: &line)
      for (number, column) in columns.enumerated() {
        if number == place { first.add(line) }
        line.append(separator)
        rows.appendCanonical(at: Int32(clamping: column) + 1, to: &line)
      }
      if place == columns.count { first.add(line) }
      whole.add(line)
    }
    return (first, whole)
  }

  private mutating func add(_ line: [UInt8]) {
    rows += 1
    sum = sum &+ SHA256.digest(of: line)
  }
}

extension Statement {
  /// Appends a value as the canonical JSON of type `any`.
  fileprivate func appendCanonical(at index: Int32, to line: inout [UInt8]) {
    switch type(at: index) {
    case .text: withText(at: index) { Format.appendCanonical(textBytes: $0, to: &line) }
    case .null, .integer, .real, .blob:
      Format.appendCanonical(value(at: index), as: .any, to: &line)
    }
  }
}

/// The form in the catalog: the number of rows, a blank, and the sum as 64 hexadecimal digits.
extension RowsDigest: LosslessStringConvertible {
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let rows = Int64(parts[0]),
      let sum = Digest(hexadecimal: String(parts[1]))
    else { return nil }
    self.rows = rows
    self.sum = sum
  }

  var description: String { "\(rows) \(sum)" }
}
