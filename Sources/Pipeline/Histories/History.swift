import ChangeLog
import Format
import Glibc
import Store

/// A history up to a point.
///
/// Users write a history up to a point as `trips.store@412` or `logs@2026-11-03T08:00Z`.
package struct History {
  package let name: String
  package let source: any HistorySource
  package let outline: HistoryOutline
  /// The last transaction up to the point.
  ///
  /// If no transaction is before the point, the value is the base of the outline.
  package let last: Int64

  /// Opens a store, a log folder, or a log; the text can end with `@` and a point.
  ///
  /// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
  package init(_ text: String, store: String? = nil) throws {
    let (path, point) = try Self.split(text)
    let source = try Self.open(path, store: store)
    try self.init(name: text, source: source, at: point)
  }

  package init(name: String, source: any HistorySource, at point: Point) throws {
    self.name = name
    self.source = source
    outline = try source.outline()
    last = try source.last(upTo: point, outline: outline)
  }

  /// The part of a history after a transaction, up to another one.
  package init(_ whole: History, after base: Int64, through last: Int64) {
    (name, source, self.last) = (whole.name, whole.source, last)
    var outline = whole.outline
    outline.base = base
    outline.stretches = outline.stretches.filter { $0.upperBound > base }
      .map { max($0.lowerBound, base + 1)...$0.upperBound }
    self.outline = outline
  }

  /// The same history for a caller that also verifies it.
  package init(unverified whole: History) {
    (name, source, outline, last) = (whole.name, whole.source.unverified, whole.outline, whole.last)
  }

  /// Whether no transaction follows the point.
  package var isAtHead: Bool { last == outline.head && !outline.hasUnshownChanges }

  /// Throws if the logs are filtered, because the state can't be computed from filtered logs.
  package func checkIsWhole() throws {
    guard !outline.filter.isEmpty else { return }
    throw filteredHistory(outline.filter, of: name, path: outline.path)
  }

  /// Whether the history can be compared with trusted digests while it is read.
  package var hasDigests: Bool { if case .digests = source.proof { true } else { false } }

  /// The ids of the transactions up to the point; nil if no transaction is before the point.
  package var range: ClosedRange<Int64>? {
    last > outline.base ? outline.base + 1...last : nil
  }

  /// The ranges of ids up to the point, in ascending order.
  ///
  /// A history is read fastest if each of these ranges is read in one call.
  package var stretches: [ClosedRange<Int64>] {
    outline.stretches.filter { $0.lowerBound <= last }
      .map { $0.lowerBound...min($0.upperBound, last) }
  }

  /// This history up to the end of the gap that replaces its last transaction; nil if the last
  /// transaction is not inside a gap.
  package func throughGap() throws -> History? {
    guard let stretch = outline.stretches.first(where: { $0.contains(last) }),
      let next = try source.first(in: last...stretch.upperBound), let gap = next.gap,
      gap.first <= last, next.id > last
    else { return nil }
    return try History(name: name, source: source, at: .transaction(next.id))
  }

  /// The path of the store that a text names without a point; nil for any other text.
  ///
  /// With the path of the store, the caller can read rows instead of replaying history.
  package static func storeAtHead(_ text: String) throws -> String? {
    let (path, point) = try split(text)
    guard try kind(of: path) == .store else { return nil }
    if case .head = point { return path }
    return try History(text).isAtHead ? path : nil
  }

  /// Splits a text into path and point.
  ///
  /// If a file has the whole text as its name, the whole text is the path, and the point is the
  /// head.
  private static func split(_ text: String) throws -> (path: String, point: Point) {
    guard access(text, F_OK) != 0, let at = text.lastIndex(of: "@") else { return (text, .head) }
    let path = String(text[..<at])
    let words = String(text[text.index(after: at)...])
    guard let point = Point(words) else {
      throw PipelineError(.misuse) {
        "\(inQuotes(abbreviated(words))) in \(inQuotes(abbreviated(text))) is not a point in a"
          + " history.\n\(hintOfZone(words) ?? "Give \(Point.forms) after the @.")"
      }
    }
    return (path, point)
  }

  private static func open(_ path: String, store: String?) throws -> any HistorySource {
    switch try kind(of: path) {
    case .folder: try openFolder(path, store: store)
    case .log: LogHistory(path: path)
    case .store: try StoreHistory(path: path)
    case nil:
      throw PipelineError(.missing) {
        "There is no file or folder \(path).\nName a store, a folder of logs, or a log."
      }
    }
  }

  enum Kind {
    case folder, log, store
  }

  /// The kind of source at a path; nil if there is no file or folder.
  static func kind(of path: String) throws -> Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard !isForbidden(path) else { throw PipelineError(.missing) { forbidden(path) } }
      return nil
    }
    if status.st_mode & S_IFMT == S_IFDIR { return .folder }
    return try isCompressed(path) ? .log : .store
  }

  /// Opens a log folder, or the folder of one store or one lineage in it.
  private static func openFolder(_ path: String, store: String?) throws -> any HistorySource {
    let place = LogPlace(path)
    guard !place.isPart else {
      throw PipelineError(.missing) {
        "\(path) contains only a part of the logs of a lineage."
          + "\nName a log, or the folder of the lineage."
      }
    }
    let folder = place.folder
    if let store = place.store ?? store {
      return try FolderHistory(folder, store: store, lineage: place.lineage)
    }
    let stores = try folder.stores()
    guard let first = stores.first else { throw noLogs(path) }
    guard stores.count == 1 else {
      let paths = stores.map { "\(folder.path)/store=\($0)" }.joined(separator: ", ")
      throw severalStores(stores, in: folder, hint: "\nName one folder: \(paths).")
    }
    return try FolderHistory(folder, store: first)
  }

  /// Whether a file is a log.
  ///
  /// The file is read through SQLite, because this process may have it open as a store. If the
  /// process closed another descriptor of a store, the locks of SQLite would be released.
  private static func isCompressed(_ path: String) throws -> Bool {
    guard !isForbidden(path) else { throw PipelineError(.missing) { forbidden(path) } }
    return try Store.firstBytes(of: path, count: 2) == [0x1f, 0x8b]
  }
}

