/// One transaction of a history, without its changes.
package struct Transaction: Hashable, Sendable {
  /// What history still has of a transaction.
  package enum State: String, Hashable, Sendable {
    /// All of it.
    case whole
    /// All but the values that were erased and the salt.
    case erased
    /// Nothing but its place and its digest.
    case deleted
  }

  /// The place in the order of commits, without gaps from 1 on.
  package var id: Int64
  /// When it was written: RFC 3339 in UTC with six digits of a second.
  package var time: String
  /// How it came into history.
  package var operation: TransactionOperation
  /// Who made it, as the application said; nil if it said nothing.
  package var author: String?
  /// The name of the program; empty where it is not known.
  package var process: String
  /// The program's number on its host; zero where it is not known.
  package var processID: Int64
  /// The name of the machine; empty where it is not known.
  package var host: String
  /// The program's bundle identifier, where it has one.
  package var bundle: String?
  /// The SHA-256 of the schema that it was written with.
  package var schema: String
  /// The number of its changes.
  package var count: Int64
  /// What keeps an erased value from being guessed; empty where values were erased.
  package var salt: [UInt8]
  /// More that an operation says of itself, as a canonical JSON object.
  package var details: String?
  /// What history still has of it.
  package var state = State.whole
  /// The digest; nil for the last transaction where it was not worth waiting for.
  package var digest: Digest?
  /// The id of its first change in the store.
  package var firstChange: Int64 = 0

  /// Makes a transaction.
  package init(
    id: Int64,
    time: String,
    operation: TransactionOperation = .recorded,
    author: String? = nil,
    process: String = "",
    processID: Int64 = 0,
    host: String = "",
    bundle: String? = nil,
    schema: String,
    count: Int64,
    salt: [UInt8],
    details: String? = nil,
    digest: Digest? = nil
  ) {
    self.id = id
    self.time = time
    self.operation = operation
    self.author = author
    self.process = process
    self.processID = processID
    self.host = host
    self.bundle = bundle
    self.schema = schema
    self.count = count
    self.salt = salt
    self.details = details
    self.digest = digest
  }
}

/// One change of a transaction, whose bytes are there until the next one is asked for.
package struct Change {
  /// What happened to the object.
  package var kind: ChangeKind
  /// The place in the transaction, from 0 on.
  package var sequence: Int64
  /// The name of the object's entity.
  package var entity: UnsafeRawBufferPointer
  /// The object's id.
  package var object: Int64
  /// The JSON list of the names that changed; empty where the kind has none.
  package var changed: UnsafeRawBufferPointer
  /// The JSON object of the values before; empty where the kind has none.
  package var before: UnsafeRawBufferPointer
  /// The JSON object of the values after; empty where the kind has none.
  package var after: UnsafeRawBufferPointer
  /// What these can't show, as a JSON object; empty for nothing.
  package var special: UnsafeRawBufferPointer
  /// The references to what is too large for them, as a JSON object; empty for nothing.
  package var large: UnsafeRawBufferPointer

  /// Makes a change.
  package init(
    kind: ChangeKind,
    sequence: Int64,
    entity: UnsafeRawBufferPointer,
    object: Int64,
    changed: UnsafeRawBufferPointer,
    before: UnsafeRawBufferPointer,
    after: UnsafeRawBufferPointer,
    special: UnsafeRawBufferPointer,
    large: UnsafeRawBufferPointer
  ) {
    self.kind = kind
    self.sequence = sequence
    self.entity = entity
    self.object = object
    self.changed = changed
    self.before = before
    self.after = after
    self.special = special
    self.large = large
  }
}

/// How a transaction came into history.
package enum TransactionOperation: String, Hashable, Sendable, CaseIterable {
  /// The writer recorded it.
  case recorded
  /// A writer that is not ours made it, and triggers caught it.
  case foreign
  /// It is the state of the store when its history began.
  case snapshot
  /// It was made up later from what rows and history differed in.
  case gap
  /// It marks that older history was deleted.
  case prune
  /// The store got another schema.
  case migration
}

/// What happened to an object in a transaction.
package enum ChangeKind: String, Hashable, Sendable, CaseIterable {
  case insert, update, delete

  /// Calls with the name's bytes, which stay where they are for as long as the program runs.
  package func withName<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let name: StaticString =
      switch self {
      case .insert: "insert"
      case .update: "update"
      case .delete: "delete"
      }
    return try body(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// Reads a name; nil for another text.
  package init?(name: UnsafeRawBufferPointer) {
    // The first letters differ, so that most rows cost one comparison.
    guard let first = name.first,
      let kind = Self.allCases.first(where: { kind in kind.withName { $0.first == first } }),
      kind.withName({ $0.elementsEqual(name) })
    else { return nil }
    self = kind
  }
}
