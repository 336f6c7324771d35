import Format
import FoundationEssentials
import Glibc
import SQLite

/// The place of a store: a file or memory.
package enum Location: Hashable, Sendable {
  case file(URL)
  /// A store in memory; its name only appears in messages.
  case memory(String)

  /// The file's path, or the name of a store in memory.
  package var path: String {
    switch self {
    case .file(let url): url.path(percentEncoded: false)
    case .memory(let name): "memory:\(name)"
    }
  }
}

extension Location {
  /// The folder for large values; nil for a store in memory.
  var blobFolder: BlobFolder? {
    if case .file = self { BlobFolder(besides: path) } else { nil }
  }

  /// The folder with the file.
  var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

package struct Options: Sendable {
  /// Whether the store is only read, and no file is created.
  package var isReadOnly: Bool
  /// Whether a reader of an adopted file first seals all captured changes, even if this takes long.
  package var sealsBacklog = true
  /// Whether the database that a history file follows is not read.
  package var skipsReading = Self.skipsReading
  /// The present path of the database that a history file follows; nil if it was not moved.
  package var database: String?
  /// Whether a history file may lack transactions that the app deleted before they were read.
  package var acceptsGap = false
  package var busyTimeout: Duration
  /// Whether a wait for another writer ends as soon as possible, at the cost of processor time.
  ///
  /// This is for long work beside programs that write again and again without a pause.
  package var triesLocksOften = false
  /// The maximum size of the file in pages of 4096 bytes; nil for no limit.
  package var maximumPageCount: Int?
  /// The last transaction whose changes readers show, if the store is only read; nil for all.
  package var point: Int64?
  /// The origin of a new replica; nil for an independent store.
  package var origin: ReplicaOrigin?
  /// What history keeps of deleted objects.
  ///
  /// If the value is nil, an existing store keeps its mode, and a new store gets the mode `full`.
  package var historyMode: HistoryMode?
  /// The age after which transactions are deleted from history; nil to keep them.
  package var historyTimeToLive: Duration?
  /// Called with each new connection, to add functions and collations.
  package var configure: (@Sendable (Connection) throws -> Void)?
  /// Whether commits survive a power cut; false for a store that is useless until it is finished.
  package var isDurable = true
  package var provenance = Provenance.system

  /// Whether this process reads no databases of history files, which a command decides before it opens
  /// a store.
  package nonisolated(unsafe) static var skipsReading = false

  package init(
    isReadOnly: Bool = false,
    busyTimeout: Duration = .seconds(10),
    maximumPageCount: Int? = nil,
    origin: ReplicaOrigin? = nil,
    historyMode: HistoryMode? = nil,
    configure: (@Sendable (Connection) throws -> Void)? = nil
  ) {
    self.isReadOnly = isReadOnly
    self.busyTimeout = busyTimeout
    self.maximumPageCount = maximumPageCount
    self.origin = origin
    self.historyMode = historyMode
    self.configure = configure
  }
}

/// The author of a change, the program that made it, and why it made the change.
package struct Author: Hashable, Sendable {
  /// The author's name, which the program gave; nil if it gave none.
  package var name: String?
  /// The reason for the change in words; nil if the program gave none.
  package var reason: String?
  /// The request that the program handled; nil if the program gave none.
  package var request: String?
  package var process: String
  package var bundle: String?

  package init(
    name: String? = nil,
    reason: String? = nil,
    request: String? = nil,
    process: String = Author.currentProcess,
    bundle: String? = nil
  ) {
    self.name = name
    self.reason = reason
    self.request = request
    self.process = process
    self.bundle = bundle
  }

  package static let currentProcess =
    CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""

  /// A text that a program gave; nil for an empty text, because lines never contain an empty text.
  package static func given(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}

package struct ReplicaOrigin: Hashable, Sendable {
  /// The identifier of the origin and of the replica.
  package var identifier: String
  /// The lineage whose transactions the replica accepts.
  package var lineage: Int64

  package init(identifier: String, lineage: Int64) {
    self.identifier = identifier
    self.lineage = lineage
  }

  func write(on connection: Connection) throws {
    try Catalog.set("identifier", value: .text(identifier), on: connection)
    try Catalog.set("lineage", value: .integer(lineage), on: connection)
    try Catalog.set("replica", value: .integer(1), on: connection)
  }
}

/// Whether the file is missing or has no tables: the store was never created, or its creation was
/// interrupted.
func isUnmadeStore(at path: String) throws -> Bool {
  guard access(path, F_OK) == 0 else { return true }
  // Opening it as below could empty its write-ahead log.
  guard access(path, W_OK) == 0, try !Store.isOfApple(path) else { return false }
  return try describingErrors(at: path) {
    let connection = try Connection(path: path, mode: .readWrite)
    connection.setBusyTimeout(.seconds(10))
    return try !connection.hasRow("SELECT 1 FROM sqlite_schema")
  }
}
