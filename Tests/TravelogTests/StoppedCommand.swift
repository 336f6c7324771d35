import AppleFiles
import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

/// The commands that change files, whose next run must complete an interrupted one.
enum StoppedCommand: String, CaseIterable, CustomTestStringConvertible {
  case export
  case exportOfTombstones = "export of tombstones"
  case filteredExport = "filtered export"
  case replay = "import"
  case replayOfLargeLog = "import of a large log"
  case compact, prune, erase
  case recoverFromExpiry = "recover after expiry"
  case recoverFromDivergence = "recover after divergence"
  case adopt
  case adoptWithLog = "adopt with a write-ahead log"
  case detach = "adopt --detach"
  case suspend = "adopt --suspend"
  case follow = "adopt --history"
  case readCommits = "log of commits in a database"
  case readDifference = "log of a difference of a database"
  case exportOfCoreData = "export of a store of Core Data"

  var testDescription: String { rawValue }

  /// All commands that this machine can run; the migration of `adopt --suspend` needs `sqlite3`.
  static let possible = allCases.filter { $0 != .suspend || installed("sqlite3") != nil }

  /// Creates the command's input in a separate folder, with `times` as many writes.
  func prepared(times: Int = 1, _ body: (StoppedRun) throws -> Void) throws {
    switch self {
    case .export: try prepareExport(.full, times, body)
    case .exportOfTombstones: try prepareExport(.tombstones, times, body)
    case .filteredExport: try prepareFilteredExport(times, body)
    case .replay: try prepareReplay(isLarge: false, times, body)
    case .replayOfLargeLog: try prepareReplay(isLarge: true, times, body)
    case .compact: try prepareCompaction(times, body)
    case .prune: try preparePrune(times, body)
    case .erase: try prepareErasure(times, body)
    case .recoverFromExpiry: try prepareRecovery(isRestored: false, times, body)
    case .recoverFromDivergence: try prepareRecovery(isRestored: true, times, body)
    case .adopt: try prepareAdoption(journal: "DELETE", body)
    case .adoptWithLog: try prepareAdoption(journal: "WAL", body)
    case .detach: try prepareDetaching(body)
    case .suspend: try prepareSuspension(body)
    case .follow: try prepareFollowing(body)
    case .readCommits: try prepareReading(journal: "WAL", body)
    case .readDifference: try prepareReading(journal: "DELETE", body)
    case .exportOfCoreData: try prepareCoreData(body)
    }
  }
}

/// A command that is to be stopped, with its environment.
struct StoppedRun {
  /// The arguments of the program.
  let arguments: [String]
  /// A folder for other files of a test.
  let folder: URL
  /// The exit code of the command if an earlier run has already completed the work.
  var codeWhenDone: Int32 = 0
  /// Restores the state before the command.
  let prepare: () throws -> Void
  /// Runs the command again, and checks that nothing was lost or doubled; gets the place of the
  /// stop.
  let check: (_ place: String) throws -> Void
}

// MARK: A store without logs

private func withStore(
  _ mode: HistoryMode,
  _ times: Int,
  _ body: (URL, Store) throws -> Void
) throws {
  try withTemporaryFolder { folder in
    var world = HistoryWorld(SeededGenerator(for: "faults"))
    world.hasLargeValues = false
    let store = try Store.open(
      .file(folder.appendingPathComponent("a.store")),
      schema: worldSchema,
      options: Options(historyMode: mode)
    )
    for number in 0..<12 * times {
      try world.write(to: store)
      // This completes a small log.
      if number % 4 == 1 {
        try addGuest(Int64(10_000 + number), String(repeating: "long ", count: 60_000), to: store)
      }
    }
    try body(folder, store)
  }
}

private func prepareExport(
  _ mode: HistoryMode,
  _ times: Int,
  _ body: (StoppedRun) throws -> Void
) throws {
  try withStore(mode, times) { folder, store in
    let logs = folder.path + "/logs"
    let path = folder.path + "/fresh.store"
    let expected = try lines(of: store)
    func command(_ logs: String) -> [String] {
      ["export", path, "--to", logs, "--max-file-size", "64KiB"]
    }
    try body(
      StoppedRun(arguments: command(logs), folder: folder) {
        try remove(logs)
        try copy(store, to: path)
      } check: { place in
        #expect(try travelog(command(logs)).code == 0, "\(place)")
        #expect(try logLines(logs) == expected, "\(place)")
        #expect(try travelog(["verify", logs, "--allow-unproven"]).code == 0, "\(place)")
        let again = try travelog(command(logs) + ["--error-if-empty"])
        #expect(again.code == 5, "\(place)")
        #expect(try travelog(command(folder.path + "/unmounted")).code == 10, "\(place)")
      }
    )
  }
}

