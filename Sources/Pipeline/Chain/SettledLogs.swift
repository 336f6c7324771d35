import ChangeLog

/// The maximum number of attempts to read logs that other programs keep changing.
private let mostReadings = 10

/// Calls `body`.
///
/// If `body` fails while other programs compact or add logs, it is called again.
///
/// For example, after `body` has listed a log, a compaction can remove the log before `body` opens
/// it.
///
/// - Parameters:
/// - logs: The folder.
/// - stores: The stores whose logs are read; nil for all.
/// - isRight: Whether a result is final. Otherwise `body` is called again if the logs have changed.
/// - body: Reads the logs.
/// - Returns: The result of the last call.
/// - Throws: The error of the last call.
func readingSettled<Result>(
  _ logs: LogFolder,
  of stores: [String]?,
  isRight: (Result) -> Bool = { _ in true },
  _ body: () throws -> Result
) throws -> Result {
  var reading = 1
  while true {
    let before = listing(logs, stores: stores)
    func isLast() -> Bool { reading == mostReadings || listing(logs, stores: stores) == before }
    do {
      let result = try body()
      if isRight(result) || isLast() { return result }
    } catch {
      guard error is LogError || error is PipelineError, !isLast() else { throw error }
    }
    reading += 1
  }
}

/// The names in a folder; nil if the folder can't be listed.
///
/// If the folder can't be listed, the code that reads the logs reports the reason.
private func listing(_ logs: LogFolder, stores: [String]?) -> Set<String>? {
  try? logs.listing(of: stores ?? logs.stores())
}
