/// The difference between a collection and an array that is assigned to it.
///
/// Most assignments append or remove one object. The arrays are compared in detail only between
/// their common beginning and their common end.
struct CollectionChange {
  private(set) var gone: [Int] = []
  /// The indexes, in the new array, of objects that are not in the old array.
  private(set) var came: [Int] = []
  private(set) var hasRepetitions = false
  private(set) var onlyAppends = false

  /// Compares two arrays; the old array must not contain an object twice.
  init<Element: PersistentModel>(from old: [Element], to new: [Element]) {
    old.withAddresses { old in new.withAddresses { new in compare(old, new) } }
  }

  private mutating func compare(
    _ old: UnsafeBufferPointer<UInt>,
    _ new: UnsafeBufferPointer<UInt>
  ) {
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var oldEnd = old.count
    var newEnd = new.count
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    let leaving = Set(old[start..<oldEnd])
    let coming = Set(new[start..<newEnd])
    gone = (start..<oldEnd).filter { !coming.contains(old[$0]) }
    came = (start..<newEnd).filter { !leaving.contains(new[$0]) }
    hasRepetitions = coming.count < newEnd - start
    onlyAppends = start == old.count
    guard !hasRepetitions, !came.isEmpty else { return }
    if came.count == 1, let only = came.first.map({ new[$0] }) {
      hasRepetitions = old[..<start].contains(only) || old[oldEnd...].contains(only)
    } else {
      hasRepetitions =
        old[..<start].contains(where: coming.contains)
        || old[oldEnd...].contains(where: coming.contains)
    }
  }
}

extension Sequence {
  /// The elements by name; of several elements with the same name, only the first.
  func keyed<Key: Hashable>(by name: (Element) -> Key) -> [Key: Element] {
    Dictionary(map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension Array where Element: PersistentModel {
  fileprivate func withAddresses<Result>(
    _ body: (UnsafeBufferPointer<UInt>) -> Result
  ) -> Result {
    withUnsafeBytes { body($0.assumingMemoryBound(to: UInt.self)) }
  }

  var withoutRepetitions: [Element] {
    var seen: Set<ObjectIdentifier> = []
    return filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
