import Dispatch
import SQLite

/// The rows of two states that are compared together: the rows of a table, or of an entity and its
/// links.
///
/// The first column of each part must be an id.
struct ComparedRows: Sendable {
  /// Rows of one table in both states.
  struct Part: Sendable {
    let left: Source
    let right: Source
    /// The number of leading columns that form the key; rows are read in the order of the key.
    let keys: Int32
    let columns: Int32
  }

  /// The statements that read the rows of one state.
  struct Source: Sendable {
    /// The quoted name of the table.
    let table: String
    /// The statement for the rows with ids in a range.
    let rows: String
    /// The statement for the lowest id that is at or above a given id.
    let lowest: String

    /// The names of the columns must be quoted, and the columns of the key must be first.
    init(_ table: String, columns: [String], keys: Int, condition: String? = nil) {
      self.table = table
      rows =
        "SELECT \(columns.joined(separator: ", ")) FROM \(table)"
        + " WHERE \(columns[0]) BETWEEN ?1 AND ?2" + (condition.map { " AND \($0)" } ?? "")
        + " ORDER BY \(columns.prefix(keys).joined(separator: ", "))"
      lowest = "SELECT min(\(columns[0])) FROM \(table) WHERE \(columns[0]) >= ?1"
    }
  }

  let parts: [Part]
}

/// Finds the ids whose rows differ in two states.
///
/// Most of the time is spent in SQLite, which reads rows. So two ranges of ids are compared at the
/// same time if both readers have a second connection. Only the differing ids of these two ranges
/// are in memory at a time.
struct DifferenceSearch {
  private let left: Reader
  private let right: Reader
  private let compared: [ComparedRows]
  private let finder: DifferenceFinder
  private let second: SecondFinder?

  init(_ left: Reader, _ right: Reader, compared: [ComparedRows]) {
    (self.left, self.right) = (left, right)
    self.compared = compared
    finder = DifferenceFinder(left, right, compared: compared)
    second = left.companion.flatMap { left in
      right.companion.map { SecondFinder(DifferenceFinder(left, $0, compared: compared)) }
    }
  }

  /// Calls the closure several times, with an index in `compared` and a list of ids whose rows may
  /// differ.
  ///
  /// For each index, the ids are in ascending order.
  ///
  /// A list can be empty, and can contain a few ids whose rows are equal.
  func run(_ body: (Int, [Int64]) throws -> Void) throws {
    var keys: [Statement] = []
    for rows in compared {
      let tables = rows.parts.map(\.left.table)
      guard tables == rows.parts.map(\.right.table),
        let statement = try left.changedKeys(of: tables, until: right)
      else { return try searchAll(body) }
      keys.append(statement)
    }
    for (index, keys) in keys.enumerated() {
      var isAtEnd = false
      while !isAtEnd {
        var ids: [Int64] = []
        while ids.count < Stretch.length, !isAtEnd {
          isAtEnd = try !keys.step()
          if !isAtEnd { ids.append(keys.int64(at: 0)) }
        }
        try body(index, ids)
      }
    }
  }

  private func searchAll(_ body: (Int, [Int64]) throws -> Void) throws {
    var next = Stretch(index: 0, ids: .min ... .min)
    func take() throws -> Stretch? {
      while next.index < compared.count {
        if let start = try finder.lowest(from: next.ids.lowerBound, index: next.index) {
          let end = start > .max - Stretch.length ? .max : start + Stretch.length - 1
          let stretch = Stretch(index: next.index, ids: start...end)
          next =
            end == .max
            ? Stretch(index: next.index + 1, ids: .min ... .min)
            : Stretch(index: next.index, ids: end + 1...end + 1)
          return stretch
        }
        next = Stretch(index: next.index + 1, ids: .min ... .min)
      }
      return nil
    }
    while let one = try take() {
      guard let second, let other = try take() else {
        try body(one.index, finder.ids(in: one))
        continue
      }
      second.begin(other)
      // If an error ends this loop, the second thread must no longer use the connections.
      defer { second.wait() }
      try body(one.index, finder.ids(in: one))
      try body(other.index, second.ids())
    }
  }
}

private struct Stretch {
  static let length: Int64 = 4_096

  let index: Int
  let ids: ClosedRange<Int64>
}

/// Compares ranges of ids with two readers, one for each state.
private final class DifferenceFinder {
  private let left: Reader
  private let right: Reader
  private let compared: [ComparedRows]
  private var merges: (index: Int, parts: [RowMerge])?

  init(_ left: Reader, _ right: Reader, compared: [ComparedRows]) {
    self.left = left
    self.right = right
    self.compared = compared
  }

  /// The lowest id that is at or above a given id; nil if there is no such id.
  func lowest(from id: Int64, index: Int) throws -> Int64? {
    var result: Int64?
    for part in compared[index].parts {
      for (reader, sql) in [(left, part.left.lowest), (right, part.right.lowest)] {
        guard let found = try reader.connection.integer(sql, values: [.integer(id)]) else {
          continue
        }
        result = min(result ?? .max, found)
      }
    }
    return result
  }

  /// The differing ids in a range, in ascending order.
  func ids(in stretch: Stretch) throws -> [Int64] {
    var found: [Int64] = []
    for merge in try merges(stretch.index) {
      try merge.begin(stretch.ids)
      while try merge.next() != nil {
        if found.last != merge.id { found.append(merge.id) }
      }
    }
    return compared[stretch.index].parts.count == 1 ? found : Set(found).sorted()
  }

  private func merges(_ index: Int) throws -> [RowMerge] {
    if let merges, merges.index == index { return merges.parts }
    let parts = try compared[index].parts.map { try RowMerge($0, left: left, right: right) }
    merges = (index, parts)
    return parts
  }
}

/// Compares a range of ids on its own thread, which has exclusive use of the connections between
/// ``begin(_:)`` and ``wait()``.
private final class SecondFinder: @unchecked Sendable {
  // Only code on the queue uses the variables.
  private let finder: DifferenceFinder
  private let queue = DispatchQueue(label: "travelog.differences")
  private var found: Result<[Int64], any Error> = .success([])

  init(_ finder: DifferenceFinder) { self.finder = finder }

  func begin(_ stretch: Stretch) {
    queue.async { self.found = Result { try self.finder.ids(in: stretch) } }
  }

  func wait() { queue.sync {} }

  func ids() throws -> [Int64] { try queue.sync { found }.get() }
}
