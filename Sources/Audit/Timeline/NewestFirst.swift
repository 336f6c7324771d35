import Pipeline

/// The ranges of ids that are read one after the other so that the newest transactions come first.
///
/// Each is read forwards and kept until it is read. Of a source that can begin anywhere the first is
/// one transaction, which is there at once, and the others are as long as they have few changes.
struct NewestFirst {
  /// So many changes are read in one go, or one transaction.
  private static let changes: Int64 = 4_096
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
    guard let last = rest.popLast() else { return nil }
    guard isSplittable else { return last }
    length = max(1, read > Self.changes ? length / 4 : min(length * 2, Self.longest))
    guard last.count > length else { return last }
    let first = last.upperBound - length + 1
    rest.append(last.lowerBound...first - 1)
    return first...last.upperBound
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
