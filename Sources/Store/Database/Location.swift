import Changes
import FoundationEssentials
import SQLite

/// Where a store is kept.
package enum Location: Hashable, Sendable {
  /// In a file, with others beside it while it is in use.
  case file(URL)
  /// In memory, for as long as it is open; the name is for messages only.
  case memory(String)

  /// The file's path, or what messages call a store in memory.
  package var path: String {
    switch self {
    case .file(let url): url.path(percentEncoded: false)
    case .memory(let name): "memory:\(name)"
    }
  }
}

extension Location {
  /// The folder of large values; none for a store in memory.
  var blobFolder: BlobFolder? {
    if case .file = self { BlobFolder(besides: path) } else { nil }
  }
}

/// How a store is opened.
package struct Options: Sendable {
  /// True to write nothing, neither rows nor files.
  package var isReadOnly: Bool
  /// How long to wait for another process that writes.
  package var busyTimeout: Duration
  /// The most pages of 4096 bytes that the file may have; nil for no limit.
  package var maximumPageCount: Int?
  /// The store that a new one is to be a replica of; nil for a store of its own.
  package var origin: ReplicaOrigin?
  /// What history keeps of deleted objects; nil for what the store says, which is all of a new one.
  package var historyMode: HistoryMode?
  /// How long transactions stay in history; nil for ever.
  package var historyTimeToLive: Duration?
  /// Called with every new connection, to add functions and collations.
  package var configure: (@Sendable (Connection) throws -> Void)?
  /// False for a store that is worth nothing until it is finished, which need not survive a power
  /// cut before.
  package var isDurable = true
  /// Where identity, time and chance come from.
  package var provenance = Provenance.system

  /// Makes options.
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

/// Who makes a change.
package struct Author: Hashable, Sendable {
  /// The name that the application gave; nil for none.
  package var name: String?
  /// The name of the program.
  package var process: String
  /// The bundle identifier, where there is one.
  package var bundle: String?

  /// Makes an author; the process is this one.
  package init(name: String? = nil, process: String = Author.currentProcess, bundle: String? = nil)
  {
    self.name = name
    self.process = process
    self.bundle = bundle
  }

  /// The name of the program that runs.
  package static let currentProcess =
    CommandLine.arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
}

/// The store that a replica is made of.
package struct ReplicaOrigin: Hashable, Sendable {
  /// The identifier of that store, which the replica gets too.
  package var identifier: String
  /// The lineage whose transactions the replica takes.
  package var lineage: Int64

  /// Makes an origin.
  package init(identifier: String, lineage: Int64) {
    self.identifier = identifier
    self.lineage = lineage
  }

  /// Notes in the catalog of a new store that it is a replica.
  func write(on connection: Connection) throws {
    try Catalog.set("identifier", value: .text(identifier), on: connection)
    try Catalog.set("lineage", value: .integer(lineage), on: connection)
    try Catalog.set("replica", value: .integer(1), on: connection)
  }
}
