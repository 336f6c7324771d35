import ChangeLog
import CommandLineKit
import Format
import FoundationEssentials
import Glibc
import Pipeline
import SQLite
import Stopping
import Store

@main
struct Travelog {
  static func main() {
    Interruption.listen(stop: StopRequest.make, cleanUp: Leftovers.removeAll)
    Store.prepareProcess()
    let status = program.run(
      processArguments(),
      environment: ProcessInfo.processInfo.environment
    )
    // The history file of a store that was only read.
    Leftovers.removeAll()
    exit(status)
  }

  static let color = Parameter<ColorChoice>.flag(
    "color",
    type: .oneOf,
    fallback: "auto",
    help: "When to color the output."
  )
  static let json = Parameter<Bool>.toggle("json", help: "Write the answer as JSON.")
  static let quiet = Parameter<Bool>.toggle(
    "quiet",
    short: "q",
    help: "Write nothing unless something is wrong."
  )
  static let progress = Parameter<ProgressChoice>.flag(
    "progress",
    type: .oneOf,
    fallback: "auto",
    help: "When to show progress."
  )

  static let noRead = Parameter<Bool>.toggle(
    "no-read",
    help: "Do not read the database of a history file."
  )

  static let program: Program = Program(
    Command(
      "travelog",
      summary: "Exports the history of stores to change logs, and restores stores from them.",
      discussion:
        "A store records every save as a transaction, and “adopt” makes the database of any program "
        + "a store. “export” writes new transactions to compressed logs, “import” applies logs to a "
        + "replica, and “verify” checks that logs are complete and unaltered. "
        + "\(PackageFolders.documentation)/CLI_JSON.md describes the JSON that --json writes.",
      examples: [
        "travelog adopt app.db": "Give a history to the SQLite database of any program.",
        "travelog export trips.store --to logs": "Write new transactions to logs.",
        "travelog import logs --into copy.store": "Create or update a replica.",
        "travelog verify logs": "Verify that the logs are complete and unaltered.",
        "travelog log trips.store": "List what changed.",
      ],
      parameters: [color, json, quiet, progress, noRead],
      environment: [
        "NO_COLOR": "Disables colors, unless the variable is empty.",
        "FORCE_COLOR": "Enables colors, even if the output is not a terminal.",
      ],
      groups: [
        "Adopt": [adoptCommand],
        "Export and restore": [exportCommand, importCommand, promoteCommand, recoverCommand],
        "Look": [
          logCommand, showCommand, blameCommand, diffCommand, queryCommand, reportCommand,
        ],
        "Prove": [verifyCommand, checkCommand, checkpointCommand, proveCommand],
        "Maintain": [statusCommand, undoCommand, eraseCommand, pruneCommand, compactCommand],
        "Install": [.completions(for: "travelog"), .generate(for: { program })],
      ]
    ),
    version: "travelog 0.1.0",
    libraries: {
      ["SQLite \(Connection.libraryVersion)"] + compressionLibraries
        + (cryptoVersion.map { ["libcrypto of \($0)"] } ?? [])
    },
    color: color,
    json: json,
    prepare: { given in Options.skipsReading = given[noRead] },
    describe: describe
  )
}

extension Call {
  /// Locks a folder, which must contain logs; in a dry run, the folder is not locked.
  func lock(_ logs: LogFolder, purpose: String) throws -> FolderLock? {
    try checkHasLogs(logs)
    guard !arguments[Travelog.dryRun] else { return nil }
    return try FolderLock(logs, wait: arguments[Travelog.lockWait], purpose: purpose)
  }
}
