import Format
import SQLite

/// Reads from history what the rows of some tables were at a point, into temporary tables.
///
/// The changes after the point are read from the oldest to the newest. The first change of a row
/// says whether the row existed, and the first value before a change of a column is the value at the
/// point. What no change has is the present value. If fewer changes are before the point, and history
/// is whole, these changes are read from the newest to the oldest instead.
final class PastRows {
  /// An entity in one of the schemas of the changes, and where its values belong.
  final class Source {
    let name: [UInt8]
    let entity: EntityIndex
    let decoder: ObjectDecoder
    let values: ChangeValues
    /// The table; nil if the point has no such table.
    var table: Int?
    /// For each column of the decoder, its place in the rows of the table.
    var places: [Int?] = []
    /// For each join of the decoder, the table of its links.
    var joins: [Int?] = []
    /// The places of the entity's name and of the object's id, which are columns in a store.
    var namePlace: Int?
    var idPlace: Int?
    /// The table that has the row now, and the place of each of its columns.
    var present: (table: Table, places: [Int?])?

    init(_ layout: EntityLayout, decoder: ObjectDecoder, values: ChangeValues) {
      name = Array(layout.entity.name.utf8)
      entity = layout.index
      self.decoder = decoder
      self.values = values
    }

    var entityName: Value { .text(decoder.layout.entity.name) }
  }

  enum State: Int64 {
    /// The row did not exist.
    case absent
    /// All values of the row are known.
    case whole
    /// Some values of the row are those that the row has now, because no change of them was read yet.
    case partial
  }

  /// The statements that write the changed rows of a table.
  final class Statements {
    let absent: Statement
    var read: Statement?
    var write: Statement?
    var remove: Statement?
    var hide: Statement?
    var rowid: Statement?

    init(absent: Statement) { self.absent = absent }
  }

  let reader: Reader
  let tables: [PastTable]
  let after: Int64?
  let replay: PastReplay?
  let tick: () throws -> Void
  let blobs: Blobs
  var connection: Connection { reader.connection }
  /// The entities of each schema, by its id, by their names.
  var sources: [Int64: [[UInt8]: Source]] = [:]
  /// The schemas of the transactions, each with the first transaction that has it.
  let beginnings: [(schema: Int64, first: Int64)]
  let present: Int64
  var statements: [Statements?]
  var done: Set<Int> = []
  /// The rows of tables whose changes were read by their names.
  var names: [Int: Set<ObjectID>] = [:]
  private(set) var erased: [String: Int64] = [:]
  /// The erased values, each with the transaction that set it; negative for the transaction that
  /// replaced the erased value.
  var erasedValues: [RowKey: [ColumnIndex: Int64]] = [:]
  /// Whether large values of external attributes are digests, as in the rows of the store.
  private var keepsDigests = true
  /// Whether the changes up to the point are read.
  var isForward = false
  var last: (schema: Int64, source: Source)?

  init(
    _ reader: Reader,
    tables: [PastTable],
    target: CatalogSchema,
    after: Int64?,
    replay: PastReplay?,
    tick: @escaping () throws -> Void
  ) throws {
    (self.reader, self.tables, self.after, self.tick) = (reader, tables, after, tick)
    self.replay = replay
    let connection = reader.connection
    statements = Array(repeating: nil, count: tables.count)
    // The large values of logs are not in the folder of a store.
    blobs = Blobs(connection, folder: replay == nil ? reader.blobFolder : nil)
    present = try Catalog(on: connection).schemaID
    beginnings = try connection.all(
      "SELECT schema, min(id) FROM \(connection.tables.transaction) GROUP BY schema ORDER BY 2"
    ) { (schema: $0.int64(at: 0), first: $0.int64(at: 1)) }
    if connection.tables.prefix == nil {
      try addSources()
      if let after { isForward = try isNearerToBeginning(after) }
    } else {
      try addSources(to: target)
    }
  }

  /// Makes rows that a reader can use like those of the store.
  ///
  /// The changes after the point are read even if fewer changes are before it, because only they give
  /// erased values their numbers. The files of replaced values were removed, so rows have the values.
  func prepareForReader() { (isForward, keepsDigests) = (false, false) }

  /// Reads the changed rows of some tables, unless they were read already.
  func read(_ wanted: [Int]) throws {
    let new = wanted.filter { done.insert($0).inserted }
    guard !new.isEmpty else { return }
    let unknown = try unknownValues(of: new)
    guard after != nil || replay != nil || !unknown.isEmpty else { return }
    for index in new { try begin(index) }
    if let after { try readChanges(of: new, point: after) }
    if let replay { try apply(replay) }
    for value in unknown { try forget(value) }
    for index in new {
      let found = try connection.hasRow("SELECT 1 FROM \(tables[index].changed) LIMIT 1")
      tables[index].hasChanges = found || names[index] != nil
      statements[index] = nil
    }
  }

