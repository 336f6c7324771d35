import Adoption
import ChangeLog
import CommandLineKit
import Format
import Glibc
import Pipeline
import Store

extension Travelog {
  static let database = Parameter<String>.positional(
    "FILE",
    type: .file,
    help: "The SQLite database of a program."
  )
  static let migration = Parameter<[String]>.positionals(
    "COMMAND",
    type: .text,
    help: "The command that changes the tables; only with --suspend."
  )
  static let prefix = Parameter<String>.flag(
    "prefix",
    type: .text,
    fallback: CaptureNames.usualPrefix,
    help: "The prefix of the names of all added tables and triggers."
  )
  static let historyFile = Parameter<String?>.optional(
    "history",
    type: .file,
    placeholder: "HISTORY",
    help: "Keep the history in a new file of its own, and only read the database."
  )
  static let movedDatabase = Parameter<String?>.optional(
    "database",
    type: .file,
    placeholder: "PATH",
    help: "The present path of the database that the history file FILE follows."
  )
  static let watch = Parameter<Bool>.toggle(
    "watch",
    help: "Stay, and read each commit of the database of a history file."
  )
  static let pin = Parameter<Bool>.toggle(
    "pin",
    help: "With --watch: keep each commit in the write-ahead log until it is read."
  )
  static let interval = Parameter<Duration?>.optional(
    "interval",
    type: .duration,
    help: "With --watch: how often a database without a write-ahead log is read; 10s by default."
  )
  static let detach = Parameter<Bool>.toggle(
    "detach",
    help: "Remove the triggers and the history from the file."
  )
  static let detachLogs = Parameter<String?>.optional(
    "logs",
    type: .folder,
    placeholder: "LOGS",
    help: "With --detach: the logs that must have the whole history."
  )
  static let discardHistory = Parameter<Bool>.toggle(
    "discard-history",
    help: "With --detach: delete history that no log has."
  )
  static let newIdentity = Parameter<Bool>.toggle(
    "new-identity",
    help: "Give a copied file a new identifier, and begin a new history."
  )
  static let withoutTable = Parameter<[String]>.repeated(
    "without-table",
    type: .text,
    placeholder: "TABLE",
    help: "Leave out a table, also in a file that is already adopted."
  )
  static let withoutColumn = Parameter<[String]>.repeated(
    "without-column",
    type: .text,
    placeholder: "TABLE.COLUMN",
    help: "Leave out a column, also in a file that is already adopted."
  )
  static let recordAgain = Parameter<[String]>.repeated(
    "record",
    type: .text,
    placeholder: "NAME",
    help: "Record a table or TABLE.COLUMN again that was left out."
  )
  static let suspend = Parameter<Bool>.toggle(
    "suspend",
    help: "Run COMMAND without the triggers, and record its changes afterwards."
  )

