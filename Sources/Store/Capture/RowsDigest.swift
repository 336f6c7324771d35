import Format

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
      // A spelling has no tab, so two rows have the same bytes only if they are equal.
      line.append(UInt8(ascii: "\t"))
      appendCanonical(value, as: .any, to: &line)
    }
    return SHA256.digest(of: line)
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
