import ChangeLog
import CommandLineKit
import Pipeline

extension Travelog {
  static let compactCommand = Command(
    "compact",
    summary: "Puts many small logs into few large ones.",
    discussion: "The lines stay the same, and with them all digests. Each log is verified while it "
      + "is copied; the small ones go when the large one is there. Partial logs of one"
      + " kind are put together with each other.",
    examples: [.init("travelog compact logs", meaning: "Put together what fits into 256 MiB.")],
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
      try call.summarize(
        "store \(result.store), lineage \(result.lineage)"
          + "\(result.partial.map { ", partial: \($0)" } ?? ""):"
          + " \(given[dryRun] ? "would make" : "made") \(counted(Int64(result.filesAfter), noun: "log")) of"
          + " \(result.filesBefore), \(byteCount(result.bytesBefore)) ->"
          + " \(byteCount(result.bytesAfter))"
      )
    }
    return .success
  }
}
