import Format
import FoundationEssentials
import Glibc
import SQLite

/// The entry in the catalog of an adopted file that says that a process is turning captured changes
/// into transactions, and gives the write lock to other programs between two steps.
struct SealingMark: Codable, Hashable {
  private static let key = "sealing"
  /// After this number of milliseconds without progress, the process is regarded as ended, even if
  /// another process has its number now.
  private static let patience: Int64 = 60_000

  let process: Int32
  /// Distinguishes this mark from earlier marks of the same process.
  let token: UInt64
  var time: Int64

  init() {
    process = getpid()
    token = .random(in: 0...UInt64.max)
    time = currentMilliseconds()
  }

  /// Reads the mark; nil if no process has left one.
  init?(on connection: Connection) throws {
    guard case .text(let json) = try Catalog.value(Self.key, on: connection) else { return nil }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    } catch {
      throw Catalog.damaged(at: connection.path, cause: error)
    }
  }

  /// Whether the process that left the mark still works.
  var isAlive: Bool {
    guard process != getpid(), kill(process, 0) == 0 || errno == EPERM else { return false }
    let age = currentMilliseconds() - time
    return (-Self.patience...Self.patience).contains(age)
  }

  func isSame(as other: SealingMark?) -> Bool {
    other?.process == process && other?.token == token
  }

  func write(on connection: Connection) throws {
    let json = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    try Catalog.set(Self.key, value: .text(json), on: connection)
  }

  static func remove(on connection: Connection) throws {
    try Catalog.remove(key, on: connection)
  }
}

/// The error for a file whose captured changes a process is sealing; the process is nil if it has
/// ended its work.
func sealing(by process: Int32?, at path: String) -> StoreError {
  StoreError(.locked, at: path) {
    process.map {
      "Process \($0) is recording the captured changes of \(path)."
        + "\nTry again when process \($0) has finished."
    } ?? "Another process has recorded the captured changes of \(path).\nTry again."
  }
}