  /// The number of rows of a table that are read by their names before all changed rows are read.
  ///
  /// Finding the changes of one row takes less than a tenth of the time for all rows.
  private static let mostNames = 8

  /// Reads one row of a table, unless it was read already; after several rows, reads all rows of the
  /// wanted tables.
  func read(_ index: Int, name: ObjectID, or wanted: [Int]) throws {
    guard !done.contains(index), names[index]?.contains(name) != true else { return }
    guard let after, try unknownValues(of: [index]).isEmpty,
      names[index].map({ $0.count < Self.mostNames }) ?? true
    else { return try read(wanted) }
    try begin(index)
    try readChanges(of: [index], point: after, name: name)
    statements[index] = nil
    tables[index].hasChanges = true
    names[index, default: []].insert(name)
  }

  /// Creates the temporary table of a table, unless its rows were read by their names before.
  private func begin(_ index: Int) throws {
    if names[index] == nil { try tables[index].create() }
    statements[index] = try prepare(tables[index])
    if isForward || replay != nil { tables[index].present = nil }
  }

  private func readChanges(of wanted: [Int], point: Int64, name: ObjectID? = nil) throws {
    let entities = Set(
      sources.values.flatMap { entities in
        entities.filter { _, source in
          source.table.map(wanted.contains) == true
            || source.joins.contains { $0.map(wanted.contains) == true }
        }.keys.map { String(decoding: $0, as: UTF8.self) }
      }
    )
    guard !entities.isEmpty else { return }
    let object = name.map { $0.text.map(literal) ?? String($0.integer) }
    let condition =
      (object.map { "object = \($0) AND " } ?? "")
      + isOne(of: entities.sorted(), column: "entity")
    let columns =
      "kind, sequence, entity, object, changed, before, after, special, large, transaction_id, leaf"
    let first = try firstChange(after: point)
    if first != nil || isForward {
      let range = isForward ? "id < ?1" : "id >= ?1"
      let changes = try connection.query(
        "SELECT \(columns) FROM \(connection.tables.change) WHERE \(range) AND \(condition)"
          + " ORDER BY id\(isForward ? " DESC" : "")",
        values: [.integer(first ?? .max)]
      )
      while try changes.step() {
        try tick()
        let transaction = changes.int64(at: 9)
        do {
          try read(changes, transaction)
        } catch let error as CanonicalEncodingError {
          throw unreadableTransaction(transaction, error.message, at: connection.path)
        }
      }
    }
    if connection.tables.prefix != nil { try readWaiting(columns, condition) }
  }

