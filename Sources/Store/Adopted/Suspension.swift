import Format
import FoundationEssentials
import Glibc
import SQLite

/// The entry in the catalog that says that `adopt --suspend` has removed the triggers.
struct Suspension: Codable {
  private static let key = "suspended"

  /// The process that will restore the triggers.
  let process: Int32
  /// The digests of the tables at the time when the triggers were removed.
  let tables: [String: TableDigest]

  init(tables: [String: TableDigest]) {
    process = getpid()
    self.tables = tables
  }

  /// Reads the suspension in a file's catalog; nil if the triggers are not suspended.
  init?(on connection: Connection) throws {
    guard case .text(let json) = try Catalog.value(Self.key, on: connection) else { return nil }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    } catch {
      throw Catalog.damaged(at: connection.path, cause: error)
    }
  }

  /// Whether another process removed the triggers and is still running.
  var isRunning: Bool { process != getpid() && (kill(process, 0) == 0 || errno == EPERM) }

  func note(on connection: Connection) throws {
    let json = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    try Catalog.set(Self.key, value: .text(json), on: connection)
  }

  static func remove(on connection: Connection) throws {
    try Catalog.remove(key, on: connection)
  }
}
