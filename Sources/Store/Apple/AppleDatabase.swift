import AppleStores
import Format
import FoundationEssentials
import Pages
import SQLite

/// A store that Core Data or SwiftData wrote, in the last state of a snapshot.
final class AppleDatabase {
  let snapshot: DatabaseSnapshot
  let store: AppleStore
  let mapping: AppleSchema
  /// The mapping's schema, whose history has no values.
  let schema: StoreSchema
  /// The folder of large values beside the original file.
  let external: ExternalFolder
  private let file: StateFile

  init(_ snapshot: DatabaseSnapshot) throws {
    self.snapshot = snapshot
    file = StateFile(try Self.view(snapshot))
    let connection = try Connection(reading: file, path: snapshot.files.path)
    // Sorting a long history must not need much memory.
    try connection.execute("PRAGMA temp_store = FILE; BEGIN")
    do {
      store = try AppleStore(connection)
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
  /// The commit of the log whose state is shown.
  var commit: Int { snapshot.log?.commits.count ?? 0 }

  /// Why SQLite could not read a page; nil if it read all pages.
  var error: PageError? { file.error }

  private static func view(_ snapshot: DatabaseSnapshot) throws -> DatabaseView {
    try DatabaseView(
      snapshot.main,
      log: snapshot.log,
      commit: snapshot.log?.commits.count ?? 0
    )
  }

  /// Whether a database is a store of Apple's frameworks.
  static func isStore(_ snapshot: DatabaseSnapshot) throws -> Bool {
    var found: Set<String> = []
    try view(snapshot).forEachSchemaEntry { if $0.type == "table" { found.insert($0.name) } }
    return found.isSuperset(of: AppleStore.signs)
  }

  /// The UUID of the store in the form of our identifiers.
  func identifier() throws -> String {
    let text = store.metadata.uuid
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
