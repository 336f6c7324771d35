import Adoption
import ChangeLog
import Format
import Foundation
import Pipeline
import ProcessTesting
import SQLite
import Store
import TestSupport
import Testing

/// A database of another program that is adopted, changed, exported and restored.
final class AdoptedWorld {
  /// A transaction of the history, for comparisons.
  struct Recorded: Hashable {
    var operation: String
    var author: String?
    var reason: String?
    var request: String?
    var details: String
    /// Each change as its kind, its table and the id of its row.
    var changes: [String]

    /// A text in the details; nil if it is not there.
    func detail(_ name: String) -> String? {
      CanonicalText(Array(details.utf8)).value(of: name)?.withUnsafeBytes { parseJSONString($0) }
    }
  }

  private let folder: TestSupport.TemporaryFolder
  let path: String
  let logs: LogFolder
  /// The file with the history, which is the database itself unless a history file follows it.
  private(set) var store: String

  /// An encoding of each kind.
  static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]

  /// Creates a database with some statements, and adopts it.
  init(
    _ sql: String,
    encoding: String = "UTF-8",
    isAdopted: Bool = true,
    leavingOut leftOut: [LeftOut] = []
  ) throws {
    folder = try TestSupport.TemporaryFolder()
    path = folder.file("app.db").path
    store = path
    logs = LogFolder(folder.file("logs").path)
    try run("PRAGMA encoding = '\(encoding)';" + sql)
    if isAdopted { _ = try Store.adopt(path, leavingOut: leftOut) }
  }

  /// Keeps the history in a file of its own from now on.
  func follow(leavingOut leftOut: [LeftOut] = []) throws {
    store = file("app.history")
    _ = try Store.follow(path, history: store, leavingOut: leftOut)
  }

  func file(_ name: String) -> String { folder.file(name).path }

  /// Runs statements as a program that knows nothing of Travelog; each call is another connection.
  func run(_ sql: String) throws {
    try Connection(path: path, mode: .readWriteCreate).execute(sql)
  }

  func history() throws -> [Recorded] {
    try readableStore(store).read { reader in
      let cursor = try reader.history()
      var result: [Recorded] = []
      while let transaction = try cursor.nextTransaction() {
        var changes: [String] = []
        while let change = try cursor.nextChange() {
          let entity = String(decoding: change.entity, as: UTF8.self)
          changes.append("\(change.kind.rawValue) \(entity) \(change.id)")
        }
        result.append(
          Recorded(
            operation: transaction.operation.rawValue,
            author: transaction.author,
            reason: transaction.reason,
            request: transaction.request,
            details: transaction.details ?? "",
            changes: changes
          )
        )
      }
      return result
    }
  }

  /// The history without the marker of the adoption, and without the proofs of snapshots.
  func changes() throws -> [Recorded] {
    try history().filter { !["adopt", "mark"].contains($0.operation) }
  }

  @discardableResult
  func exportLogs() throws -> ExportResult {
    try FileManager.default.createDirectory(atPath: logs.path, withIntermediateDirectories: true)
    return try export(ExportRequest(store: store, logs: logs))
  }

  /// Restores a replica from the logs.
  func restore(_ name: String, until: Point = .head) throws -> String {
    var request = ImportRequest(logs: logs, store: file(name))
    request.until = until
    _ = try importLogs(request)
    return file(name)
  }
}

/// The rows of the recorded tables of a database as SQL spells them, sorted; with the rowid, if
/// nothing else identifies a row.
func recordedRows(
  of path: String,
  leavingOut leftOut: [LeftOut] = []
) throws -> [String: [String]] {
  let connection = try Connection(path: path, mode: .readOnly)
  var result: [String: [String]] = [:]
  let names = CaptureNames(prefix: "travelog_")
  for table in try readTables(connection, without: names, leavingOut: leftOut) {
    guard case .triggers(let key) = table.recording else { continue }
    // `quote` leaves out what follows a NUL, and replaces unpaired surrogates.
    var list = table.columns.filter { !$0.isLeftOut }.map {
      let name = quoted($0.name)
      return "iif(\(name) GLOB '*[^ -~]*' OR instr(\(name), char(0)),"
        + " typeof(\(name)) || hex(CAST(\(name) AS BLOB)), quote(\(name)))"
    }
    if case .rowid(let name) = key { list.append(quoted(name)) }
    let rows = try connection.prepare(
      "SELECT \(list.joined(separator: " || ',' || ")) FROM \(quoted(table.name))"
    )
    var texts: [String] = []
    while try rows.step() { texts.append(rows.string(at: 0)) }
    result[table.name] = texts.sorted()
  }
  return result
}

/// The statements of a database's schema, as SQLite keeps them.
func schemaStatements(of path: String) throws -> [String] {
  let connection = try Connection(path: path, mode: .readOnly)
  let rows = try connection.prepare(
    "SELECT rowid, type, name, tbl_name, rootpage, quote(sql) FROM sqlite_schema ORDER BY rowid"
  )
  var result: [String] = []
  while try rows.step() {
    result.append((0..<6).map { rows.string(at: $0) }.joined(separator: "|"))
  }
  return result
}

/// Runs a program and returns what it wrote; the test fails if the program does.
@discardableResult
func output(of program: String, _ arguments: [String]) throws -> String {
  try outputs(of: [[program] + arguments])[0]
}

/// Runs programs at the same time, and returns the output of each; the test fails if a program ends
/// with an error.
func outputs(of commands: [[String]]) throws -> [String] {
  let running = try commands.map { words in
    let child = ChildProcess()
    child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    child.arguments = words
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    return (words, child, pipe)
  }
  return try running.map { words, child, pipe in
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    child.waitUntilExit()
    #expect(child.terminationStatus == 0, "\(words)")
    return String(decoding: data, as: UTF8.self)
  }
}

/// A program of the tests beside this file.
func program(_ name: String) -> String {
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Programs/\(name)")
    .path
}

/// Whether a program is on the PATH.
func isInstalled(_ name: String) -> Bool {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
  }
}
