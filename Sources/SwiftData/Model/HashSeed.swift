/// A value that some objects use for their hash instead of their identity.
///
/// An object uses a seed if its hash was read before a save assigned its identity, because a hash
/// must not change while the object is in a set. Equal objects in several contexts must have equal
/// hashes, so an object that gets the identity later uses the same seed. If no hash was read before
/// the save, there is no seed.
final class HashSeed: Sendable {
  let value: Int64
  private let identifiers = Guarded<[PersistentIdentifier]>([])

  /// The entry is a class, because code compiled by Swift 6.3 reads a weak reference in a struct
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

  /// The seed that objects with this identity use; nil if the objects use no seed.
  static func of(_ identifier: PersistentIdentifier) -> HashSeed? {
    entries.withLock { $0[identifier]?.seed }
  }

  /// Makes this seed the seed of an identity that has no seed yet.
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
