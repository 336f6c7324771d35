import ChangeLog

/// So often logs are read that other programs go on changing.
private let mostReadings = 10

/// Calls, and calls again where what came of it is not right and other programs put logs together, or
/// added some, meanwhile: what was listed before may be gone when it is opened.
func readingSettled<Result>(
  _ logs: LogFolder,
  isRight: (Result) -> Bool = { _ in true },
  _ body: () throws -> Result
) throws -> Result {
  var reading = 1
  while true {
    let before = try logs.listing()
    func isLast() throws -> Bool { try reading == mostReadings || logs.listing() == before }
    do {
      let result = try body()
      if try isRight(result) || isLast() { return result }
    } catch {
      guard error is LogError || error is PipelineError, try !isLast() else { throw error }
    }
    reading += 1
  }
}