  /// Reads the changes that were captured and are not in history yet: they are newer than all
  /// others, and are given from the newest to the oldest.
  private func readWaiting(_ columns: String, _ condition: String) throws {
    let table = "temp.travelog_waiting"
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, \(columns));"
        + " DELETE FROM \(table)"
    )
    let writing = try connection.prepare(
      "INSERT INTO \(table) (\(columns)) VALUES (?1, 0, ?2, ?3, NULL, ?4, ?5, ?6, ?7, 0, NULL)"
    )
    try reader.forEachWaitingChange { change in
      try writing.bind(1, change.kind.rawValue)
      try writing.bind(2, text: change.entity)
      if change.name.isEmpty {
        try writing.bind(3, change.object)
      } else {
        try writing.bind(3, text: change.name)
      }
      for (index, text) in [change.before, change.after, change.special, change.large].enumerated()
      {
        try writing.bind(Int32(index) + 4, text: text)
      }
      try writing.run()
    }
    let changes = try connection.query(
      "SELECT \(columns) FROM \(table) WHERE \(condition) ORDER BY id DESC"
    )
    while try changes.step() { try read(changes, .max) }
  }

  private func schema(of transaction: Int64) -> Int64 {
    beginnings.last { $0.first <= transaction }?.schema ?? present
  }

  func source(_ entity: UnsafeRawBufferPointer, schema: Int64) -> Source? {
    if let last, last.schema == schema, isSame(entity, last.source.name) { return last.source }
    guard let source = sources[schema]?[Array(entity)] else { return nil }
    last = (schema, source)
    return source
  }

  /// Reads one change of a transaction.
  func read(_ row: Statement, _ transaction: Int64) throws {
    guard let source = source(row.bytes(at: 2), schema: schema(of: transaction)) else { return }
    let kind = row.bytes(at: 0).first
    // The change before which, or after which, the row did not exist.
    let isAbsent = kind == UInt8(ascii: isForward ? "d" : "i")
    let hasLinks = source.joins.contains { $0.map { statements[$0] != nil } == true }
    if let index = source.table, let writing = statements[index] {
      if isAbsent {
        try bindObject(writing.absent, to: row)
        try writing.absent.run()
        if connection.changes > 0 { try hide(row, source, writing) }
      } else {
        try readValues(row, source, writing, transaction, isWhole: kind != UInt8(ascii: "u"))
      }
    }
    if hasLinks { try readLinks(row, source) }
  }

  func bindObject(_ statement: Statement, to row: Statement) throws {
    if row.type(at: 3) == .text {
      try statement.bind(1, text: row.bytes(at: 3))
    } else {
      try statement.bind(1, row.int64(at: 3))
    }
  }

  func readValues(
    _ row: Statement,
    _ source: Source,
    _ writing: Statements,
    _ transaction: Int64,
    isWhole: Bool
  ) throws {
    guard let index = source.table, let reading = writing.read else { return }
    let table = tables[index]
    let count = table.columns.count
    try bindObject(reading, to: row)
    defer { reading.reset() }
    let isThere = try reading.step()
    let state = isThere ? State(rawValue: reading.int64(at: 0)) : nil
    guard state == nil || state == .partial else { return }
    let change = try reader.history.change(at: row)
    var members: [ObjectDecoder.Member] = []
    try source.decoder.split(isForward ? change.after : change.before, into: &members)
    let columns = members.prefix { $0.index < source.decoder.columnCount }
    guard isWhole || columns.contains(where: { source.places[$0.index] != nil }) else { return }
    var known = [UInt8](repeating: 0, count: count)
    var values: [Value] = Array(repeating: .null, count: count)
    if isThere {
      for (place, byte) in reading.bytes(at: 1).enumerated() where place < count {
        known[place] = byte
      }
      values = (0..<count).map { reading.value(at: Int32($0) + 2) }
    } else {
      if let place = source.namePlace { values[place] = source.entityName }
      if let place = source.idPlace { values[place] = .integer(row.int64(at: 3)) }
      if !isForward, let (present, places) = source.present {
        let found = try present.find(change.id)
        for (value, place) in zip(found ?? [], places) {
          if let place { values[place] = value }
        }
        if found != nil { try hide(row, source, writing) }
      }
    }
    let side = isForward ? Change.Side.after : .before
    let decoded = try source.values.values(columns, side: side, change: change, of: source.entity)
    for (member, value) in zip(columns, decoded) {
      guard let place = source.places[member.index], known[place] == 0 else { continue }
      known[place] = 1
      values[place] = moved(value ?? .null, source.decoder.layout.columns[member.index])
      guard value == nil else { continue }
      countErased(table, place)
      let key = RowKey(entity: source.present?.table.layout.index ?? source.entity, id: change.id)
      erasedValues[key, default: [:]][ColumnIndex(member.index)] =
        isForward ? transaction : -transaction
    }
    try write(values, isWhole ? .whole : .partial, known: known, row, writing)
  }

  func countErased(_ table: PastTable, _ place: Int) {
    erased["\(table.name).\(table.columns[place].name)", default: 0] += 1
  }

  /// A large value of an external attribute as a row has it: its digest.
  func moved(_ value: Value, _ column: EntityLayout.Column) -> Value {
    guard keepsDigests, column.isExternal, case .blob(let data) = value,
      data.count > Blobs.inlineLimit, reader.blobFolder != nil
    else { return value }
    return .text(data.withUnsafeBytes { SHA256.digest(of: $0) }.description)
  }

  private func readLinks(_ row: Statement, _ source: Source) throws {
    let change = try reader.history.change(at: row)
    // A link that was added did not exist before, and a removed link existed.
    for (text, exists) in [(change.before, !isForward), (change.after, isForward)]
    where !text.isEmpty {
      try forEachLink(in: text, of: change, source) { join, target in
        guard let statement = statements[join]?.absent else { return }
        try statement.bind(1, change.object)
        try statement.bind(2, target)
        try statement.bind(3, exists ? State.whole.rawValue : State.absent.rawValue)
        try statement.run()
      }
    }
  }

  /// Calls the closure with each link in one side of a change, and the table of the link.
  func forEachLink(
    in text: UnsafeRawBufferPointer,
    of change: Change,
    _ source: Source,
    _ body: (_ join: Int, _ target: Int64) throws -> Void
  ) throws {
    var members: [ObjectDecoder.Member] = []
    try source.decoder.split(text, into: &members)
    for member in members where member.index >= source.decoder.columnCount {
      guard let join = source.joins[member.index - source.decoder.columnCount] else { continue }
      for target in try source.decoder.links(member) { try body(join, target) }
    }
  }
}
