/// One transaction of a history, without its changes.
package struct Transaction: Hashable, Sendable {
  /// How much of a transaction the history contains.
  package enum State: String, Hashable, Sendable {
    case whole
    /// The transaction without its erased values.
    case erased
    /// Only the id and the digest of the transaction.
    case deleted
  }

  /// The position in the order of commits: 1, 2, 3 and so on.
  package var id: Int64
  /// The time of the commit: RFC 3339 in UTC with six digits after the second.
  package var time: String
  package var operation: TransactionOperation
  /// The author that the application set; nil if the application did not set an author.
  package var author: String?
  /// Why the application made the transaction, in its own words; nil if it gave no reason.
  package var reason: String?
  /// The request that the application handled, such as a web request; nil if it gave none.
  package var request: String?
  /// The name of the program; empty if it is not known.
  package var process: String
  /// The id of the process on its host; zero if it is not known.
  package var processID: Int64
  /// The name of the machine; empty if it is not known.
  package var host: String
  /// The program's bundle identifier; nil if the program has none.
  package var bundle: String?
  /// The SHA-256 of the schema with which the transaction was recorded.
  package var schema: String
  package var count: Int64
  /// The seed from which the salts of all lines are derived; nil if there are no lines, or if some lines are hidden.
  package var seed: Seed?
  /// Details of the operation as a canonical JSON object.
  package var details: String?
  package var state = State.whole
  /// The digest of the transaction; nil if this is the last transaction and its digest is not
  /// computed yet.
  package var digest: Digest?
  /// The id of the first change of the transaction in the store's table of changes.
  package var firstChange: Int64 = 0

  package init(
    id: Int64,
    time: String,
    operation: TransactionOperation = .recorded,
    author: String? = nil,
    reason: String? = nil,
    request: String? = nil,
    process: String = "",
    processID: Int64 = 0,
    host: String = "",
    bundle: String? = nil,
    schema: String,
    count: Int64,
    seed: Seed? = nil,
    details: String? = nil,
    digest: Digest? = nil
  ) {
    self.id = id
    self.time = time
    self.operation = operation
    self.author = author
    self.reason = reason
    self.request = request
    self.process = process
    self.processID = processID
    self.host = host
    self.bundle = bundle
    self.schema = schema
    self.count = count
    self.seed = seed
    self.details = details
    self.digest = digest
  }
}

/// One change of a transaction.
///
/// The bytes of a change are valid until the next change is read.
package struct Change {
  package var kind: ChangeKind
  /// The position of the change in the transaction, from 0.
  package var sequence: Int64
  package var entity: UnsafeRawBufferPointer
  /// The id of the object; zero if the object has a ``name``.
  package var object: Int64
  /// The canonical text of the object's name; empty if the object is identified by an integer.
  package var name = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The JSON list of the names of changed properties; empty if changes of this kind have no list.
  package var changed: UnsafeRawBufferPointer
  /// The JSON object of the values before the change; empty for an insertion.
  package var before: UnsafeRawBufferPointer
  /// The JSON object of the values after the change; empty for a deletion.
  package var after: UnsafeRawBufferPointer
  /// The notes on special values as a JSON object; empty if there are none.
  package var special: UnsafeRawBufferPointer
  /// The references to large values as a JSON object; empty if there are none.
  package var large: UnsafeRawBufferPointer
  /// The description of the line's leaf, in the form of ``LineLeaf``; empty if the transaction is
  /// whole.
  package var leaf = UnsafeRawBufferPointer(start: nil, count: 0)

  package var id: ObjectID {
    if name.isEmpty { return ObjectID(object) }
    return RowName(canonical: name).map { ObjectID($0) } ?? ObjectID(object)
  }

  package func isOf(_ id: ObjectID) -> Bool {
    guard let text = id.text else { return name.isEmpty && object == id.integer }
    return name.elementsEqual(text.utf8)
  }

  /// Whether values of the line were hidden or erased after the line was written.
  package var isHidden: Bool {
    if case .hidden = LineLeaf(leaf) { true } else { false }
  }

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

/// How a transaction was made.
package enum TransactionOperation: String, Hashable, Sendable, CaseIterable {
  /// A save of an application, which the store recorded.
  case recorded
  /// A program other than Travelog wrote the changes, and triggers captured them.
  case foreign
  /// The transaction contains the state of the store at the start of its history.
  case snapshot
  /// The transaction was reconstructed from the differences between rows and history.
  case gap
  /// The transaction records that older history was deleted.
  case prune
  /// The transaction has no changes, and proves a snapshot or a gap.
  case mark
  /// The transaction has no changes, and records that values of earlier transactions were erased.
  case erase
  case migration
  case adopt
  /// The transaction records all rows of tables whose changes the triggers may have missed.
  case difference
}

package enum ChangeKind: String, Hashable, Sendable, CaseIterable {
  case insert, update, delete

  /// Calls `body` with the bytes of the name, which have a fixed address.
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

  /// Reads the name of a kind; nil for any other text.
  package init?(name: UnsafeRawBufferPointer) {
    // The raw values have different first letters, so most rows need only one comparison.
    guard let first = name.first,
      let kind = Self.allCases.first(where: { kind in kind.withName { $0.first == first } }),
      kind.withName({ $0.elementsEqual(name) })
    else { return nil }
    self = kind
  }
}
