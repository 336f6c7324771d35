/// What was worked out for the last few keys, for those that ask about the same again and again.
///
/// Each store that is opened and each log that is read begins with a schema, mostly the one that the
/// last began with; to read it and to lay out its tables takes longer than all else in a small log.
package final class Recent<Key: Sendable, Value: Sendable>: @unchecked Sendable {
  /// How many are kept: the schemas of a few stores, with the version before.
  private static var size: Int { 4 }

  private let isSame: @Sendable (Key, Key) -> Bool
  // The lock guards what is kept.
  private let lock = RecursiveLock()
  private var kept: [(key: Key, value: Value)] = []

  /// Keeps nothing yet, and will tell keys apart by a closure.
  package init(isSame: @escaping @Sendable (Key, Key) -> Bool) {
    self.isSame = isSame
  }

  /// What was worked out for a key, or is now; an error is not kept.
  package func value(of key: Key, _ workOut: () throws -> Value) rethrows -> Value {
    if let known = lock.withLock({ known(key) }) { return known }
    let value = try workOut()
    lock.withLock {
      kept.insert((key, value), at: 0)
      kept.removeLast(max(0, kept.count - Self.size))
    }
    return value
  }

  /// What is kept for a key, which is the last now that was asked for.
  private func known(_ key: Key) -> Value? {
    guard let place = kept.firstIndex(where: { isSame($0.key, key) }) else { return nil }
    kept.insert(kept.remove(at: place), at: 0)
    return kept[0].value
  }
}