private func copy(_ store: Store, to path: String) throws {
  try removeStore(path)
  try store.copy(to: URL(fileURLWithPath: path))
}

private func prepareFilteredExport(_ times: Int, _ body: (StoppedRun) throws -> Void) throws {
  try withStore(.full, times) { folder, store in
    let logs = folder.path + "/logs"
    let path = folder.path + "/fresh.store"
    func command(_ logs: String) -> [String] {
      [
        "export", path, "--to", logs, "--max-file-size", "64KiB", "--author", "app",
        "--author", "", "--entity", "Guest", "--redact", "Guest.note=drop",
      ]
    }
    try copy(store, to: path)
    #expect(try travelog(command(folder.path + "/expected")).code == 0)
    // The last transaction, which proves the description of the filter, has another time in each run.
    func isMark(_ line: Substring) -> Bool { line.contains(#""op":"mark""#) }
    let expected = try logLines(folder.path + "/expected").split(separator: "\n")
      .filter { !isMark($0) }
    try body(
      StoppedRun(arguments: command(logs), folder: folder) {
        try remove(logs)
        try copy(store, to: path)
      } check: { place in
        let run = try travelog(command(logs))
        #expect(run.code == 0, "\(place): \(run.errors)")
        let lines = try logLines(logs).split(separator: "\n")
        #expect(lines.filter { !isMark($0) } == expected, "\(place)")
        #expect(lines.count(where: isMark) == 1, "\(place)")
        #expect(try travelog(command(logs) + ["--error-if-empty"]).code == 5, "\(place)")
        #expect(try travelog(command(folder.path + "/unmounted")).code == 10, "\(place)")
      }
    )
  }
}

/// A large log is imported into a new replica without a write-ahead log, small ones with it.
private func prepareReplay(
  isLarge: Bool,
  _ times: Int,
  _ body: (StoppedRun) throws -> Void
) throws {
  try withStore(.full, times) { folder, store in
    let logs = folder.path + "/logs"
    let replica = folder.path + "/replica.store"
    if isLarge {
      try addLargeTexts(to: store)
      try travelog(["export", store.location.path, "--to", logs])
    } else {
      try exportApart(store, to: logs)
    }
    let rows = try rowDump(of: store)
    let history = try lines(of: store)
    let command = ["import", logs, "--into", replica]
    try body(
      StoppedRun(arguments: command, folder: folder, prepare: { try removeStore(replica) }) {
        place in
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        let copy = try Store.open(
          .file(URL(fileURLWithPath: replica)),
          options: Options(isReadOnly: true)
        )
        #expect(try rowDump(of: copy) == rows, "\(place)")
        #expect(try lines(of: copy) == history, "\(place)")
        #expect(try writesAhead(replica), "\(place)")
      }
    )
  }
}

/// Writes texts that have more than a megabyte after compression.
private func addLargeTexts(to store: Store) throws {
  var generator = SeededGenerator(for: "large texts")
  for id in Int64(1_000)...1_003 {
    let bytes = (0..<60_000).map { _ in generator.next() }
    try addGuest(id, bytes.withUnsafeBytes { Data($0) }.base64EncodedString(), to: store)
  }
}

func addGuest(_ id: Int64, _ note: String, to store: Store) throws {
  let guest = worldSchema.index(of: "Guest") ?? 0
  try store.write(Author()) { writer in
    let columns = writer.layouts[guest].columns
    let values: [Value] = columns.map { $0.name == "note" ? .text(note) : .null }
    try writer.insert(guest, id: id, values: values)
  }
}

/// Whether the header of a store's file says that it has a write-ahead log.
private func writesAhead(_ path: String) throws -> Bool {
  let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
  defer { try? file.close() }  // It was only read.
  return Array(try file.read(upToCount: 20) ?? Data()).suffix(2) == [2, 2]
}

// MARK: A store with its logs

/// Calls `body` with a store and its logs, which are created again before each run.
private func withWorld(
  _ prepare: (Store, inout HistoryWorld, String) throws -> Void,
  _ body: (_ fresh: @escaping () throws -> Void, _ store: String, _ logs: String, _ folder: URL)
    throws -> Void
) throws {
  try withTemporaryFolder { folder in
    let pristine = folder.appendingPathComponent("pristine")
    let work = folder.appendingPathComponent("work")
    try FileManager.default.createDirectory(at: pristine, withIntermediateDirectories: true)
    var world = HistoryWorld(SeededGenerator(for: "faults"))
    world.hasLargeValues = false
    let store = try Store.open(
      .file(pristine.appendingPathComponent("a.store")),
      schema: worldSchema
    )
    try prepare(store, &world, pristine.appendingPathComponent("logs").path)
    let copied = folder.appendingPathComponent("copied")
    try FileManager.default.createDirectory(at: copied, withIntermediateDirectories: true)
    try store.copy(to: copied.appendingPathComponent("a.store"))
    try FileManager.default.copyItem(
      at: pristine.appendingPathComponent("logs"),
      to: copied.appendingPathComponent("logs")
    )
    try body(
      {
        try remove(work.path)
        try FileManager.default.copyItem(at: copied, to: work)
      },
      work.appendingPathComponent("a.store").path,
      work.appendingPathComponent("logs").path,
      folder
    )
  }
}

private func prepareCompaction(_ times: Int, _ body: (StoppedRun) throws -> Void) throws {
  try withWorld { store, world, logs in
    for _ in 0..<4 * times {
      for _ in 0..<3 { try world.write(to: store) }
      try travelog("export", store.location.path, "--to", logs)
    }
  } _: { fresh, store, logs, folder in
    try fresh()
    let expected = try logLines(logs)
    let command = ["compact", logs]
    try body(
      StoppedRun(arguments: command, folder: folder, prepare: fresh) { place in
        let replica = folder.path + "/replica.store"
        try removeStore(replica)
        #expect(try travelog("import", logs, "--into", replica).code == 0, "\(place)")
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try logLines(logs) == expected, "\(place)")
        #expect(try travelog("verify", logs).code == 0, "\(place)")
      }
    )
  }
}

private func preparePrune(_ times: Int, _ body: (StoppedRun) throws -> Void) throws {
  try withWorld { store, world, logs in
    for _ in 0..<8 * times { try world.write(to: store) }
    try travelog("export", store.location.path, "--to", logs)
    for _ in 0..<3 { try world.write(to: store) }
  } _: { fresh, store, logs, folder in
    let command = ["prune", store, "--logs", logs, "--keep", "0s"]
    try body(
      StoppedRun(arguments: command, folder: folder, prepare: fresh) { place in
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try travelog("check", store).code == 0, "\(place)")
        #expect(try travelog("export", store, "--to", logs).code == 0, "\(place)")
        #expect(try travelog("verify", logs, "--against", store).code == 0, "\(place)")
      }
    )
  }
}

