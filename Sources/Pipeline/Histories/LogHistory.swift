import ChangeLog
import Format

package final class LogHistory: HistorySource {
  private let path: String
  private let isVerifying: Bool

  package convenience init(path: String) { self.init(path: path, isVerifying: true) }

  private init(path: String, isVerifying: Bool) {
    self.path = path
    self.isVerifying = isVerifying
  }

  package var unverified: any HistorySource { LogHistory(path: path, isVerifying: false) }

  package var proof: HistoryProof { .log(verify: verify) }
  package func state() -> HistoryState { .log }

  package func files() -> [HistoryFile] { [HistoryFile(path: path, isDigestible: true)] }

  private func open() throws -> LogReader {
    let file = withoutLinks(path)
    return try LogReader(path: file) { try Erasures(near: file, header: $0) }
  }

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
      filter: header.partial
    )
  }

  /// Reads the log up to its trailer, which names the last transaction of the log.
  private func openToEnd() throws -> LogReader {
    let inside = try open()
    if inside.goInside(before: .max) {
      do {
        while try inside.next() != nil {}
        return inside
      } catch is LogError {
        // The log is read again from its beginning, and the second reading reports the error with
        // its line.
      }
    }
    let reader = try open()
    while try reader.next() != nil {}
    return reader
  }

  /// Reads the whole log, and verifies everything except what depends on other logs.
  ///
  /// - Throws: ``LogError`` if the log was altered.
  private func verify() throws {
    let reader = try open()
    while try reader.next() != nil {}
  }

  package func schemas() throws -> [StoreSchema] { [try open().header.schema] }

  package func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    try readLog(
      range,
      open: {
        let reader = try open()
        reader.isVerifying = isVerifying
        return reader
      },
      wants: wants,
      change: change,
      transaction: transaction
    )
  }
}

/// Reads the transactions in a range, and returns the reader and the last transaction that it read.
///
/// If the end is wanted, the rest of the log is also read, which verifies the end. If a members
/// file exists, the transactions before the range are skipped. If reading with the members file
/// fails, the log is read again from the beginning, and the closures are called only for
/// transactions that they have not received yet.
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
  /// Reads the transactions in a range, and returns the last transaction that it read.
  ///
  /// If the end is wanted, the rest of the log is also read, which verifies that the log is
  /// complete.
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
    while toEnd || last.map({ $0.id < range.upperBound }) ?? true {
      let next = try next { one, id, _ in
        guard range.contains(id) else { return }
        if opening?.id != id {
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
