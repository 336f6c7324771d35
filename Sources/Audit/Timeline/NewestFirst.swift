import Format
import Pipeline

/// Ranges of ids in an order in which the newest transactions are read first.
///
/// A range is read forwards, so its output is kept until the whole range is read. The first range
/// is as short as possible: one transaction, unless the source can read only longer ranges. The
/// next ranges are longer, as long as they contain few changes.
struct NewestFirst {
  /// The number of changes that are read at once; a transaction with more changes is read as a
  /// whole.
  private static let changes: Int64 = 16_384
  private static let longest: Int64 = 256

  private var rest: [ClosedRange<Int64>]
  private let isSplittable: Bool
  private var length: Int64 = 0

  /// Starts at the end of a history, or selects the single transaction `only`.
  init(_ history: History, only: Int64?, object: ObjectID?) throws {
    rest = try only.map { [$0...$0] } ?? history.stretches(changing: object)
    isSplittable = history.outline.isSplittable
  }

  /// Returns the next range.
  ///
  /// `read` is the number of changes that the previous range contained.
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
  /// Returns the ranges of ids that must be read up to the point, in ascending order.
  ///
  /// If the source knows which transactions change the object, only ranges that contain these
  /// transactions are returned.
  func stretches(changing object: ObjectID?) throws -> [ClosedRange<Int64>] {
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