extension HistorySource {
  /// The last transaction up to a point.
  ///
  /// If no transaction is before the point, the value is the base of the outline.
  fileprivate func last(upTo point: Point, outline: HistoryOutline) throws -> Int64 {
    switch point {
    case .head: return outline.head
    case .transaction(let id):
      guard id >= outline.base else { throw tooEarly(point, outline: outline) }
      guard id <= outline.head else {
        throw PipelineError(.missing) {
          "The history of \(outline.path) ends at transaction \(outline.head), before transaction"
            + " \(id).\nName a transaction from \(max(outline.base, 1)) to \(outline.head), or head."
        }
      }
      return id
    case .time(let time):
      guard let last = try last(upToTime: time, outline: outline) else {
        throw tooEarly(point, outline: outline)
      }
      return last
    }
  }

  private func tooEarly(_ point: Point, outline: HistoryOutline) -> PipelineError {
    let (base, path) = (outline.base, outline.path)
    let what =
      if case .time(let time) = point { "The time \(time)" } else { "Transaction \(point)" }
    // If the time can't be read, the message does not contain a time.
    let time = try? outline.stretches.first.flatMap { try first(in: $0)?.time }
    let range =
      base < outline.head
      ? "Name a transaction from \(base) to \(outline.head), or a later time."
      : "There is no transaction after transaction \(base) yet."
    // A source that does not show a state is not a store.
    let inLogs =
      base > 0 && (try? state()) == .store
      ? " Only logs can show earlier states: travelog diff LOGS@\(point) \(path)" : ""
    let earlier = outline.otherLineages.last { $0.lineage < outline.lineage }
      .map { " The logs of the previous lineage show earlier states: \($0.path)" }
    return PipelineError(.historyExpired) {
      "\(what) is before the history of \(path), which begins after transaction \(base)"
        + "\(time.map { ", at \($0)" } ?? "").\n\(range)\(inLogs)\(earlier ?? "")"
    }
  }

  fileprivate func first(in ids: ClosedRange<Int64>) throws -> Transaction? {
    var first: Transaction?
    // A gap has the id of its last transaction, so a range that begins with a gap has no
    // transaction with the lowest id.
    for range in [ids.lowerBound...ids.lowerBound, ids] where first == nil {
      try readTransactions(range) { first = first ?? $0 }
    }
    return first
  }

  /// The last transaction before the first one that is later than the given time; nil if the
  /// history begins later.
  private func last(upToTime time: String, outline: HistoryOutline) throws -> Int64? {
    let stretches = outline.stretches
    // The first transaction is compared before the base: if the base is a snapshot, its time can be
    // later.
    guard let first = stretches.first, let begun = try self.first(in: first), begun.time <= time
    else { return outline.baseTime.flatMap { $0 <= time ? outline.base : nil } }
    var low = 0
    var high = stretches.count
    // Find the last range whose first transaction is not after the time. This range contains the
    // result.
    while low < high {
      let middle = (low + high) / 2
      if let first = try self.first(in: stretches[middle]), first.time <= time {
        low = middle + 1
      } else {
        high = middle
      }
    }
    var result = stretches[low - 1].lowerBound
    var isOver = false
    try readTransactions(stretches[low - 1]) { transaction in
      isOver = isOver || transaction.time > time
      if !isOver { result = transaction.id }
    }
    return result
  }

  private func readTransactions(
    _ range: ClosedRange<Int64>,
    _ body: (Transaction) throws -> Void
  ) throws {
    try read(range, wants: { _ in false }, change: { _, _ in }, transaction: body)
  }
}
