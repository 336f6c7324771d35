import AppleFiles
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Stores of Core Data and SwiftData on the command line")
struct AppleProgramTests {
  /// Calls a function with a closed file of trips, and with the folder of its logs.
  private func withTrips(
    _ change: (AppleFile) throws -> Void = { _ in },
    _ body: (_ path: String, _ logs: String) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      let app = folder.appending(path: "app")
      let copy = folder.appending(path: "copy")
      for place in [app, copy] {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      }
      let file = try AppleFile.trips(at: app.appending(path: "Trips.sqlite"))
      try change(file)
      try file.copy(to: copy.appending(path: "Trips.sqlite"))
      try body(copy.path + "/Trips.sqlite", folder.path + "/logs")
    }
  }

  private func overwrite(_ path: String, _ body: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    body(&data)
    try data.write(to: URL(fileURLWithPath: path))
  }

  // MARK: The sample

  @Test("The sample store has the tables and rows that the generator makes.")
  func sample() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sample-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let made = folder.appending(path: "Trips.sqlite")
    try AppleFile.trips(at: made).checkpoint()
    let known = packageRoot.appending(path: "sample-data/phone/Trips.sqlite")
    guard let rows = try? dump(known), try rows == dump(made) else {
      Issue.record("Copy \(made.path) to \(known.path).")
      return
    }
    try FileManager.default.removeItem(at: folder)
  }

  /// The rows of all tables, without the model, whose compressed bytes depend on zlib.
  private func dump(_ url: URL) throws -> [String] {
    let connection = try Connection(path: url.path, mode: .immutable)
    func texts(_ sql: String) throws -> [String] {
      let statement = try connection.prepare(sql)
      var result: [String] = []
      while try statement.step() { result.append(statement.string(at: 0)) }
      return result
    }
    let tables = try texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'Z_MODELCACHE' ORDER BY 1"
    )
    return try tables.flatMap { table in
      let columns = try texts("SELECT 'quote(' || name || ')' FROM pragma_table_info('\(table)')")
      return try texts(
        "SELECT '\(table) ' || \(columns.joined(separator: "||' '||")) FROM \(table)"
      )
    }
  }

  // MARK: Words

  @Test("status and show say in words what is known of the values, and what could not be read.")
  func words() throws {
    try withTrips {
      try $0.connection.execute("UPDATE ACHANGE SET ZENTITY = 99 WHERE ZTRANSACTIONID = 2")
      try $0.connection.execute("UPDATE ZITEM SET ZTITLE = NULL WHERE Z_PK = 2")
      // Without commits in the log, only the present rows are known.
      try $0.checkpoint()
    } _: { path, _ in
      let status = try travelog("status", path)
      #expect(status.code == 0, "\(status.errors)")
      #expect(status.output.contains("others are unknown"))
      #expect(status.output.contains("Item.title is optional, because 1 object"))
      let first = try travelog("show", path, "1").output
      #expect(first.contains("context: planning"))
      #expect(first.contains("values:  those of the present rows"))
      #expect(first.contains("name: (unknown)"))
      #expect(first.contains(#""reason":"missingValue""#))
      let second = try travelog("show", path, "2").output
      #expect(second.contains("unread:  the app's change"))
      #expect(second.contains("no entity has the number 99"))
    }
  }

  @Test("A model that is a guess is named by log, status and export.", arguments: ["", "x'00ff'"])
  func guess(_ model: String) throws {
    try withTrips {
      try $0.connection.execute(
        model.isEmpty ? "DELETE FROM Z_MODELCACHE" : "UPDATE Z_MODELCACHE SET Z_CONTENT = \(model)"
      )
    } _: { path, logs in
      for run in try [travelog("log", path), travelog("export", path, "--to", logs)] {
        #expect(run.code == 0 && run.errors.contains("The model is guessed"), "\(run.errors)")
      }
      #expect(try travelog("status", path).output.contains("The model is guessed"))
      #expect(try travelog("show", logs, "1").output.contains("model:   The model is guessed"))
      let replica = logs + ".store"
      #expect(try travelog("import", logs, "--into", replica).code == 0)
      #expect(try travelog("diff", path, replica).code == 0)
      // Neither a new nor an existing history file makes the guess acceptable.
      for folder in [logs, logs + ".strict"] {
        let strict = try travelog("export", path, "--to", folder, "--strict")
        #expect(strict.code == 4 && strict.errors.contains("model in \(path)"), "\(strict.errors)")
      }
      let names = FileManager.default.subpaths(atPath: logs + ".strict") ?? []
      #expect(names.allSatisfy { !$0.hasPrefix("store=") })
    }
  }

  @Test("An export with --strict accepts a model that can be read.")
  func strict() throws {
    try withTrips { path, logs in
      let run = try travelog("export", path, "--to", logs, "--strict")
      #expect(run.code == 0, "\(run)")
    }
  }

  // MARK: Renamed classes

  @Test("log and blame find what the app renamed by its old and its new name.")
  func renamed() throws {
    try withTemporaryFolder { folder in
      let (path, logs) = (folder.path + "/Trips.sqlite", folder.path + "/logs")
      let name = FileModel.Attribute(name: "name", type: 700, isOptional: false)
      let file = try AppleFile(
        URL(fileURLWithPath: path),
        FileModel(entities: [FileModel.Entity(name: "Trip", attributes: [name])])
      )
      _ = file.insert("Trip", ["name": .text("Norway")])
      try file.save(author: "app")
      #expect(try travelog("export", path, "--to", logs).code == 0)
      var (title, journey) = (name, file.model.entities[0])
      (title.name, title.renaming) = ("title", "name")
      (journey.name, journey.renaming, journey.attributes) = ("Journey", "Trip", [title])
      try file.migrate(to: FileModel(entities: [journey]))
      file.set(try #require(file.rows.keys.first), "title", .text("Lapland"))
      try file.save(author: "widget")
      #expect(try travelog("export", path, "--to", logs).code == 0)
      for (entity, property) in [("Trip", "name"), ("Journey", "title")] {
        let log = try travelog("log", logs, "--entity", entity, "--attribute", property)
        let authors = log.output.split(separator: "\n").map { $0.contains("widget") }
        #expect(authors.first == true && authors.last == false, "\(log)")
      }
      let blame = try travelog("blame", logs, "Journey", "1")
      #expect(blame.output.contains(#"before: "Norway""#), "\(blame)")
    }
  }

  // MARK: Tokens

  /// The UUID of the only store in a folder of logs.
  private func identifier(inLogs logs: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: logs)
    let folders = names.filter { $0.hasPrefix("store=") }
    return String(try #require(folders.first).dropFirst(6))
  }

  @Test("--since accepts Apple's token: only later transactions of its store are shown.")
  func tokens() throws {
    try withTrips { path, logs in
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let store = try identifier(inLogs: logs)
      func lines(_ source: String, _ token: String) throws -> [Substring] {
        let run = try travelog("log", source, "--since", token)
        #expect(run.code == 0, "\(run.errors)")
        return run.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
      }
      for source in [path, logs] {
        #expect(try lines(source, #"{"\#(store)":3}"#) == ["5", "4"])
        #expect(try lines(source, #"{"\#(store)":5}"#) == [])
        #expect(try lines(source, #"{"\#(store)":0}"#).count == 5)
        // As programs write JSON, with another store and a UUID in small letters.
        let others = #"{ "\#(UUID())" : 9, "\#(store.lowercased())" : 4 }"#
        #expect(try lines(source, others) == ["5"])
        let newer = try travelog("log", source, "--since", #"{"\#(store)":6}"#)
        #expect(newer.code == 14, "\(newer.errors)")
        let other = try travelog("log", source, "--since", #"{"\#(UUID())":3}"#)
        #expect(other.code == 64 && other.errors.contains(store), "\(other.errors)")
      }
      let blame = try travelog("blame", path, "Trip", "1", "--since", #"{"\#(store)":3}"#)
      #expect(blame.output.contains("name") && !blame.output.contains("start"), "\(blame.output)")
      for wrong in ["{}", "{", #"{"x":1}"#, #"{"\#(store)":-1}"#, #"{"\#(store)":"3"}"#, "[3]"] {
        #expect(try travelog("log", path, "--since", wrong).code == 64)
      }
    }
  }

  @Test("A token is refused by another history, and if the app deleted what follows.")
  func refusedTokens() throws {
    try withTrips {
      try $0.purge(before: 4)
      try $0.checkpoint()
    } _: { path, logs in
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let store = try identifier(inLogs: logs)
      let expired = try travelog("log", path, "--since", #"{"\#(store)":2}"#)
      #expect(expired.code == 12 && expired.errors.contains("deleted"), "\(expired.errors)")
      let next = try travelog("log", path, "--since", #"{"\#(store)":3}"#)
      #expect(next.output.contains("app") && next.code == 0, "\(next.errors)")
    }
    try withTemporaryFolder { folder in
      let ours = folder.path + "/t.store"
      #expect(try run(products + "/trips", ["seed", ours, "--changes", "20"]).code == 0)
      let refused = try travelog("log", ours, "--since", #"{"\#(UUID())":3}"#)
      #expect(refused.code == 64 && refused.errors.contains("time"), "\(refused.errors)")
    }
  }

  @Test(
    "adopt --dry-run says that the file is only read, and adopt without a history file refuses."
  )
  func adoption() throws {
    try withTrips { path, logs in
      let plan = try travelog("adopt", path, "--dry-run")
      #expect(plan.code == 0, "\(plan.errors)")
      #expect(plan.output.contains("--history HISTORY"))
      let refusal = try travelog("adopt", path)
      #expect(refusal.code == 4 && refusal.errors.contains("travelog promote NEW"))
      let leftOut = try travelog("adopt", path, "--history", logs, "--without-table", "ZITEM")
      #expect(leftOut.code == 64 || leftOut.code == 2, "\(leftOut.code) \(leftOut.errors)")
      #expect(!FileManager.default.fileExists(atPath: logs))
      #expect(try travelog("adopt", path, "--history", logs).code == 0)
      #expect(try travelog("log", logs).output.split(separator: "\n").count == 5)
    }
  }

  @Test("Commands that would write to the file refuse, and it keeps every byte.")
  func writing() throws {
    try withTrips { path, logs in
      let url = URL(fileURLWithPath: path)
      let log = URL(fileURLWithPath: path + "-wal")
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let before = try [Data(contentsOf: url), Data(contentsOf: log)]
      let commands = [
        ["undo", path, "3"], ["promote", path], ["import", logs, "--into", path],
        ["prune", path, "--logs", logs, "--keep", "0d"],
        ["erase", logs, "--entity", "Item", "--id", "1", "--store", path],
        ["adopt", path], ["adopt", path, "--without-table", "ZITEM"],
        ["adopt", path, "--new-identity"], ["adopt", path, "--detach", "--discard-history"],
      ]
      for command in commands {
        let run = try travelog(command)
        #expect(run.code != 0, "\(command): \(run.output) \(run.errors)")
        guard ["prune", "erase"].contains(command[0]) else { continue }
        #expect(run.code == 4 && run.errors.contains("only reads"), "\(run.errors)")
      }
      #expect(try [Data(contentsOf: url), Data(contentsOf: log)] == before)
      let folder = url.deletingLastPathComponent().path
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.sorted() == ["Trips.sqlite", "Trips.sqlite-wal"])
    }
  }

  @Test("status, verify and a dry run compare the file with the logs of its exports.")
  func logs() throws {
    try withTrips { path, logs in
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      // A path can be relative.
      let shell = "cd '\(folder)' && '\(products)/travelog' export Trips.sqlite --to '\(logs)'"
      #expect(try run("/bin/sh", ["-c", shell]).code == 0)
      let status = try travelog("status", path, "--logs", logs)
      #expect(status.code == 0 && status.output.contains("health    ok"), "\(status.output)")
      let verdict = try travelog("verify", logs, "--against", path)
      #expect(verdict.code == 0, "\(verdict.output) \(verdict.errors)")
      let plan = try travelog("export", path, "--to", logs, "--dry-run", "--json")
      #expect(plan.code == 0 && plan.output.contains(#""transactions":0"#), "\(plan)")
    }
  }

  // MARK: Bad input

  @Test("A file that is not a store of Core Data is an error that says what it is.")
  func otherFiles() throws {
    try withTrips { path, logs in
      let text = path + ".txt"
      try "This is a text and not a database at all.".write(
        toFile: text,
        atomically: true,
        encoding: .utf8
      )
      let database = path + ".db"
      try Connection(path: database, mode: .readWriteCreate).execute("CREATE TABLE t(a)")
      for other in [text, database] {
        for command in [["log", other], ["export", other, "--to", logs]] {
          let run = try travelog(command)
          #expect(run.code == 4, "\(command): \(run.errors)")
          if other == database { #expect(run.errors.contains("travelog adopt")) }
        }
      }
      #expect(!FileManager.default.fileExists(atPath: logs))
    }
  }

  @Test(
    "A file that is encrypted, cut off or damaged is an error, and no half of it gets into logs.",
    arguments: ["encrypted", "cut off", "damaged"]
  )
  func damage(_ kind: String) throws {
    try withTrips({ try $0.checkpoint() }) { path, logs in
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let known = try travelog("log", logs).output
      try overwrite(path) { data in
        switch kind {
        case "encrypted":
          var random = SeededGenerator(for: "encrypted stores of Core Data")
          data = Data(data.map { _ in UInt8.random(in: 0...255, using: &random) })
        case "cut off": data = data.prefix(data.count / 2 + 100)
        default:
          // The first page stays, and says which tables there are.
          for page in 1..<data.count / 4096 {
            data.replaceSubrange(
              page * 4096..<page * 4096 + 200,
              with: repeatElement(7, count: 200)
            )
          }
        }
      }
      for command in [["log", path], ["export", path, "--to", logs], ["status", path]] {
        let run = try travelog(command)
        #expect(run.code == 4, "\(command): \(run.code) \(run.errors)")
        #expect(run.errors.contains("Trips.sqlite"), "\(run.errors)")
      }
      #expect(try travelog("log", logs).output == known)
      #expect(try travelog("verify", logs).code == 0)
    }
  }

  @Test("A write-ahead log is read up to the first frame that is not valid, as SQLite does.")
  func damagedLog() throws {
    try withTrips { path, logs in
      let wal = path + "-wal"
      let count = { try travelog("log", path).output.split(separator: "\n").count }
      #expect(try count() == 5)
      // The last frame ends the last commit.
      try overwrite(wal) { $0[$0.count - 10] ^= 1 }
      #expect(try count() == 4)
      for run in try [travelog("log", path), travelog("export", path, "--to", logs)] {
        #expect(run.code == 0 && run.errors.contains("has a wrong checksum"), "\(run.errors)")
      }
      let json = try travelog("export", path, "--to", logs, "--json")
      #expect(json.output.contains(#""kind":"damaged""#), "\(json.output)")
      // Another salt: none of the log belongs to the file.
      try overwrite(wal) { $0[40] ^= 1 }
      #expect(try travelog("log", path).output.isEmpty)
    }
  }

  @Test("A write-ahead log of another file, or without a valid header, is ignored with a note.")
  func ignoredLog() throws {
    try withTrips {
      try $0.checkpoint()
      _ = $0.insert("Trip", ["name": .text("Chile"), "start": .real(1)])
      try $0.save()
    } _: { path, _ in
      #expect(try travelog("log", path).output.hasPrefix("6  "))
      for (place, words) in [(40, "frame 1 has other salts"), (0, "its header is damaged")] {
        try overwrite(path + "-wal") { $0[place] ^= 1 }
        let run = try travelog("log", path)
        #expect(run.output.hasPrefix("5  ") && run.errors.contains(words), "\(run)")
      }
    }
  }

  @Test("A log that ends as SQLite leaves logs causes no note.")
  func soundLogs() throws {
    try withTrips { path, _ in
      let run = try travelog("log", path)
      #expect(run.errors.isEmpty)
    }
    // The frames after those of the new log are of the log before.
    try withTrips {
      try $0.checkpoint("RESTART")
      _ = $0.insert("Trip", ["name": .text("Chile"), "start": .real(1)])
      try $0.save()
    } _: { path, _ in
      let run = try travelog("log", path)
      #expect(run.errors.isEmpty && run.output.contains("6  "), "\(run)")
    }
  }

  @Test("A link instead of the file of a large value is an error, and a missing file is unknown.")
  func externalFiles() throws {
    try withTemporaryFolder { folder in
      let file = try AppleFile(folder.appending(path: "Music.sqlite"), .music)
      let song = file.insert("Song", ["name": .text("x"), "lyrics": .outside([1, 2, 3])])
      file.set(song, "rating", .integer(1))
      try file.save()
      let path = file.url.path
      #expect(try travelog("show", path, "1").output.contains("AQID"))
      let names = try FileManager.default.contentsOfDirectory(atPath: file.externalFolder.path)
      let large = file.externalFolder.appending(path: try #require(names.first))
      try FileManager.default.removeItem(at: large)
      let show = try travelog("show", path, "1")
      #expect(show.output.contains("lyrics: (unknown)"), "\(show.output) \(show.errors)")
      try FileManager.default.createSymbolicLink(
        atPath: large.path,
        withDestinationPath: "/etc/hostname"
      )
      #expect(try travelog("show", path, "1").code == 4)
    }
  }
}
