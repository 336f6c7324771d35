import AppleStores
import Format
import FoundationEssentials
import Pages
import SQLite

/// A store that Core Data or SwiftData wrote, in one of the states of a snapshot.
final class AppleDatabase {
  /// A state with the root pages of its tables.
  struct State {
    let view: DatabaseView
    let roots: [String: UInt32]
  }

  let snapshot: DatabaseSnapshot
  let store: AppleStore
  let mapping: AppleSchema
  /// The mapping's schema, whose history has no values.
  let schema: StoreSchema
  /// The folder of large values beside the original file.
  let external: ExternalFolder
  private let file: StateFile
  private(set) var state: State

  /// Opens the last state; its model is also that of the earlier ones.
  ///
  /// If the model can't be read, it is guessed, unless the caller is strict.
  init(_ snapshot: DatabaseSnapshot, isStrict: Bool = false) throws {
    self.snapshot = snapshot
    state = try Self.state(of: snapshot, at: snapshot.lastCommit)
    file = StateFile(state.view)
    let connection = try Connection(reading: file, path: snapshot.files.path)
    // Sorting a long history must not need much memory.
    try connection.execute("PRAGMA temp_store = FILE; BEGIN")
    do {
      store = try AppleStore(connection, isStrict: isStrict)
      mapping = try AppleSchema(store)
    } catch {
      throw file.error ?? error
    }
    var schema = mapping.schema
    schema.hasUnknownValues = true
    self.schema = schema
    external = ExternalFolder(besideStore: snapshot.files.path)
  }

  var path: String { snapshot.files.path }

  /// Why SQLite could not read a page; nil if it read all pages.
  var error: PageError? { file.error }

  // MARK: States

  private static func state(of snapshot: DatabaseSnapshot, at commit: Int) throws -> State {
    let view = try DatabaseView(snapshot.main, log: snapshot.log, commit: commit)
    var roots: [String: UInt32] = [:]
    try view.forEachSchemaEntry { if $0.type == "table", $0.root > 0 { roots[$0.name] = $0.root } }
    return State(view: view, roots: roots)
  }

  func state(at commit: Int) throws -> State { try Self.state(of: snapshot, at: commit) }

  func show(_ state: State) throws {
    try store.connection.execute("COMMIT")
    file.show(state.view)
    self.state = state
    try store.connection.execute("BEGIN")
  }

  /// The first commit of the log whose state can be read with the present model, after the place up to
  /// which the store was read before.
  func firstCommit(after place: LogPosition?) throws -> Int {
    let seen = try place.flatMap { try snapshot.log?.commit(at: $0) } ?? 0
    let first = max(snapshot.firstReadable, seen)
    var next = state
    for commit in stride(from: snapshot.lastCommit - 1, through: first, by: -1) {
      let earlier = try state(at: commit)
      guard earlier.view.header?.schemaCookie == next.view.header?.schemaCookie,
        let root = earlier.roots["Z_MODELCACHE"], let newRoot = next.roots["Z_MODELCACHE"],
        try Pages.Comparison(earlier.view, next.view).isSame(tree: root, newRoot: newRoot)
      else { return commit + 1 }
      next = earlier
    }
    return min(first, snapshot.lastCommit)
  }

  /// Whether a database is a store of Apple's frameworks.
  static func isStore(_ snapshot: DatabaseSnapshot) throws -> Bool {
    let names = try state(of: snapshot, at: snapshot.lastCommit).roots.keys
    return AppleStore.signs.isSubset(of: names)
  }

  /// The UUID of the store in the form of our identifiers.
  func identifier() throws -> String { try Self.identifier(store.metadata, at: path) }

  /// The UUID of a store, whose model and rows are not read.
  static func identifier(of snapshot: DatabaseSnapshot) throws -> String {
    let file = StateFile(try state(of: snapshot, at: snapshot.lastCommit).view)
    let path = snapshot.files.path
    let connection = try Connection(reading: file, path: path)
    do {
      return try identifier(AppleStore.metadata(connection), at: path)
    } catch {
      throw file.error ?? error
    }
  }

  private static func identifier(_ metadata: AppleMetadata, at path: String) throws -> String {
    let text = metadata.uuid
    guard let uuid = UUID(uuidString: text) else {
      throw StoreError(.damaged, at: path) {
        "The metadata of \(path) have no UUID of the store, but \(inQuotes(abbreviated(text)))."
          + "\nRestore the file from a copy."
      }
    }
    return uuid.uuidString
  }

  /// A digest of the model, which changes when the app migrates its store.
  func modelDigest() throws -> String {
    var hash = SHA256()
    hash.update(Array((store.metadata.versionDigest ?? "").utf8) + [0])
    for (name, bytes) in store.metadata.versionHashes.sorted(by: { $0.key < $1.key }) {
      hash.update(Array(name.utf8) + [0] + bytes)
    }
    hash.update(Array(try schema.json().utf8))
    return hash.finish().description
  }
}
