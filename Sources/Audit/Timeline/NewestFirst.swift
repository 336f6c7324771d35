import Pipeline

/// The ranges of ids that are read one after the other so that the newest transactions come first.
///
/// Each is read forwards and kept until it is read. The first is one transaction, or the least that can
/// be read without what comes before; the others are longer and longer while they have few changes.
struct NewestFirst {
  /// So many changes are read in one go, or one transaction.
  private static let changes: Int64 = 16_384
  private static let longest: Int64 = 256

  private var rest: [ClosedRange<Int64>]
  private let isSplittable: Bool
  private var length: Int64 = 0

  /// Begins at the end of a history, of which one transaction may be all that is wanted, or what has
  /// to do with one object.
  init(_ history: History, only: Int64?, object: Int64?) throws {
    rest = try only.map { [$0...$0] } ?? history.stretches(changing: object)
    isSplittable = history.outline.isSplittable
  }

  /// The next range, once it is known how many changes were read in the one before.
  mutating func next(after read: Int64) -> ClosedRange<Int64>? {
    guard var range = rest.popLast() else { return nil }
    length = max(1, read > Self.changes ? length / 4 : min(length * 2, Self.longest))
    if isSplittable {
      guard range.count > length else { return range }
      let first = range.upperBound - length + 1
      rest.append(range.lowerBound...first - 1)
      return first...range.upperBound
    }
    var count: Int64 = 1
    while count < length, let before = rest.last, before.upperBound + 1 == range.lowerBound {
      range = before.lowerBound...range.upperBound
      rest.removeLast()
      count += 1
    }
    return range
  }
}

extension History {
  /// The ranges of ids up to the point that have to be read, in ascending order: all of them, unless
  /// it is about one object, and the source knows where that was changed.
  func stretches(changing object: Int64?) throws -> [ClosedRange<Int64>] {
    guard let range, let object,
      let touched = try source.transactions(changing: object)
    else { return stretches }
    var result: [ClosedRange<Int64>] = []
    for id in touched where range.contains(id) {
      if let last = result.last, last.upperBound + 1 == id {
        result[result.count - 1] = last.lowerBound...id
      } else {
        result.append(id...id)
      }
    }
    return result
  }
}