private func prepareErasure(_ times: Int, _ body: (StoppedRun) throws -> Void) throws {
  let secret = "the secret of somebody"
  try withWorld { store, world, logs in
    let guest = worldSchema.index(of: "Guest") ?? 0
    try store.write(Author()) { writer in
      let columns = writer.layouts[guest].columns
      try writer.insert(
        guest,
        id: 1,
        values: columns.map { $0.name == "note" ? .text(secret) : .null }
      )
    }
    try travelog("export", store.location.path, "--to", logs)
    for number in 1...times {
      try store.write(Author()) { writer in
        let note = writer.layouts[guest].column(of: "note") ?? 0
        let value = secret + ", and \(number) more"
        try writer.update(guest, id: 1, columns: [note], values: [.text(value)])
      }
      if number > 1 { try travelog("export", store.location.path, "--to", logs) }
    }
    try store.write(Author()) { try $0.delete(guest, id: 1) }
    try travelog("export", store.location.path, "--to", logs)
  } _: { fresh, store, logs, folder in
    let command = [
      "erase", logs, "--entity", "Guest", "--id", "1", "--store", store, "--reason", "asked for",
    ]
    try body(
      StoppedRun(arguments: command, folder: folder, prepare: fresh) { place in
        // Between the runs the logs verify, or verify reports the unfinished change.
        let between = try travelog("verify", logs)
        #expect(
          between.code == 0 || between.output.contains("is not finished"),
          "\(place): \(between.output)"
        )
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(!(try text(of: logs, store).contains(secret)), "\(place)")
        #expect(try travelog("check", store).code == 0, "\(place)")
        #expect(try travelog("export", store, "--to", logs).code == 0, "\(place)")
        let verified = try travelog("verify", logs, "--against", store)
        #expect(verified.code == 0, "\(place): \(verified.output)")
      }
    )
  }
}

