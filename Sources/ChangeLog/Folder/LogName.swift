/// The place of a log in a log folder: the store, the lineage, the day, and the range of
/// transaction ids.
package struct LogName: Hashable, Sendable {
  package var store: String
  package var lineage: Int64
  /// The day in UTC of the first transaction, such as `2026-09-20`.
  package var day: String
  package var range: ClosedRange<Int64>

  /// The ids that a transaction can have.
  ///
  /// The highest id is lower than the maximum of the integer type, because code adds one to an id.
  static let ids: Range<Int64> = 1..<1 << 62

  package init(store: String, lineage: Int64, day: String, range: ClosedRange<Int64>) {
    self.store = store
    self.lineage = lineage
    self.day = day
    self.range = range
  }

  /// The path of the folder of a lineage, relative to the log folder.
  package static func folder(store: String, lineage: Int64) -> String {
    "store=\(store)/lineage=\(lineage)"
  }

  /// The path of the log, relative to the log folder.
  package var path: String {
    "\(Self.folder(store: store, lineage: lineage))/date=\(day)/\(file)"
  }

  /// The file name of the log; the order of file names is the order of the ids.
  package var file: String {
    "\(padded(range.lowerBound))-\(padded(range.upperBound)).ndjson.gz"
  }

  /// Reads the number of a lineage from the name of a folder; nil if the name is of another kind.
  static func lineage(_ text: String) -> Int64? {
    guard let lineage = Int64(text), String(lineage) == text, lineage >= 0,
      lineage < ids.upperBound
    else { return nil }
    return lineage
  }

  /// Reads the range of transaction ids from the name of a file; nil if this is not the name of a
  /// log.
  package static func range(ofFile name: String) -> ClosedRange<Int64>? {
    guard name.hasSuffix(".ndjson.gz") else { return nil }
    let parts = name.dropLast(".ndjson.gz".count).split(
      separator: "-",
      omittingEmptySubsequences: false
    )
    guard parts.count == 2, let first = id(parts[0]), let last = id(parts[1]), first <= last else {
      return nil
    }
    return first...last
  }

  /// Reads a transaction id with leading zeros from a part of a file's name; nil if the part has
  /// another form.
  static func id(_ text: Substring) -> Int64? {
    guard text.utf8.count == 20, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let id = Int64(text), ids.contains(id)
    else { return nil }
    return id
  }
}

/// Writes an id with leading zeros; the order of the texts is the order of the ids.
func padded(_ id: Int64) -> String {
  let digits = String(id)
  return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
}
