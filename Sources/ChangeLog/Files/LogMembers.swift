import Format
import Glibc

/// The members file `_<name>.members.ndjson` beside a long log, with which readers can start in the
/// middle of the log.
///
/// The members file is computed from the log, and readers do not trust it. A reader checks the
/// position at which it starts. If the position is wrong, the reader reads the log from the
/// beginning.
enum LogMembers {
  static let format = "travelog-members/1"
  /// The maximum size of a members file, far more than the largest log needs.
  private static let largestFile: Int64 = 1 << 24

  /// The closing line of a transaction after which a reader can start.
  struct Entry: Hashable {
    /// The offset in the log of the gzip member that contains the closing line.
    var offset: Int64
    /// The number of decompressed bytes in the gzip member before the closing line.
    var begins: Int64
    var transaction: Int64
  }

  /// The path of the members file of a log; programs that read tables ignore names that begin with
  /// `_`.
  static func path(of log: String) -> String {
    var name = log.split(separator: "/").last.map(String.init) ?? ""
    if name.hasSuffix(".ndjson.gz") { name.removeLast(".ndjson.gz".count) }
    return "\(parentFolder(log))/_\(name).members.ndjson"
  }

  /// Writes the members file of a log, or removes an existing members file if it would not help
  /// readers.
  static func write(_ entries: [Entry], size: Int64, of log: String, temporary: String) throws {
    let path = path(of: log)
    guard !entries.isEmpty else {
      if access(path, F_OK) == 0 { try removeDurably(path) }
      return
    }
    try writeDurably(to: path, temporary: temporary) { write in
      var lines = Array(#"{"kind":"members","format":"\#(format)","size":\#(size)}"#.utf8) + [0x0a]
      for entry in entries {
        lines += Array(
          (#"{"kind":"member","offset":\#(entry.offset),"begins":\#(entry.begins),"#
            + #""txn":\#(entry.transaction)}"# + "\n").utf8
        )
        guard lines.count >= 1 << 16 else { continue }
        try lines.withUnsafeBytes { try write($0) }
        lines.removeAll(keepingCapacity: true)
      }
      try lines.withUnsafeBytes { try write($0) }
    }
  }

  /// The last entry before a transaction; nil if the members file has no such entry or is not
  /// valid.
  static func entry(before transaction: Int64, in log: String, size: Int64) -> Entry? {
    var result: Entry?
    let isSound = readEntries(of: log, size: size) { entry in
      guard entry.transaction < transaction else { return }
      if let result, result.transaction >= entry.transaction { return }
      result = entry
    }
    return isSound ? result : nil
  }

  /// Calls `body` with each entry; returns false if there are no entries, or if the file is not
  /// valid.
  static func readEntries(of log: String, size: Int64, _ body: (Entry) -> Void) -> Bool {
    let path = path(of: log)
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      Int64(status.st_size) <= largestFile
    else { return false }
    var number = 0
    do {
      try readLines(of: path, limit: 1 << 12) { line in
        number += 1
        var text = LineParts(line)
        guard number > 1 else { return try readHeader(&text, size: size) }
        let entry = try readEntry(&text)
        guard (1..<size).contains(entry.offset), entry.begins >= 0 else { throw Refusal.text }
        body(entry)
      }
    } catch {
      // An error in the members file is ignored, because the log itself contains everything.
      return false
    }
    return true
  }

  private static func readHeader(_ text: inout LineParts, size: Int64) throws(Refusal) {
    try text.expect(#"{"kind":"members","format":"travelog-members/1","size":"#)
    guard try text.integer() == size else { throw Refusal.text }
    try text.expect("}")
    guard text.isAtEnd else { throw Refusal.text }
  }

  private static func readEntry(_ text: inout LineParts) throws(Refusal) -> Entry {
    try text.expect(#"{"kind":"member","offset":"#)
    let offset = try text.integer()
    try text.expect(#","begins":"#)
    let begins = try text.integer()
    try text.expect(#","txn":"#)
    let transaction = try text.integer()
    try text.expect("}")
    guard text.isAtEnd else { throw Refusal.text }
    return Entry(offset: offset, begins: begins, transaction: transaction)
  }
}

/// The ranges of a log's transactions that can be read separately, in ascending order; without a
/// members file, one range with all transactions.
package func stretches(
  ofLog path: String,
  range: ClosedRange<Int64>
) -> [ClosedRange<Int64>] {
  var status = stat()
  var result: [ClosedRange<Int64>] = []
  var first = range.lowerBound
  // A wrong entry costs only time, because the log is then read from its beginning.
  let isSound =
    stat(path, &status) == 0
    && LogMembers.readEntries(of: path, size: Int64(status.st_size)) { entry in
      guard entry.transaction >= first, entry.transaction < range.upperBound else { return }
      result.append(first...entry.transaction)
      first = entry.transaction + 1
    }
  return isSound ? result + [first...range.upperBound] : [range]
}

/// Removes a log and its members file.
package func removeLog(_ path: String) throws(LogError) {
  // The members file is removed first, so an interruption never leaves a members file without its
  // log.
  for path in [LogMembers.path(of: path), path] {
    guard unlink(path) == 0 || errno == ENOENT && path.hasSuffix(".members.ndjson") else {
      throw diskError("remove", path: path)
    }
  }
}