  static let adoptCommand = Command(
    "adopt",
    summary: "Adds a history to the SQLite database of any program.",
    discussion:
      "Adds tables and triggers that record who changes what. The tables of the program do not "
      + "change, and if the command fails, nothing is added. All other commands accept an adopted "
      + "file as a store. \(PackageFolders.documentation)/ADOPT.md describes how a program names "
      + "the author of its changes, and how a program can change its tables. --without-table and "
      + "--without-column keep secrets such as session keys out of the history and its logs; what "
      + "the history already has stays until “erase”. --detach refuses to delete history that is in "
      + "no log. With --history, the history is in a file of its own, and the database is only read: for "
      + "programs that switch triggers off, and for files that must not change. Each command that opens "
      + "the history file then reads what is new in the database first.",
    examples: [
      "travelog adopt app.db --dry-run": "Show how each table would be recorded.",
      "travelog adopt app.db --without-table django_session --without-column auth_user.password":
        "Begin to record the history of a database, without what must not leave the machine.",
      "travelog adopt places.sqlite --history places.history":
        "Begin to record the history of a database without writing to it; then --watch.",
      "travelog adopt --suspend app.db -- ./migrate": "Run a program that adds or alters tables.",
    ],
    parameters: [
      database, historyFile, movedDatabase, watch, pin, interval, migration, prefix, withoutTable,
      withoutColumn,
      recordAgain, detach,
      detachLogs,
      discardHistory, newIdentity, suspend, dryRun,
    ],
    exitCodes: [.unreadable, .missing, .locked, .diverged, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    let path = given[database]
    let chosen = [
      given[detach], given[newIdentity], given[suspend], given[dryRun], given[watch],
      given[historyFile] != nil && !given[dryRun], given[movedDatabase] != nil,
    ]
    guard chosen.filter(\.self).count <= 1 else {
      throw contradiction(
        "--detach, --new-identity, --suspend, --dry-run, --watch, --history, --database"
      )
    }
    guard given[watch] || !given[pin] && given[interval] == nil else {
      throw CommandError(.usage) {
        "--pin and --interval have no effect without --watch.\nAdd --watch, or leave them out."
      }
    }
    for (flag, isGiven) in [
      ("--logs", given[detachLogs] != nil), ("--discard-history", given[discardHistory]),
    ] where isGiven && !given[detach] {
      throw CommandError(.usage) { "\(flag) has no effect without --detach.\nLeave out \(flag)." }
    }
    guard given[detachLogs] == nil || !given[discardHistory] else {
      throw contradiction("--logs, --discard-history")
    }
    guard given[suspend] != given[migration].isEmpty else {
      throw CommandError(.usage) {
        "--suspend needs a command, and a command needs --suspend."
          + "\nFor example: travelog adopt --suspend app.db -- ./migrate"
      }
    }
    let leftOut = try leftOutParts(tables: given[withoutTable], columns: given[withoutColumn])
    let changesParts = !leftOut.isEmpty || !given[recordAgain].isEmpty
    if changesParts, given[detach] || given[newIdentity] || given[suspend] {
      throw contradiction(
        "--detach, --new-identity, --suspend, --without-table, --without-column, --record"
      )
    }
    var answer = AdoptAnswer(store: path, dryRun: given[dryRun])
    if given[dryRun], try Store.isOfApple(path) {
      answer.reasonForHistoryFile = "it is a store of Core Data or SwiftData, which is only read"
      if !given[json] {
        try call.output.showLine(
          "A store of Core Data or SwiftData, which is only read."
            + " All commands that read a store can read it: "
            + shellLine(["travelog", "log", path])
        )
        try call.output.showLine(
          "To keep its history while the app deletes it: "
            + shellLine(["travelog", "adopt", path, "--history", "HISTORY"])
        )
      }
    } else if given[dryRun] {
      let tables =
        given[historyFile] == nil
        ? try Store.describeTables(of: path, leavingOut: leftOut)
        : try Store.describeFollowedTables(of: path, leavingOut: leftOut)
      if given[historyFile] == nil, !tables.isEmpty, try !Store.hasHistory(at: path) {
        answer.reasonForHistoryFile = try Store.reasonToFollow(path)
      }
      answer.tables = tables.map(AdoptAnswer.Table.init)
      answer.suggestions = tables.flatMap(\.suggestions)
      if !given[json] {
        if tables.isEmpty { try call.output.showLine("The file has no tables.") }
        for table in answer.tables ?? [] {
          try call.output.showLine(visible(table.message))
          for column in table.leftOut ?? [] {
            try call.output.showLine(visible("Column '\(table.name).\(column)' is left out."))
          }
        }
        if let reason = answer.reasonForHistoryFile {
          try call.output.showLine(
            visible("Better for this database, because \(reason): ")
              + shellLine(["travelog", "adopt", path, "--history", "HISTORY"])
          )
        }
        for suggestion in answer.suggestions ?? [] {
          try call.output.showLine(
            visible("The name says that it may be secret. To leave it out: \(suggestion)")
          )
        }
      }
    } else if given[detach] {
      var request = DetachRequest(store: path)
      if let folder = given[detachLogs] { request.logs = LogFolder(folder) }
      request.discardsHistory = given[discardHistory]
      let (line, tick) = call.tick()
      try Pipeline.detach(request, tick: tick)
      try line.clear()
      answer.action = "detached"
      try call.summarize("\(path): detached; the program's own tables did not change")
    } else if let moved = given[movedDatabase] {
      try Store.follow(path, movedTo: moved)
      answer.action = "moved"
    } else if given[watch] {
      var watch = DatabaseWatch(history: path)
      watch.isPinned = given[pin]
      if let interval = given[interval] { watch.interval = interval }
      try watch.run()
      try Interruption.check()
      answer.action = "watched"
    } else if given[newIdentity] {
      answer.identifier = try Store.renewIdentity(path)
      answer.action = "renewed"
      try call.summarize("\(path): now \(answer.identifier ?? "")")
    } else if given[suspend] {
      let status = try Store.suspend(path) { try run(given[migration]) }
      answer.action = "migrated"
      guard status == 0 else {
        throw CommandError(.failure) {
          "The command “\(given[migration].joined(separator: " "))” ended with status \(status)."
            + "\nThe triggers are restored, and the changes by the command are recorded."
        }
      }
    } else if given[historyFile] == nil,
      try !given[recordAgain].isEmpty || !leftOut.isEmpty && Store.hasHistory(at: path)
    {
      let added = try Store.leaveOut(path, adding: leftOut, removing: given[recordAgain])
      answer.action = "changed"
      answer.tables = try Store.describeTables(of: path).map(AdoptAnswer.Table.init)
      answer.kept = added.filter { $0.changes > 0 }.map {
        AdoptAnswer.Kept(name: $0.part.name, changes: $0.changes)
      }
      for (part, changes) in added where changes > 0 {
        try call.warn(
          "\(countText(Int(changes), noun: "change")) in the history of \(path) still have values of"
            + " '\(part.name)', and so do older logs.\n“travelog erase” removes them."
        )
      }
      try call.summarize("\(path): the tables and columns to leave out are changed")
    } else {
      let history = given[historyFile]
      let result: AdoptionResult
      if let history {
        result = try Store.follow(
          path,
          history: history,
          prefix: given[prefix],
          leavingOut: leftOut
        )
      } else {
        result = try Store.adopt(path, prefix: given[prefix], leavingOut: leftOut)
      }
      answer.action = "adopted"
      answer.identifier = result.identifier
      answer.rows = result.rows
      answer.tables = result.tables.map(AdoptAnswer.Table.init)
      for table in result.tables where table.recording != .refused(.leftOut) {
        let table = AdoptAnswer.Table(table)
        if !table.recorded, !given[quiet] { try call.warn(visible(table.message)) }
      }
      try call.summarize(
        history.map { "\($0): the history of \(path), with the identifier \(result.identifier)" }
          ?? "\(path): adopted as \(result.identifier)"
      )
    }
    if given[json] { try call.answer(answer) }
    return .success
  }
}

private func contradiction(_ flags: String) -> CommandError {
  CommandError(.usage) { "Only one of \(flags) is possible.\nLeave out the other flags." }
}

private func leftOutParts(tables: [String], columns: [String]) throws -> [LeftOut] {
  try tables.map { LeftOut(table: $0) }
    + columns.map { name in
      // The name of a table can have a dot, but hardly ever the name of a column.
      guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
        name.index(after: dot) != name.endIndex
      else {
        throw CommandError(.usage) {
          "\(quotedValue(name)) does not name a column."
            + "\nFor example: --without-column user.password"
        }
      }
      return LeftOut(table: String(name[..<dot]), column: String(name[name.index(after: dot)...]))
    }
}

/// Runs a program with the arguments and the environment of this process, and returns the program's
/// exit status.
private func run(_ words: [String]) throws -> Int32 {
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  // This process blocks SIGINT and SIGTERM and ignores SIGPIPE, and a program would inherit this.
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigaddset(&signals, SIGPIPE)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  var process = pid_t()
  let code = posix_spawnp(&process, words[0], nil, &attributes, &arguments, environ)
  guard code == 0 else {
    throw CommandError(.failure) {
      "Can't run \(quotedValue(words[0])): \(systemText(code)). The triggers are restored."
    }
  }
  // A signal ends the program, and then this process restores the triggers.
  Interruption.passSignals(to: process)
  // The id of the process belongs to it until `waitpid` returns.
  var end = siginfo_t()
  while waitid(P_PID, id_t(process), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  Interruption.passSignals(to: nil)
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0, errno == EINTR {}
  // The low bits contain the signal that ended the program.
  return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
}

/// The answer of `travelog adopt --json`.
struct AdoptAnswer: Codable {
  struct Table: Codable {
    let name: String
    let recorded: Bool
    let message: String
    let leftOut: [String]?

    init(_ table: TableDescription) {
      name = table.name
      message = table.description
      let columns = table.columns.filter(\.isLeftOut).map(\.name)
      leftOut = columns.isEmpty ? nil : columns
      recorded =
        switch table.recording {
        case .triggers, .through: true
        case .part, .refused: false
        }
    }
  }

  var schema = 1
  var type = "adopt"
  let store: String
  let dryRun: Bool
  var action = "described"
  var identifier: String?
  var rows: Int64?
  var tables: [Table]?
  /// Why the history should be in a file of its own; nil if triggers in the database are better.
  var reasonForHistoryFile: String?
  /// The flags that would leave out what looks like a secret.
  var suggestions: [String]?
  /// What is left out now, but still has values in history.
  var kept: [Kept]?

  struct Kept: Codable {
    let name: String
    let changes: Int64
  }

  init(store: String, dryRun: Bool) {
    self.store = store
    self.dryRun = dryRun
  }
}
