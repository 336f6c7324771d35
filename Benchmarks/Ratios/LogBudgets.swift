import CBenchmarkPeer
import ChangeLog
import Foundation
import Pipeline
import SampleTrips
import Store

/// The budgets of logs over a store of SampleTrips with `count` changes.
struct LogBudgets {
  let folder: URL
  let count: Int
  /// The compression level of both sides.
  private let level = 6
  private let store: String
  private let logs: [String]
  private let withHistory: PeerRows
  private let rowsOnly: PeerRows
  private let changesets: OpaquePointer?

  init(count: Int, folder: URL) throws {
    self.folder = folder
    self.count = count
    let url = folder.appending(path: "trips.store")
    try SampleTrips.seed(url, changes: count, seed: 1)
    store = url.path
    logs = try Self.export(store, to: folder.appending(path: "logs").path).files
    withHistory = try PeerRows(logs: logs, hasHistory: true)
    rowsOnly = try PeerRows(logs: logs, hasHistory: false)
    let place = try Self.emptyCopy(of: store, in: folder, named: "recorded.store")
    changesets = rowsOnly.changesets(recordedIn: place)
  }

  func free() {
    peer_changesets_free(changesets)
    withHistory.free()
    rowsOnly.free()
  }

  var budgets: [Budget] {
    let list = logs.map { "'\($0)'" }.joined(separator: " ")
    let peers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Peer/import_log.py").path
    var result = [
      Budget(
        name: "export, against sqlite3 | gzip -6",
        limit: 0.5,
        peer: {
          try shell(
            "sqlite3 -readonly '\(store)' \"\(Self.query)\" | gzip -6 > \(folder.path)/peer.gz"
          )
        },
        ours: export
      ),
      Budget(
        name: "export, against C with \(peerLibrary) on two threads",
        limit: 1.3,
        peer: {
          try seconds { try check(peer_export(store, folder.path + "/peer.gz", Int32(level)) == 0) }
        },
        ours: export
      ),
      Budget(
        name: "import, against C with prepared statements",
        limit: 1.5,
        peer: { try inEmptyStore { try withHistory.write(to: $0) } },
        ours: importLogs
      ),
    ]
    if let changesets {
      result.append(
        Budget(
          name: "import, against sqlite3changeset_apply, no history",
          limit: 2.5,
          peer: {
            try inEmptyStore { try check(peer_changesets_apply(changesets, $0, 1000) == 0) }
          },
          ours: importLogs
        )
      )
    }
    return result + [
      Budget(
        name: "import, against a Python script",
        limit: 0.5,
        peer: {
          try inEmptyStore { _ = try shell("python3 '\(peers)' '\($0)' \(list)") }
        },
        ours: importLogs
      ),
      Budget(
        name: "verify, against zcat | sha256sum",
        limit: 1,
        peer: { try shell("zcat \(list) | sha256sum > /dev/null") },
        ours: {
          let request = VerifyRequest(logs: LogFolder(folder.path + "/logs"))
          return try seconds {
            try check(verify(request).allSatisfy { $0.findings.isEmpty && $0.changes > 0 })
          }
        }
      ),
    ]
  }

  /// A query that a person without Travelog would type.
  private static let query =
    "SELECT json_object('txn', c.transaction_id, 'seq', sequence, 'n', t.changes, 'ts', time,"
    + " 'author', author, 'op', kind, 'entity', entity, 'id', object, 'changed', json(changed),"
    + " 'before', json(before), 'after', json(after)) FROM history_change c"
    + " JOIN history_transaction t ON t.id = c.transaction_id ORDER BY c.id"

  private static func export(_ store: String, to folder: String) throws -> ExportResult {
    var request = ExportRequest(store: store, logs: LogFolder(folder))
    request.startsNewFolder = true
    return try Pipeline.export(request)
  }

  private func export() throws -> Double {
    let place = folder.appending(path: UUID().uuidString).path
    let time = try seconds { try check(Self.export(store, to: place).changes > 0) }
    try FileManager.default.removeItem(atPath: place)
    return time
  }

  private func importLogs() throws -> Double {
    let place = folder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let request = ImportRequest(
      logs: LogFolder(folder.path + "/logs"),
      store: place.appending(path: "replica.store").path
    )
    let time = try seconds { try check(Pipeline.importLogs(request).changes > 0) }
    try FileManager.default.removeItem(at: place)
    return time
  }

  private func inEmptyStore(_ work: (String) throws -> Void) throws -> Double {
    let name = UUID().uuidString
    let path = try Self.emptyCopy(of: store, in: folder, named: name)
    let time = try seconds { try work(path) }
    for suffix in ["", "-wal", "-shm"] {
      // The file may be missing.
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    return time
  }

  /// A new store of the same schema, whose own triggers do not fire for the peers.
  private static func emptyCopy(
    of store: String,
    in folder: URL,
    named name: String
  ) throws -> String {
    let url = folder.appending(path: name)
    let schema = try Store.open(
      .file(URL(fileURLWithPath: store)),
      options: Options(isReadOnly: true)
    ).schema
    _ = try Store.open(.file(url), schema: schema)
    return url.path
  }
}

/// A wrong result, which makes the time meaningless.
struct WrongResult: Error, CustomStringConvertible {
  let description: String
}

func check(_ isRight: @autoclosure () throws -> Bool) throws {
  guard try isRight() else {
    throw WrongResult(description: "A measurement came to another result than it should.")
  }
}

/// The seconds that a command line of the shell takes.
private func shell(_ command: String) throws -> Double {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/bash")
  process.arguments = ["-c", "set -o pipefail; " + command]
  return try seconds {
    try process.run()
    process.waitUntilExit()
    try check(process.terminationStatus == 0)
  }
}

/// The name of the peer's compression library.
private var peerLibrary: String {
  #if DEFLATE
  "libdeflate"
  #else
  "zlib"
  #endif
}
