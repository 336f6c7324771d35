import Format
import SQLite

/// Compares rows with history, and checks history itself.
final class StateCheck {
  let layouts: [EntityLayout]
  let blobs: Blobs
  let passed: () throws -> Void

  let connection: Connection
  private let schema: StoreSchema
  private let rows: HistoryRows
  let known: KnownObjects
  /// The links that are compared as pairs, because they are not in the same place in all schemas.
  let moved: MovedLinks
  /// Whether history contains every object since the store was created.
  private var isComplete = false
  /// The number of objects that have a row, but are not complete in history.
  private(set) var unknown: Int64 = 0
  private var past: [String: PastNames?] = [:]
  private let schemas: [CatalogSchema]
  /// The digests of the tables of an adopted file; nil in a store.
  let tableDigests: DigestCheck?
  /// The tables of an adopted file that continue earlier tables; nil in a store.
  private let pastTables: PastTables?
  private let mode: HistoryMode

  /// `passed` is called after each finding and each row without a difference, when its large values
  /// are no longer needed.
  init(
    _ connection: Connection,
    schema: StoreSchema,
    blobs: Blobs,
    tableDigests: DigestCheck? = nil,
    passed: @escaping () throws -> Void = {}
  ) throws {
    self.passed = passed
    self.tableDigests = tableDigests
    self.connection = connection
    self.schema = schema
    self.blobs = blobs
    let layouts = try schema.layouts()
    self.layouts = layouts
    rows = HistoryRows(connection)
    known = try KnownObjects()
    mode = try Catalog.historyMode(on: connection)
    let schemas = try catalogSchemas(on: connection)
    self.schemas = schemas
    if tableDigests == nil {
      pastTables = nil
      let present = schemas.firstIndex { $0.schema == schema }
      moved = try MovedLinks(present.map { schemas[...$0].map(\.schema) } ?? [])
    } else {
      let present = try Catalog(on: connection).schemaID
      pastTables = try schemas.first { $0.id == present }.map {
        try PastTables(on: connection, to: $0)
      }
      moved = try MovedLinks([])
    }
  }

  // MARK: History

  /// Reads all of history, checks its order and its digests, and keeps its values.
  ///
  /// `beginning` provides the values that were deleted from history.
  func readHistory(
    since beginning: EarlierState?,
    _ body: (CheckFinding) throws -> Void
  ) throws {
    let base = try rows.base()
    isComplete = base.transaction == 0 && tableDigests == nil
    let start = try tableDigests?.start() ?? base.transaction
    if let beginning, !isComplete { try keepState(of: beginning, at: base) }
    var next = base.transaction + 1
    var previous: Digest? = base.digest
    var changes: Int64 = 0
    let transactions = try rows.transactions(after: base.transaction, through: .max)
    while try transactions.step() {
      let transaction = try rows.transaction(at: transactions)
      if transaction.id > next, !transaction.follows(next) {
        try body(.missingTransactions(next...transaction.id - 1))
        try forget()
        previous = nil
      }
      next = transaction.id &+ 1
      if transaction.state == .deleted {
        try forget()
        previous = transaction.digest
        continue
      }
      changes &+= transaction.count
      previous = try read(transaction, after: previous, isKept: transaction.id > start, body)
    }
    let count = try connection.integer("SELECT count(*) FROM \(connection.tables.change)") ?? 0
    // An adopted file can have changes of transactions that are being sealed.
    if count > changes, tableDigests == nil { try body(.strayChanges(count - changes)) }
  }