/// The bytes of all decompressed logs, and of a store's files.
private func text(of logs: String, _ store: String) throws -> String {
  let parent = (store as NSString).deletingLastPathComponent
  let name = (store as NSString).lastPathComponent
  let files = try FileManager.default.contentsOfDirectory(atPath: parent)
    .filter { $0.hasPrefix(name) && !$0.hasSuffix("-blobs") }.map { parent + "/" + $0 }
  var text = ""
  for file in files {
    text += String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
  }
  for file in try FileManager.default.subpathsOfDirectory(atPath: logs)
  where file.hasSuffix(".gz") {
    text += try gunzip(logs + "/" + file)
  }
  return text
}

private func prepareRecovery(
  isRestored: Bool,
  _ times: Int,
  _ body: (StoppedRun) throws -> Void
) throws {
  try withWorld { store, world, logs in
    for _ in 0..<6 * times { try world.write(to: store) }
    try travelog("export", store.location.path, "--to", logs)
    for _ in 0..<6 * times { try world.write(to: store) }
    let head = try store.read { try $0.historyRange().head.transaction }
    if isRestored {
      // Logs of later transactions of a copy are those of another history.
      let copy = logs + ".store"
      try store.copy(to: URL(fileURLWithPath: copy))
      let other = try Store.open(.file(URL(fileURLWithPath: copy)))
      var later = world
      for _ in 0..<6 { try later.write(to: other) }
      try travelog("export", copy, "--to", logs)
      for _ in 0..<4 * times { try world.write(to: store) }
    } else {
      try store.deleteHistory([1...head - 2])
    }
  } _: { fresh, store, logs, folder in
    let command = ["recover", store, "--to", logs]
    try body(
      StoppedRun(arguments: command, folder: folder, prepare: fresh) { place in
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try travelog("check", store).code == 0, "\(place)")
        let verified = try travelog("verify", logs, "--against", store)
        #expect(verified.code == 0, "\(place): \(verified.output)")
      }
    )
  }
}

// MARK: Files

func remove(_ paths: String...) throws {
  for path in paths where FileManager.default.fileExists(atPath: path) {
    try FileManager.default.removeItem(atPath: path)
  }
}

func removeStore(_ path: String) throws {
  for ending in ["", "-wal", "-shm", "-blobs", "-journal"] { try remove(path + ending) }
}

/// All lines of transactions in a log folder, by the names of their files.
func logLines(_ logs: String) throws -> String {
  var text = ""
  let names = try FileManager.default.subpathsOfDirectory(atPath: logs)
    .filter { $0.hasSuffix(".ndjson.gz") && !$0.contains("snapshots") }
  let sorted = names.sorted {
    ($0.split(separator: "/").last ?? "") < ($1.split(separator: "/").last ?? "")
  }
  for name in sorted {
    for line in try gunzip(logs + "/" + name).split(separator: "\n")
    where line.hasPrefix(#"{"kind":"change""#) || line.hasPrefix(#"{"kind":"transaction""#) {
      text += line + "\n"
    }
  }
  return text
}

// MARK: A store of Core Data

private func prepareCoreData(_ body: (StoppedRun) throws -> Void) throws {
  try withTemporaryFolder { folder in
    let phone = folder.appending(path: "phone", directoryHint: .isDirectory)
    let copies = [folder.appending(path: "one"), folder.appending(path: "two")]
    for place in copies + [phone] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    let file = try AppleFile(phone.appending(path: "Music.sqlite"), .music)
    var generator = SeededGenerator(for: "a stopped export of Core Data")
    for place in copies {
      for _ in 0..<4 { try file.runRandomly(changes: 6, using: &generator) }
      try file.copy(to: place.appending(path: "Music.sqlite"))
    }
    let paths = copies.map { $0.appending(path: "Music.sqlite").path }
    let logs = folder.path + "/logs"
    let first = folder.path + "/first"
    try travelog(["export", paths[0], "--to", first])
    let command = ["export", paths[1], "--to", logs]
    try body(
      StoppedRun(arguments: command, folder: folder) {
        try remove(logs)
        try FileManager.default.copyItem(atPath: first, toPath: logs)
      } check: { place in
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try travelog(["verify", logs]).code == 0, "\(place)")
        let replica = folder.path + "/replica.store"
        try removeStore(replica)
        #expect(try travelog(["import", logs, "--into", replica]).code == 0, "\(place)")
        let difference = try travelog(["diff", paths[1], replica])
        #expect(difference.code == 0, "\(place): \(difference.output)")
      }
    )
  }
}
