/// What stands for the identity of an object in its hash, where the object was hashed before it had
/// the identity that it has now.
///
/// A hash must not change while the object is in a set, and objects of several contexts that are
/// equal must have the same. So whoever meets the identity later takes the seed over, for as long
/// as anybody is left who has used it. Objects that were not hashed before have none.
final class HashSeed: Sendable {
  let value: Int64
  private let identifiers = Guarded<[PersistentIdentifier]>([])

  /// A class, because the compiler of Swift 6.3 reads a weak reference of a struct through
  /// `dictionary[key]?` where there is no such key.
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

  /// The seed of an object, if one that is equal to it has one.
  static func of(_ identifier: PersistentIdentifier) -> HashSeed? {
    entries.withLock { $0[identifier]?.seed }
  }

  /// Is from now on that of an identity, which nobody else has met yet.
  func serve(_ identifier: PersistentIdentifier) {
    identifiers.withLock { $0.append(identifier) }
    Self.entries.withLock { $0[identifier] = Entry(self) }
  }

  /// Takes back that it is that of an identity, which was never saved.
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
