/// A cache of the results for the last few keys.
///
/// Most stores and logs that a program opens have the same schema. Parsing a schema and computing
/// its layouts takes longer than reading the rest of a small log.
package final class Recent<Key: Sendable, Value: Sendable>: @unchecked Sendable {
  /// The number of results, which is enough for the present and the previous schemas of two stores.
  private static var size: Int { 4 }

  private let isSame: @Sendable (Key, Key) -> Bool
  // The lock protects the entries.
  private let lock = RecursiveLock()
  private var kept: [(key: Key, value: Value)] = []

  /// Creates an empty cache that compares keys with a closure.
  package init(isSame: @escaping @Sendable (Key, Key) -> Bool) {
    self.isSame = isSame
  }

  /// The cached or new result for a key; an error is not cached.
  package func value(of key: Key, _ workOut: () throws -> Value) rethrows -> Value {
    if let known = lock.withLock({ known(key) }) { return known }
    let value = try workOut()
    lock.withLock {
      kept.insert((key, value), at: 0)
      kept.removeLast(max(0, kept.count - Self.size))
    }
    return value
  }

  /// The cached result for a key, which becomes the most recently used one.
  private func known(_ key: Key) -> Value? {
    guard let place = kept.firstIndex(where: { isSame($0.key, key) }) else { return nil }
    kept.insert(kept.remove(at: place), at: 0)
    return kept[0].value
  }
}