  /// Keeps the values of the state before the oldest transaction in history.
  private func keepState(of beginning: EarlierState, at base: HistoryPoint) throws {
    guard let digest = schemas.last(where: { $0.schema == beginning.schema })?.digest else {
      return
    }
    let head = try beginning.reader.historyRange().head
    guard tableDigests != nil || head.transaction == base.transaction && head.digest == base.digest
    else {
      throw StoreError(.historyDiverged, at: connection.path) {
        "The rows of the store \(connection.path) can't be compared with the logs. The comparison"
          + " needs the state after transaction \(base.transaction), with which the history of the"
          + " store begins. The logs show the state after transaction \(head.transaction), or"
          + " belong to another history.\nName the log folder to which this store was exported."
      }
    }
    try beginning.reader.snapshot { try keep($0, digest: digest) }
    isComplete = true
  }

  private func forget() throws {
    isComplete = false
    try known.removeAll()
  }

  /// Reads one transaction, and returns its digest, which the digest of the next transaction
  /// covers.
  private func read(
    _ transaction: Transaction,
    after previous: Digest?,
    isKept: Bool,
    _ body: (CheckFinding) throws -> Void
  ) throws -> Digest? {
    var digest = previous.map { TransactionDigest(transaction, after: $0) }
    let statement = try rows.changes(from: transaction.firstChange)
    var count: Int64 = 0
    while count < transaction.count, try statement.step(), statement.int64(at: 9) == transaction.id
    {
      let change = try rows.change(at: statement)
      digest?.take(change)
      for digest in digests(in: change.large) { try known.count(digest, history: 1) }
      if isKept {
        let isMigration = transaction.operation == .migration
        try keep(change, digest: transaction.schema, isMigration: isMigration)
      }
      count += 1
    }
    statement.reset()
    guard count == transaction.count else {
      try body(
        .changeCount(transaction: transaction.id, expected: transaction.count, found: count)
      )
      try forget()
      return transaction.chainDigest
    }
    guard let digest else { return transaction.chainDigest }
    // The digest can't be computed if a line lacks its seed. A digest of nil becomes a finding.
    let made = try? digest.close(TransactionLines(transaction)).transaction
    if made == nil || made != transaction.digest ?? made {
      try body(.digest(transaction: transaction.id))
    }
    return transaction.chainDigest ?? made
  }

  private func names(of digest: String) throws -> PastNames? {
    if let known = past[digest] { return known }
    if let pastTables {
      let schema = schemas.first { $0.digest == digest }
      let names = schema.flatMap { pastTables.places[$0.id] }.map {
        PastNames($0, layouts: layouts)
      }
      past[digest] = .some(names)
      return names
    }
    let present = schemas.firstIndex { $0.schema == schema }
    let first = schemas.firstIndex { $0.digest == digest }
    var result: PastNames?
    if let present, let first, first <= present {
      result = try PastNames(schemas[first...present].map(\.schema))
    }
    past[digest] = .some(result)
    return result
  }

  private func keep(_ change: Change, digest: String, isMigration: Bool = false) throws {
    guard let names = try names(of: digest),
      let number = schemas.firstIndex(where: { $0.digest == digest })
    else { return try forget() }
    let holder = moved.holder(change.entity, schema: number)
    if let holder { try keepMovedLinks(of: holder, change, isMigration: isMigration) }
    guard let successor = names.successor(of: change.entity) else { return }
    let key = RowKey(entity: successor.entity, id: change.id)
    if change.kind == .delete { return try known.set(key, state: .deleted, json: []) }
    let isPlain = change.special.isEmpty && change.large.isEmpty
    if change.kind == .insert, isPlain, holder == nil, successor.added.isEmpty,
      successor.properties.values.allSatisfy(\.isSame)
    {
      return try known.set(key, state: .whole, json: Array(change.after))
    }
    let after = change.valuesByKey(.after)
    let before = change.valuesByKey(.before)
    var object = KnownObject(
      state: change.hasUnknownValues ? .partial : .whole,
      values: [:]
    )
    if change.kind == .update {
      if let found = try known[key], found.state != .deleted {
        object = found
      } else {
        object.state = .partial
      }
    }
    for key in successor.added { object.values[key] = .null }
    for (name, value) in after {
      guard holder?.links[name] == nil else {
        if value.isUnknown { object.state = .partial }
        continue
      }
      guard let property = successor.properties[name] else { continue }
      if value.isUnknown {
        object.values[property.key] = nil
        object.state = .partial
      } else if value.isLinks {
        // If the links before the change are unknown, the list has all links of the object.
        let isWhole = before[name]?.isUnknown == true
        let known = isWhole ? nil : object.values[property.key]?.json
        let old = known ?? Array("[]".utf8)
        object.values[property.key] = merged(
          old,
          gone: PastNames.present(before[name] ?? EncodedValue(json: []), property: property)?.json
            ?? [],
          came: PastNames.present(value, property: property)?.json ?? []
        )
      } else {
        object.values[property.key] = PastNames.present(value, property: property)
      }
    }
    try known.set(key, object: object)
  }

