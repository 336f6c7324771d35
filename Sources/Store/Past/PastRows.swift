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
  private final class Source {
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

  private enum State: Int64 {
    /// The row did not exist.
    case absent
    /// All values of the row are known.
    case whole
    /// Some values of the row are those that the row has now, because no change of them was read yet.
    case partial
  }

  /// The statements that write the changed rows of a table.
  private final class Statements {
    let absent: Statement
    var read: Statement?
    var write: Statement?
    var remove: Statement?
    var hide: Statement?
    var rowid: Statement?

    init(absent: Statement) { self.absent = absent }
  }

  private let reader: Reader
  private let tables: [PastTable]
  private let after: Int64?
  private let replay: PastReplay?
  private let tick: () throws -> Void
  private let blobs: Blobs
  private var connection: Connection { reader.connection }
  /// The entities of each schema, by its id, by their names.
  private var sources: [Int64: [[UInt8]: Source]] = [:]
  /// The schemas of the transactions, each with the first transaction that has it.
  private let beginnings: [(schema: Int64, first: Int64)]
  private let present: Int64
  private var statements: [Statements?]
  private var done: Set<Int> = []
  /// The rows of tables whose changes were read by their keys.
  private var keys: [Int: Set<Int64>] = [:]
  private(set) var erased: [String: Int64] = [:]
  /// Whether the changes up to the point are read.
  private var isForward = false
  private var last: (schema: Int64, source: Source)?

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

  // MARK: Sources

  private func makeSources(
    _ schema: StoreSchema,
    _ complete: (Source, EntityLayout, [JoinTable]) throws -> Void
  ) throws -> [[UInt8]: Source] {
    let layouts = try schema.layouts()
    let joins = joinTables(among: layouts)
    let decoders = ChangeFormat(layouts).decoders
    let (blobs, replay) = (blobs, replay)
    let values = ChangeValues(decoders: decoders, blobs: blobs) {
      try replay?.content($0) ?? blobs.content($0)
    }
    var result: [[UInt8]: Source] = [:]
    for layout in layouts {
      let source = Source(layout, decoder: decoders[layout.index], values: values)
      try complete(source, layout, joins)
      result[source.name] = source
    }
    return result
  }

  /// The entities of a store, whose tables are the same in all schemas after the point.
  private func addSources() throws {
    let places = Dictionary(
      tables.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for schema in try catalogSchemas(on: connection) {
      let layouts = reader.layouts
      sources[schema.id] = try makeSources(schema.schema) { source, layout, joins in
        guard let index = places[layout.entity.table] else { return }
        let table = tables[index]
        source.table = index
        source.places = layout.columns.map { table.column($0.name) }
        source.joins = source.decoder.joins.map { places[joins[$0].name] }
        source.namePlace = table.column("_entity")
        source.idPlace = table.column("id")
        if let now = layouts.first(where: { $0.entity.name == layout.entity.name }) {
          source.present = (
            Table(connection, layout: now, layouts: layouts),
            now.columns.map { table.column($0.name) }
          )
        }
      }
    }
  }

  /// The tables of a program under all schemas, with their columns under the schema of the point.
  private func addSources(to target: CatalogSchema) throws {
    let past = try PastTables(on: connection, to: target)
    let targets = try target.schema.layouts()
    let now = try reader.presentTables(since: target)
    for schema in try catalogSchemas(on: connection) {
      guard let places = past.places[schema.id] else { continue }
      sources[schema.id] = try makeSources(schema.schema) { source, layout, _ in
        guard let place = places[Array(layout.entity.name.utf8)] else { return }
        let table = tables[place.table]
        let columns = targets[place.table].columns
        let slots = Dictionary(
          columns.map { (memberKey($0.logName), table.column($0.name)) },
          uniquingKeysWith: { first, _ in first }
        )
        source.table = place.table
        source.places = layout.columns.map { column in
          let key = memberKey(column.logName)
          return (place.keys.map { $0[key] } ?? key).flatMap { slots[$0] ?? nil }
        }
        if let (present, names) = now[table.name] {
          var places: [Int?] = Array(repeating: nil, count: present.layout.columns.count)
          for column in columns {
            guard let name = names[column.property],
              let index = present.layout.column(of: name)
            else { continue }
            places[index] = table.column(column.name)
          }
          source.present = (present, places)
        }
      }
    }
  }

  /// Whether a store's whole history is there, and has fewer changes before the point than after it.
  private func isNearerToBeginning(_ point: Int64) throws -> Bool {
    let names = connection.tables
    guard try reader.historyRange().base.transaction == 0,
      try !connection.hasRow("SELECT 1 FROM \(names.transaction) WHERE state <> 'whole' LIMIT 1"),
      try !connection.hasRow("SELECT 1 FROM \(names.transaction) WHERE op = 'migration' LIMIT 1"),
      let first = try firstChange(after: point),
      let last = try connection.integer("SELECT max(id) FROM \(names.change)")
    else { return false }
    return first < last / 2
  }

  private func firstChange(after point: Int64) throws -> Int64? {
    try connection.integer(
      "SELECT first_change FROM \(connection.tables.transaction) WHERE id > ?1 ORDER BY id LIMIT 1",
      values: [.integer(point)]
    )
  }

  // MARK: Reading

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
      tables[index].hasChanges = found || keys[index] != nil
      statements[index] = nil
    }
  }

  /// The number of rows of a table that are read by their keys before all changed rows are read.
  ///
  /// Finding the changes of one row takes less than a tenth of the time for all rows.
  private static let mostKeys = 8

  /// Reads one row of a table, unless it was read already; after several rows, reads all rows of the
  /// wanted tables.
  func read(_ index: Int, key: Int64, or wanted: [Int]) throws {
    guard !done.contains(index), keys[index]?.contains(key) != true else { return }
    guard let after, try unknownValues(of: [index]).isEmpty,
      keys[index].map({ $0.count < Self.mostKeys }) ?? true
    else { return try read(wanted) }
    try begin(index)
    try readChanges(of: [index], point: after, key: key)
    statements[index] = nil
    tables[index].hasChanges = true
    keys[index, default: []].insert(key)
  }

  /// Creates the temporary table of a table, unless its rows were read by their keys before.
  private func begin(_ index: Int) throws {
    if keys[index] == nil { try tables[index].create() }
    statements[index] = try prepare(tables[index])
    if isForward || replay != nil { tables[index].present = nil }
  }

  private func readChanges(of wanted: [Int], point: Int64, key: Int64? = nil) throws {
    let names = Set(
      sources.values.flatMap { entities in
        entities.filter { _, source in
          source.table.map(wanted.contains) == true
            || source.joins.contains { $0.map(wanted.contains) == true }
        }.keys.map { String(decoding: $0, as: UTF8.self) }
      }
    )
    guard !names.isEmpty else { return }
    let condition =
      (key.map { "object = \($0) AND " } ?? "") + isOne(of: names.sorted(), column: "entity")
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
          try read(changes, schema: schema(of: transaction))
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
    while try changes.step() { try read(changes, schema: present) }
  }

  private func schema(of transaction: Int64) -> Int64 {
    beginnings.last { $0.first <= transaction }?.schema ?? present
  }

  private func source(_ entity: UnsafeRawBufferPointer, schema: Int64) -> Source? {
    if let last, last.schema == schema, isSame(entity, last.source.name) { return last.source }
    guard let source = sources[schema]?[Array(entity)] else { return nil }
    last = (schema, source)
    return source
  }

  /// Reads one change.
  private func read(_ row: Statement, schema: Int64) throws {
    guard let source = source(row.bytes(at: 2), schema: schema) else { return }
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
        try readValues(row, source, writing, isWhole: kind != UInt8(ascii: "u"))
      }
    }
    if hasLinks { try readLinks(row, source) }
  }

  private func bindObject(_ statement: Statement, to row: Statement) throws {
    if row.type(at: 3) == .text {
      try statement.bind(1, text: row.bytes(at: 3))
    } else {
      try statement.bind(1, row.int64(at: 3))
    }
  }

  private func readValues(
    _ row: Statement,
    _ source: Source,
    _ writing: Statements,
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
      if value == nil { countErased(table, place) }
    }
    try write(values, isWhole ? .whole : .partial, known: known, row, writing)
  }

  private func countErased(_ table: PastTable, _ place: Int) {
    erased["\(table.name).\(table.columns[place].name)", default: 0] += 1
  }

  /// A large value of an external attribute as a row has it: its digest.
  private func moved(_ value: Value, _ column: EntityLayout.Column) -> Value {
    guard column.isExternal, case .blob(let data) = value, data.count > Blobs.inlineLimit,
      reader.blobFolder != nil
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
  private func forEachLink(
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

  // MARK: Writing

  private func prepare(_ table: PastTable) throws -> Statements {
    if case .pair = table.key {
      let result = Statements(
        absent: try connection.prepare(
          "INSERT OR IGNORE INTO \(table.changed) (c0, c1, state) VALUES (?1, ?2, ?3)"
        )
      )
      result.remove = try connection.prepare(
        "DELETE FROM \(table.changed) WHERE c0 = ?1 AND c1 = ?2"
      )
      return result
    }
    let result = Statements(
      absent: try connection.prepare(
        "INSERT OR IGNORE INTO \(table.changed) (object, state) VALUES (?1, 0)"
      )
    )
    let list = table.columns.indices.map { "c\($0)" }.joined(separator: ", ")
    let parameters = table.columns.indices.map { "?\($0 + 4)" }.joined(separator: ", ")
    result.read = try connection.prepare(
      "SELECT state, known, \(list) FROM \(table.changed) WHERE object = ?1"
    )
    result.write = try connection.prepare(
      "INSERT OR REPLACE INTO \(table.changed) (object, state, known, \(list))"
        + " VALUES (?1, ?2, ?3, \(parameters))"
    )
    result.remove = try connection.prepare("DELETE FROM \(table.changed) WHERE object = ?1")
    switch table.key {
    case .name(let alias):
      result.hide = try connection.prepare("INSERT OR IGNORE INTO \(table.hidden) VALUES (?1)")
      if let present = table.present {
        let terms = keyColumns(of: table).enumerated().map { place, name in
          "\(name) = ?\(place + 1) AND \(name) = ?\(place + 1) COLLATE BINARY"
            + " AND typeof(\(name)) = typeof(?\(place + 1))"
        }
        result.rowid = try connection.prepare(
          "SELECT \(alias) FROM main.\(present.table) WHERE \(terms.joined(separator: " AND "))"
        )
      }
    case .columns(let names):
      let parameters = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      result.hide = try connection.prepare(
        "INSERT OR IGNORE INTO \(table.hidden) VALUES (\(parameters))"
      )
    case .number, .pair: break
    }
    return result
  }

  /// The quoted columns of the key in the table that has the rows now.
  private func keyColumns(of table: PastTable) -> [String] {
    let source = sources.values.lazy.flatMap(\.values).first {
      $0.present != nil && $0.table.map { self.tables[$0] === table } == true
    }
    guard let present = source?.present?.table else { return [] }
    return present.key.map { present.layout.columns[$0].quoted }
  }

  /// Hides the row that exists now, if a table finds its rows by names.
  private func hide(_ row: Statement, _ source: Source, _ writing: Statements) throws {
    guard !isForward, let hide = writing.hide else { return }
    let name =
      row.type(at: 3) == .text
      ? RowName(canonical: row.bytes(at: 3)) : RowName(ObjectID(row.int64(at: 3)))
    let identity = name?.identity
    guard let finding = writing.rowid else {
      let values: [Value] =
        switch identity {
        case .integer(let number): [.integer(number)]
        case .key(let values): values
        default: []
        }
      for (index, value) in values.enumerated() { try hide.bind(Int32(index) + 1, value) }
      return try values.isEmpty ? () : hide.run()
    }
    switch identity {
    case .rowid(let number): try hide.bind(1, number)
    case .integer(let number):
      try finding.bind(1, number)
      defer { finding.reset() }
      guard try finding.step() else { return }
      try hide.bind(1, finding.int64(at: 0))
    case .key(let values):
      for (index, value) in values.enumerated() { try finding.bind(Int32(index) + 1, value) }
      defer { finding.reset() }
      guard try finding.step() else { return }
      try hide.bind(1, finding.int64(at: 0))
    case nil: return
    }
    try hide.run()
  }

  private func write(
    _ values: [Value],
    _ state: State,
    known: [UInt8],
    _ row: Statement,
    _ writing: Statements
  ) throws {
    guard let statement = writing.write else { return }
    writing.read?.reset()
    try bindObject(statement, to: row)
    try write(values, state, known: known, statement)
  }

  private func write(
    _ values: [Value],
    _ state: State,
    known: [UInt8],
    _ statement: Statement
  ) throws {
    try statement.bind(2, state.rawValue)
    try known.withUnsafeBytes { try statement.bind(3, blob: $0) }
    for (index, value) in values.enumerated() { try statement.bind(Int32(index) + 4, value) }
    try statement.run()
  }

  // MARK: Replay

  /// Applies changes to the rows, from the oldest to the newest.
  private func apply(_ replay: PastReplay) throws {
    try replay.read { change in
      try tick()
      guard let source = source(change.entity, schema: present) else { return }
      if let index = source.table, let writing = statements[index] {
        try apply(change, source, writing, count: tables[index].columns.count)
      }
      guard source.joins.contains(where: { $0.map { statements[$0] != nil } == true }) else {
        return
      }
      for (text, exists) in [(change.before, false), (change.after, true)] where !text.isEmpty {
        try forEachLink(in: text, of: change, source) { join, target in
          guard let statement = exists ? statements[join]?.absent : statements[join]?.remove else {
            return
          }
          try statement.bind(1, change.object)
          try statement.bind(2, target)
          if exists { try statement.bind(3, State.whole.rawValue) }
          try statement.run()
        }
      }
    }
    for index in statements.indices where statements[index]?.read != nil {
      try countErased(ofReplay: tables[index])
    }
  }

  private func apply(
    _ change: Change,
    _ source: Source,
    _ writing: Statements,
    count: Int
  ) throws {
    guard let reading = writing.read, let removing = writing.remove, let statement = writing.write
    else { return }
    func bindObject(_ statement: Statement) throws {
      if change.name.isEmpty {
        try statement.bind(1, change.object)
      } else {
        try statement.bind(1, text: change.name)
      }
    }
    guard change.kind != .delete else {
      try bindObject(removing)
      return try removing.run()
    }
    var members: [ObjectDecoder.Member] = []
    try source.decoder.split(change.after, into: &members)
    let columns = members.prefix { $0.index < source.decoder.columnCount }
    guard change.kind == .insert || !columns.isEmpty else { return }
    try bindObject(reading)
    defer { reading.reset() }
    var known = [UInt8](repeating: 1, count: count)
    var values: [Value] = Array(repeating: .null, count: count)
    if change.kind == .update, try reading.step() {
      for (place, byte) in reading.bytes(at: 1).enumerated() where place < count {
        known[place] = byte
      }
      values = (0..<count).map { reading.value(at: Int32($0) + 2) }
    }
    if let place = source.namePlace { values[place] = source.entityName }
    if let place = source.idPlace { values[place] = .integer(change.object) }
    let decoded = try source.values.values(columns, side: .after, change: change, of: source.entity)
    for (member, value) in zip(columns, decoded) {
      guard let place = source.places[member.index] else { continue }
      values[place] = moved(value ?? .null, source.decoder.layout.columns[member.index])
      known[place] = value == nil ? Self.erasedMark : 1
    }
    reading.reset()
    try bindObject(statement)
    try write(values, .whole, known: known, statement)
  }

  /// The mark of an erased value among the known values of a row.
  private static let erasedMark: UInt8 = 2

  private func countErased(ofReplay table: PastTable) throws {
    let rows = try connection.query(
      "SELECT known FROM \(table.changed) WHERE instr(known, x'02') > 0"
    )
    while try rows.step() {
      for (place, mark) in rows.bytes(at: 0).enumerated() where mark == Self.erasedMark {
        countErased(table, place)
      }
    }
  }

  // MARK: Unknown values

  /// The erased values for which rows of a replica have placeholders: statements with their entity,
  /// object and property.
  private func unknownValues(of wanted: [Int]) throws -> [(source: Source, id: Value, place: Int)] {
    let table = connection.tables.unknown
    guard
      try connection.hasRow("SELECT 1 FROM sqlite_schema WHERE name = ?1", values: [.text(table)])
    else { return [] }
    let all = try connection.all("SELECT entity, object, property FROM \(table)") {
      (entity: $0.string(at: 0), id: $0.value(at: 1), property: $0.string(at: 2))
    }
    return all.compactMap { entity, id, property in
      guard let source = sources[present]?[Array(entity.utf8)], let index = source.table,
        wanted.contains(index), let (present, places) = source.present,
        let column = present.layout.column(of: property), let place = places[column.number]
      else { return nil }
      return (source, id, place)
    }
  }

  /// Replaces a placeholder by NULL, unless history has the value at the point.
  private func forget(_ value: (source: Source, id: Value, place: Int)) throws {
    guard let index = value.source.table, let writing = statements[index] else { return }
    let object = try connection.query(
      "SELECT NULL, NULL, NULL, ?1",
      values: [value.id]
    )
    guard try object.step(), let reading = writing.read, !isForward else { return }
    try bindObject(reading, to: object)
    defer { reading.reset() }
    let table = tables[index]
    let count = table.columns.count
    var known = [UInt8](repeating: 0, count: count)
    var values: [Value]
    if try reading.step() {
      guard State(rawValue: reading.int64(at: 0)) == .partial else { return }
      for (place, byte) in reading.bytes(at: 1).enumerated() where place < count {
        known[place] = byte
      }
      guard known[value.place] == 0 else { return }
      values = (0..<count).map { reading.value(at: Int32($0) + 2) }
    } else {
      let id: ObjectID
      if case .integer(let number) = value.id {
        id = ObjectID(number)
      } else if case .text(let text) = value.id,
        let name = Array(text.utf8).withUnsafeBytes({ RowName(canonical: $0) })
      {
        id = ObjectID(name)
      } else {
        return
      }
      guard let (present, places) = value.source.present, let row = try present.find(id) else {
        return
      }
      values = Array(repeating: .null, count: count)
      if let place = value.source.namePlace { values[place] = value.source.entityName }
      if let place = value.source.idPlace { values[place] = value.id }
      for (value, place) in zip(row, places) {
        if let place { values[place] = value }
      }
      try hide(object, value.source, writing)
    }
    values[value.place] = .null
    known[value.place] = 1
    countErased(table, value.place)
    try write(values, .partial, known: known, object, writing)
  }
}
