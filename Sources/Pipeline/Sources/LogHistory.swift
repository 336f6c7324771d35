public import ChangeLog
public import Store

/// The history that one log holds by itself.
public final class LogHistory: HistorySource {
  private let path: String

  /// Names the log.
  public init(path: String) { self.path = path }

  private func open() throws -> LogReader {
    let reader = try LogReader(path: path)
    reader.erasures = try Erasures(near: path, reader.header)
    return reader
  }

  /// What is known of the history before its transactions are read.
  public func outline() throws -> HistoryOutline {
    let reader = try open()
    let header = reader.header
    while try reader.next() != nil {}
    let last = reader.trailer?.last ?? header.first - 1
    return HistoryOutline(
      path: path,
      store: header.store,
      lineage: header.lineage,
      schema: header.schema,
      schemas: [header.schema],
      base: header.first - 1,
      head: last,
      stretches: last < header.first ? [] : [header.first...last],
      partial: header.partial
    )
  }

  /// The one schema that a log is of.
  public func schemas() throws -> [StoreSchema] { [try open().header.schema] }

  /// Reads the transactions of a range with their changes.
  public func read(
    _ range: ClosedRange<Int64>,
    wants: (Transaction) -> Bool,
    change: (Change, Transaction) throws -> Void,
    transaction: (Transaction) throws -> Void
  ) throws {
    try open().read(
      range,
      toEnd: false,
      wants: wants,
      change: change,
      transaction: transaction
    )
  }
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
