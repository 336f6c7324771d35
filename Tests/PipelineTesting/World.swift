import ChangeLog
import Format
import Foundation
import Pipeline
import Store
import StoreTesting
import TestSupport

/// A folder with a store of random history and its logs.
package struct World {
  package let folder: URL
  package var history: HistoryWorld
  package let source: Store
  package let logs: LogFolder

  package init(_ folder: URL, _ name: String, mode: HistoryMode? = nil) throws {
    self.folder = folder
    history = HistoryWorld(SeededGenerator(for: name))
    source = try Store.open(
      .file(folder.appendingPathComponent("source.store")),
      schema: worldSchema,
      options: Options(historyMode: mode)
    )
    logs = LogFolder(folder.appendingPathComponent("logs").path)
    try logs.create()
  }

  /// A world with some history without large values, which is exported several times.
  package init(_ folder: URL, _ name: String, writes: Int) throws {
    try self.init(folder, name)
    history.hasLargeValues = false
    for round in 1...writes {
      try history.write(to: source)
      if round % 7 == 0 || round == writes { try export() }
    }
  }

  /// The world of a store that exists, such as a restored copy.
  package init(_ folder: URL, restoring path: String) throws {
    self.folder = folder
    history = HistoryWorld(SeededGenerator(for: path))
    source = try Store.open(.file(URL(fileURLWithPath: path)))
    logs = LogFolder(folder.appendingPathComponent("logs").path)
  }

  package var path: String { source.location.path }

  /// Writes at random until history has at least `count` more transactions.
  package mutating func write(_ count: Int) throws {
    let wanted = try source.read { try $0.sealedHead() } + Int64(count)
    while try source.read({ try $0.sealedHead() }) < wanted { try history.write(to: source) }
  }

  @discardableResult
  package func export(
    _ change: (inout ExportRequest) -> Void = { _ in }
  ) throws -> ExportResult {
    var request = ExportRequest(store: path, logs: logs)
    change(&request)
    return try Pipeline.export(request)
  }

  /// The paths of the logs of lineage 0.
  package func files() throws -> [String] {
    try logs.files(of: source.identifier, lineage: 0).map(\.path)
  }

  /// All lines of all logs except headers and trailers.
  package func lines(in folder: LogFolder? = nil) throws -> String {
    var text = ""
    for file in try (folder ?? logs).files(of: source.identifier, lineage: 0) {
      for line in try gunzip(file.path).split(separator: "\n", omittingEmptySubsequences: false)
      where line.hasPrefix(#"{"kind":"change""#) || line.hasPrefix(#"{"kind":"transaction""#) {
        text += line + "\n"
      }
    }
    return text
  }

  /// The lines of the store's history, each as JSON.
  package func parsedLines() throws -> [[String: Any]] {
    try StoreTesting.lines(of: source).split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// The same history from each of its sources.
  package func histories() throws -> [History] { try [History(path), History(logs.path)] }
}

/// Exports a store that was exported before to a new folder.
@discardableResult
package func startLogs(
  of store: String,
  in logs: LogFolder,
  filter: ExportFilter = ExportFilter()
) throws -> ExportResult {
  var request = ExportRequest(store: store, logs: logs)
  request.filter = filter
  request.startsNewFolder = true
  return try export(request)
}
