import CommandLineKit
import FoundationEssentials
import Glibc
import Stopping
import Store

/// The tool: history into logs, logs into stores, and what changed, when, by whom.
@main
struct Travelog {
  static func main() {
    Interruption.listen(stop: StopRequest.make, cleanUp: Leftovers.removeAll)
    Store.prepareProcess()
    exit(
      program.run(processArguments(), environment: ProcessInfo.processInfo.environment)
    )
  }

  static let color = Parameter<ColorChoice>.flag(
    "color",
    type: .oneOf,
    fallback: "auto",
    help: "When to colour what is written."
  )
  static let json = Parameter<Bool>.toggle(
    "json",
    help: "Answer with JSON."
  )
  static let quiet = Parameter<Bool>.toggle(
    "quiet",
    short: "q",
    help: "Say nothing where all is well."
  )
  static let progress = Parameter<ProgressChoice>.flag(
    "progress",
    type: .oneOf,
    fallback: "auto",
    help: "When to tell how far it has got."
  )

  static let program: Program = Program(
    Command(
      "travelog",
      summary: "Replays a store's history into change logs, and logs into stores.",
      discussion: "A store keeps every save as a transaction. “export” writes what is new of them "
        + "into compressed logs and remembers in a token how far it got; “import” applies logs to "
        + "another store until it is the same; “verify” proves that logs are what was exported. "
        + "\(PackageFolders.documentation)/CLI_JSON.md describes the answers with --json.",
      examples: [
        .init(
          "travelog export trips.store --to logs",
          meaning: "Write what is new; fit for a cron job."
        ),
        .init("travelog import logs --into copy.store", meaning: "Make or continue a replica."),
        .init("travelog verify logs", meaning: "Prove that the logs are whole and unaltered."),
      ],
      parameters: [color, json, quiet, progress],
      environment: [
        .init("NO_COLOR", meaning: "Nothing is coloured where it is set to something."),
        .init("FORCE_COLOR", meaning: "Everything is coloured, terminal or not."),
      ],
      subcommands: [
        exportCommand, importCommand, verifyCommand, pruneCommand, statusCommand, compactCommand,
        recoverCommand, promoteCommand, checkCommand, logCommand, showCommand, blameCommand,
        diffCommand, reportCommand, undoCommand, eraseCommand, runCommand,
        .completions(for: "travelog"), .generate(for: { program }),
      ]
    ),
    version: "travelog 0.1.0",
    color: color,
    json: json,
    describe: describe
  )
}