  /// Keeps the links of a change as pairs.
  private func keepMovedLinks(
    of holder: MovedLinks.Holder,
    _ change: Change,
    isMigration: Bool
  ) throws {
    let (before, after) = (change.valuesByKey(.before), change.valuesByKey(.after))
    for (key, links) in holder.links {
      for move in links.moves {
        func set(_ value: EncodedValue?, isLinked: Bool) throws {
          guard let value, value.json.first != UInt8(ascii: "n") else { return }
          for link in value.isLinks ? CanonicalText(value.json).elements : [value.json] {
            try known.set(move, holder: change.object, target: target(link), isLinked: isLinked)
          }
        }
        if links.isList {
          try set(before[key], isLinked: false)
        } else if change.kind == .delete || after[key] != nil {
          try known.removeLinks(move, of: change.object)
        }
        try set(after[key], isLinked: true)
      }
    }
    // If a migration removes an entity, history does not list the links that refer to its objects.
    guard isMigration, change.kind == .delete else { return }
    for move in holder.links.values.flatMap(\.moves) {
      try known.removeLinks(move, of: change.object)
    }
    for move in holder.incoming {
      try known.removeLinks(move, of: change.object, isTarget: true)
    }
  }

  /// The id of the target of a link; zero if the link has no valid id.
  private func target(_ link: [UInt8]) -> Int64 {
    let id = CanonicalText(link).value(of: "id") ?? []
    return Array(id.dropFirst().dropLast()).withUnsafeBytes { parseInteger($0) } ?? 0
  }

  /// Removes some links from a list, and adds other links.
  ///
  /// If the list becomes empty, the function returns nil, because history does not contain empty
  /// lists of links.
  private func merged(_ old: [UInt8], gone: [UInt8], came: [UInt8]) -> EncodedValue? {
    var links: [Int64: [UInt8]] = [:]
    for link in CanonicalText(old).elements { links[target(link)] = link }
    for link in CanonicalText(gone).elements { links[target(link)] = nil }
    for link in CanonicalText(came).elements { links[target(link)] = link }
    guard !links.isEmpty else { return nil }
    let list = Array(links.sorted { $0.key < $1.key }.map(\.value).joined(separator: [0x2c]))
    return EncodedValue(json: [0x5b] + list + [0x5d])
  }

  // MARK: Rows

  func compareRows(
    of kinds: [ChangeKind] = ChangeKind.allCases,
    _ body: (CheckFinding) throws -> Void
  ) throws {
    let objects = try ObjectRows(connection, layouts: layouts)
    for entity in layouts.map(\.index) {
      let comparison = try RowCheck(
        self,
        entity: entity,
        cursor: objects.cursor(of: entity),
        isComplete: isComplete
      )
      try comparison.run(kinds, body)
      if kinds.contains(.update) { unknown += comparison.unknown }
    }
  }

  func keeps(_ column: ColumnIndex, of entity: EntityIndex) -> Bool {
    mode.keeps(layouts[entity].columns[column], of: layouts[entity].entity)
  }
}
