import Adoption
import Format
import SQLite

/// What the captured rows of an adopted file say together: their order, and the ends of their
/// transactions.
///
/// A scan reads a committed state of the file, so the clock at its end is a proven end. It needs no
/// write lock, and it can be made in parts, because captured rows are only added.
final class CapturedScan {
  struct Result {
    /// The clock at the end of the scan.
    let end: Int64
    let order: RowOrder
    let boundaries: Boundaries
  }

  let names: CaptureNames
  let tables: [Table]
  /// The captured rows after this clock are scanned.
  let start: Int64
  let chains: RowChains
  /// The tables with captured changes.
  private var changed: Set<Int> = []
  /// The last captured row that was scanned.
  private var last: EventPlace?
  /// The numbers of the clock between which another connection began to write.
  private var changesOfConnections: [(before: Int64, after: Int64)] = []
  /// The clock of the first captured row; nil if there is none.
  private(set) var first: Int64?
  private let connection: Connection
  private let stream: CapturedStream
  /// SQLite's schema version at the beginning of the scan.
  private let version: Int64
  private let hasNewSchema: Bool
  /// What is left out, also under names that it may have now.
  private let leftOut: [LeftOut]
  /// The tables with the content of full-text tables.
  private let contents: Set<Int>
  private var presentTables: [Int: Table?] = [:]

  init(_ connection: Connection, names: CaptureNames, schema: StoreSchema) throws {
    self.connection = connection
    self.names = names
    let file = try schema.fileSchema
    let layouts = try file.layouts()
    tables = layouts.map { Table(connection, layout: $0, layouts: layouts) }
    let found = Set(file.fullTextTables.map { $0 + "_content" })
    contents = Set(layouts.filter { found.contains($0.entity.name) }.map(\.index.number))
    start = try Capture.sealedClock(on: connection)
    version = try Capture.schemaVersion(on: connection)
    hasNewSchema = try !Capture.isCurrent(on: connection)
    leftOut = try Capture.leftOut(since: file, names: names, on: connection)
    chains = try RowChains()
    stream = try CapturedStream(
      connection,
      names: names,
      tables: tables,
      after: start,
      hasFingerprints: true
    )
  }

  /// Whether the tables of the program are the same as at the beginning of the scan.
  func isCurrent() throws -> Bool { try Capture.schemaVersion(on: connection) == version }

  /// Continues the scan in the open transaction of the caller; nil if the time was over before
  /// everything was read.
  func advance(until deadline: ContinuousClock.Instant? = nil) throws -> Result? {
    defer { stream.close() }
    var count = 0
    while let event = try stream.next() {
      try chains.take(event)
      changed.insert(event.table)
      if let last, last.series >= event.place.series {
        changesOfConnections.append((last.clock, event.place.clock))
      }
      last = event.place
      first = first ?? event.place.clock
      count += 1
      if count % 64 == 0, let deadline, ContinuousClock.now >= deadline { return nil }
    }
    guard try chains.verify(until: deadline, table: presentTable) else { return nil }
    let end = try Capture.clock(names: names, on: connection)
    let captured = CapturedTables(tables, names: names)
    let order = try RowOrder(
      chains,
      stream: { try self.events(through: end, hasFingerprints: true) },
      values: { try captured.values($0, isAfter: $1, of: self.tables[$2]) }
    )
    return Result(
      end: end,
      order: order,
      boundaries: try Boundaries(
        connection,
        names: names,
        after: start,
        through: end,
        changesOfConnections: changesOfConnections
      )
    )
  }

  /// The history into which the changes are written.
  func history(
    of schema: StoreSchema,
    _ result: Result,
    recorder: ChangeRecorder,
    blobs: Blobs
  ) throws -> any RowHistory {
    guard try StoreCapture.of(schema) != nil else {
      return try TableHistory(tables, recorder: recorder, blobs: blobs, on: connection)
    }
    let states = CapturedStates(
      tables,
      changed: changed,
      chains: chains,
      order: result.order,
      names: names,
      events: { try self.events(through: result.end) }
    )
    return try ObjectHistory(schema, states: states, recorder: recorder, blobs: blobs)
  }

  func events(through end: Int64, hasFingerprints: Bool = false) throws -> CapturedStream {
    try CapturedStream(
      connection,
      names: names,
      tables: tables,
      after: start,
      through: end,
      hasFingerprints: hasFingerprints
    )
  }

  /// Whether the same statement of the program made two captured changes, of which one was captured
  /// directly after the other.
  func areInOneStatement(_ event: CapturedEvent, _ next: CapturedEvent) -> Bool {
    if event.place.isInStatement(of: next.place) { return true }
    // FTS5 writes a changed row with two statements of its own.
    return contents.contains(next.table) && event.table == next.table && event.kind == .delete
      && next.kind == .insert && event.before?.name == next.after?.name
      && next.place.clock == event.place.clock &+ 1
      && next.place.series == event.place.series &+ 3
  }

  /// A table as it is in the file, without added columns; nil if its rows can't be compared with
  /// captured rows, because the program dropped it.
  func presentTable(_ table: Int) throws -> Table? {
    guard hasNewSchema else { return tables[table] }
    if let known = presentTables[table] { return known }
    let found = try findPresentTable(table)
    presentTables[table] = .some(found)
    return found
  }

  private func findPresentTable(_ table: Int) throws -> Table? {
    let name = try connection.first(
      """
      SELECT tbl_name FROM sqlite_schema
      WHERE type = 'trigger' AND name = '\(names.prefix)after_insert_\(table)'
      """
    ) { $0.string(at: 0) }
    guard let name else { return nil }
    return try Table(
      connection,
      named: name,
      of: ProgramSchema(connection, names: names, leavingOut: leftOut, version: "").schema,
      columns: tables[table].layout.columns.count
    )
  }
}
