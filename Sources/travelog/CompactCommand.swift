import ChangeLog
import CommandLineKit
import Pipeline

extension Travelog {
  static let compactCommand = Command(
    "compact",
    summary: "Merges small logs into larger ones.",
    discussion:
      "The lines and their digests stay the same. Each small log is verified while its lines are "
      + "copied, and removed when the larger log is complete. Filtered logs are merged only with "
      + "logs of the same filter.",
    examples: [
      "travelog compact logs": "Merge logs up to a size of 256 MiB.",
      "travelog compact logs --max-file-size 1GiB --dry-run": "See what would be merged.",
    ],
    parameters: [logs, maximumFileSize, level, dryRun, lockWait],
    exitCodes: [.unreadable, .missing, .locked, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    var request = CompactRequest(logs: LogFolder(given[logs]))
    request.maximumFileSize = given[maximumFileSize]
    request.level = given[level]
    request.isDryRun = given[dryRun]
    let lock = try call.lock(request.logs, purpose: "travelog compact")
    defer { withExtendedLifetime(lock) {} }
    let (line, tick) = call.tick()
    let results = try compact(request, tick: tick)
    try line.clear()
    for result in results {
      if given[json] { try call.answer("compact", result: result) }
      try call.summarize(result)
    }
    return .success
  }
}
