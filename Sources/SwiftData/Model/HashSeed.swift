/// A value that an object uses for its hash instead of its identity, if its hash was read before it
/// got its present identity.
///
/// A hash must not change while the object is in a set, and equal objects in several contexts must
/// have equal hashes. So if another object with the same identity already uses a seed, an object
/// that gets the identity later uses the same seed. An object whose hash was not read earlier has
/// no seed, unless an equal object has one.
final class HashSeed: Sendable {
  let value: Int64
  private let identifiers = Guarded<[PersistentIdentifier]>([])

  /// The entry is a class, because code that Swift 6.3 compiles reads a weak reference in a struct
  /// through `dictionary[key]?` even if the key is missing.
  private final class Entry {
    weak var seed: HashSeed?
    let owner: ObjectIdentifier

    init(_ seed: HashSeed) {
      self.seed = seed
      owner = ObjectIdentifier(seed)
    }
  }
  private static let entries = Guarded<[PersistentIdentifier: Entry]>([:])

  init(_ value: Int64) { self.value = value }

  /// The seed that objects with this identity use; nil if they use none.
  static func of(_ identifier: PersistentIdentifier) -> HashSeed? {
    entries.withLock { $0[identifier]?.seed }
  }

  /// Makes this seed the seed of an identity that has none yet.
  func serve(_ identifier: PersistentIdentifier) {
    identifiers.withLock { $0.append(identifier) }
    Self.entries.withLock { $0[identifier] = Entry(self) }
  }

  /// Ends the use of this seed for an identity that was never saved.
  func leave(_ identifier: PersistentIdentifier) {
    identifiers.withLock { $0.removeAll { $0 == identifier } }
    Self.remove([identifier], of: ObjectIdentifier(self))
  }

  private static func remove(_ identifiers: [PersistentIdentifier], of owner: ObjectIdentifier) {
    guard !identifiers.isEmpty else { return }
    entries.withLock { entries in
      for identifier in identifiers where entries[identifier]?.owner == owner {
        entries[identifier] = nil
      }
    }
  }

  deinit { Self.remove(identifiers.withLock { $0 }, of: ObjectIdentifier(self)) }
}
