/// Replaces the identity of an object in its hash if the object was hashed before it got its
/// present identity.
///
/// A hash must not change while the object is in a set, and equal objects of several contexts must
/// have the same hash. So an object that gets the identity later uses the same seed, as long as an
/// earlier user exists. Objects that were not hashed before have no seed.
final class HashSeed: Sendable {
  let value: Int64
  private let identifiers = Guarded<[PersistentIdentifier]>([])

  /// A class, because the compiler of Swift 6.3 reads a weak reference in a struct through
  /// `dictionary[key]?` even if the key is missing.
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

  /// The seed of an object, if an equal object has one.
  static func of(_ identifier: PersistentIdentifier) -> HashSeed? {
    entries.withLock { $0[identifier]?.seed }
  }

  /// Becomes the seed of an identity, which no other object has yet.
  func serve(_ identifier: PersistentIdentifier) {
    identifiers.withLock { $0.append(identifier) }
    Self.entries.withLock { $0[identifier] = Entry(self) }
  }

  /// Stops being the seed of an identity that was never saved.
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
