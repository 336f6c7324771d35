import Adoption
import Format
import Pages
import SQLite

/// The states of a database, one of which SQLite reads at a time.
final class DatabaseStates {
  /// A state with the root pages of its tables.
  struct State {
    let view: DatabaseView
    let roots: [String: UInt32]
  }

  private let snapshot: DatabaseSnapshot
  private let names: CaptureNames
  private let file: StateFile
  private var state: State
  /// The connection that reads the present state.
  let database: Connection

  /// Shows the state after a number of commits.
  init(_ snapshot: DatabaseSnapshot, at commit: Int, names: CaptureNames) throws {
    self.snapshot = snapshot
    self.names = names
    let view = try DatabaseView(snapshot.main, log: snapshot.log, commit: commit)
    state = State(view: view, roots: try Self.roots(view))
    file = StateFile(view)
    database = try Connection(reading: file, path: snapshot.files.path)
    try database.useTables(prefix: names.prefix)
    try database.execute("PRAGMA temp_store = MEMORY; BEGIN")
  }

  var files: DatabaseFiles { snapshot.files }
  var view: DatabaseView { state.view }
  var roots: [String: UInt32] { state.roots }

  /// Why SQLite could not read a page; nil if it read all pages.
  var error: PageError? { file.error }

  private static func roots(_ view: DatabaseView) throws(PageError) -> [String: UInt32] {
    var roots: [String: UInt32] = [:]
    try view.forEachSchemaEntry { if $0.type == "table", $0.root > 0 { roots[$0.name] = $0.root } }
    return roots
  }

  /// The state after a number of commits, which is not shown yet.
  func state(at commit: Int) throws(PageError) -> State {
    let view = try DatabaseView(snapshot.main, log: snapshot.log, commit: commit)
    let isSame = view.header?.schemaCookie == state.view.header?.schemaCookie
    return State(view: view, roots: isSame ? state.roots : try Self.roots(view))
  }

  func show(_ state: State) throws {
    try database.execute("COMMIT")
    file.show(state.view)
    self.state = state
    try database.execute("BEGIN")
  }

  /// The schema of the present state, which continues the schema of a catalog.
  func programSchema(since catalog: Catalog) throws -> ProgramSchema {
    try ProgramSchema(
      database,
      names: names,
      leavingOut: catalog.schema.leftOut ?? [],
      version: "\((Int64(catalog.schema.version) ?? 0) + 1)"
    )
  }

  /// Whether the program changed a number that it keeps in the header of its file.
  func hasNewHeader(since schema: StoreSchema) -> Bool {
    guard let header = view.header else { return false }
    return header.userVersion != UInt32(bitPattern: schema.userVersion ?? 0)
      || header.applicationID != UInt32(bitPattern: schema.applicationID ?? 0)
  }
}
