import ChangeLog

/// So often logs are read that other programs go on changing.
private let mostReadings = 10

/// Calls, and calls again where what came of it is not right and other programs put logs together, or
/// added some, meanwhile: what was listed before may be gone when it is opened.
///
/// - Parameters:
///   - logs: The folder.
///   - stores: The stores whose logs are read; nil for all.
///   - isRight: Tells whether a result is one of logs that are sound.
///   - body: What reads them.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
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

/// What lies in a folder; where that can't be told, whoever reads it says why.
private func listing(_ logs: LogFolder, stores: [String]?) -> Set<String>? {
  try? logs.listing(of: stores ?? logs.stores())
}
