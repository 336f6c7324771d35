import ChangeLog
import Changes
import Store

/// The history that one log holds by itself.
package final class LogHistory: HistorySource {
  private let path: String

  /// Names the log.
  package init(path: String) { self.path = path }

  private func open() throws -> LogReader {
    let file = withoutLinks(path)
    return try LogReader(path: file) { try Erasures(near: file, header: $0) }
  }

  /// What is known of the history before its transactions are read.
  package func outline() throws -> HistoryOutline {
    let reader = try openToEnd()
    let header = reader.header
    let last = reader.trailer?.last ?? header.first - 1
    return HistoryOutline(
      path: path,
      store: header.store,
      lineage: header.lineage,
      schema: header.schema,
      schemas: [header.schema],
      base: header.first - 1,
      head: last,
      stretches: last < header.first
        ? [] : ChangeLog.stretches(ofLog: path, range: header.first...last),
      partial: header.partial
    )
  }

  /// The log, read as far as its trailer, which alone tells where it ends.
  private func openToEnd() throws -> LogReader {
    let inside = try open()
    if inside.goInside(before: .max) {
      do {
        while try inside.next() != nil {}
        return inside
      } catch is LogError {
        // Read from its beginning, it says what is wrong and where.
      }
    }
    let reader = try open()
    while try reader.next() != nil {}
    return reader
  }

  /// Reads the log from its first byte to its last, which proves what one log can prove.
  ///
  /// - Throws: ``LogError`` where it is not as it was written.
  package func prove() throws {
    let reader = try open()
    while try reader.next() != nil {}
  }

  /// The one schema that a log is of.
  package func schemas() throws -> [StoreSchema] { [try open().header.schema] }

  /// Reads the transactions of a range with their changes.
  package func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    try readLog(range, open: open, wants: wants, change: change, transaction: transaction)
  }
}

/// Reads the transactions of a range of a log, and what comes after them where the end is wanted,
/// which proves that it is there; returns the reader and the last transaction that was read.
///
/// What comes before is passed over where the file of members beside the log leads there. Whatever
/// turns out to be wrong then, the log is read from its beginning, and goes on with what was not yet
/// given.
@discardableResult
func readLog(
  _ range: ClosedRange<Int64>,
  toEnd: Bool = false,
  open: () throws -> LogReader,
  wants: (Transaction) -> Bool,
  change: (Change, Transaction) throws -> Void,
  transaction: (Transaction) throws -> Void
) throws -> (LogReader, Transaction?) {
  let reader = try open()
  guard reader.goInside(before: range.lowerBound) else {
    let last = try reader.read(
      range,
      toEnd: toEnd,
      wants: wants,
      change: change,
      transaction: transaction
    )
    return (reader, last)
  }
  var given = (changes: 0, transactions: 0)
  var isWithCaller = false
  do {
    let last = try reader.read(range, toEnd: toEnd, wants: wants) {
      given.changes += 1
      isWithCaller = true
      try change($0, $1)
      isWithCaller = false
    } transaction: {
      given.transactions += 1
      isWithCaller = true
      try transaction($0)
      isWithCaller = false
    }
    return (reader, last)
  } catch let error as LogError {
    guard !isWithCaller else { throw error }
  }
  let whole = try open()
  let last = try whole.read(range, toEnd: toEnd, wants: wants) {
    if given.changes > 0 { given.changes -= 1 } else { try change($0, $1) }
  } transaction: {
    if given.transactions > 0 { given.transactions -= 1 } else { try transaction($0) }
  }
  return (whole, last)
}

extension LogReader {
  /// Reads the transactions of a range, and what comes after them where the end is wanted, which
  /// proves that the log is whole; returns the last one that was read.
  @discardableResult
  func read(
    _ range: ClosedRange<Int64>,
    toEnd: Bool,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws -> Transaction? {
    var last: Transaction?
    var isWanted = false
    var opening: Transaction?
    while toEnd || last?.id != range.upperBound {
      let next = try next { one, id, _ in
        guard range.contains(id) else { return }
        if one.sequence == 0 {
          opening = try self.opening()
          isWanted = opening.map(wants) ?? false
        }
        if isWanted, let opening { try change(one, opening) }
      }
      guard let next else { break }
      if range.contains(next.id) { try transaction(next) }
      last = next
    }
    return last
  }
}
