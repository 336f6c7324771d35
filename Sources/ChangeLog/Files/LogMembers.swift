import Changes
import Glibc

/// Where a log of several gzip members can be gone into without decompressing what comes before: the
/// file `_<name>.members.ndjson` beside it.
///
/// It is made of the log and never trusted: whoever goes by it looks at what is there, and reads the
/// log from its beginning where that is something else.
enum LogMembers {
  static let format = "travelog-members/1"
  /// Far more than the file of the largest log has.
  private static let largestFile: Int64 = 1 << 24

  /// A line that closes a transaction, after which the log may be read.
  struct Entry: Hashable {
    /// Where the member begins that the line is in.
    var offset: Int64
    /// How many bytes of what the member holds come before the line.
    var begins: Int64
    /// The transaction that it closes.
    var transaction: Int64
  }

  /// The file beside a log; the name begins so that programs for tables pass over it.
  static func path(of log: String) -> String {
    var name = log.split(separator: "/").last.map(String.init) ?? ""
    if name.hasSuffix(".ndjson.gz") { name.removeLast(".ndjson.gz".count) }
    return "\(parentFolder(log))/_\(name).members.ndjson"
  }

  /// Writes the file of a log that is there, or takes one away that is of no use.
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

  /// The last entry before a transaction; nil if there is none, or anything is not as it should
  /// be.
  static func entry(before transaction: Int64, in log: String, size: Int64) -> Entry? {
    var result: Entry?
    let isSound = readEntries(of: log, size: size) { entry in
      guard entry.transaction < transaction else { return }
      if let result, result.transaction >= entry.transaction { return }
      result = entry
    }
    return isSound ? result : nil
  }

  /// Calls with the entries for a log; false if there are none, or anything is not as it should be.
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
      // Whatever is wrong with it, the log itself says all that it does.
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

/// The transactions of a log in stretches that can each be read without what comes before, in ascending
/// order; one where nothing tells of more.
package func stretches(
  ofLog path: String,
  range: ClosedRange<Int64>
) -> [ClosedRange<Int64>] {
  var status = stat()
  var result: [ClosedRange<Int64>] = []
  var first = range.lowerBound
  // What is told wrong costs time alone: a stretch that nothing leads to is read from the beginning.
  let isSound =
    stat(path, &status) == 0
    && LogMembers.readEntries(of: path, size: Int64(status.st_size)) { entry in
      guard entry.transaction >= first, entry.transaction < range.upperBound else { return }
      result.append(first...entry.transaction)
      first = entry.transaction + 1
    }
  return isSound ? result + [first...range.upperBound] : [range]
}

/// Takes a log away, and what lies beside it.
package func removeLog(_ path: String) throws(LogError) {
  // First, so that no file is left whose log is gone.
  for path in [LogMembers.path(of: path), path] {
    guard unlink(path) == 0 || errno == ENOENT && path.hasSuffix(".members.ndjson") else {
      throw diskError("remove", path: path)
    }
  }
}
