import Changes
import CommandLineKit
import FoundationEssentials
import Pipeline
import Store

extension Call {
  /// Called as a command goes on: draws how far it has got, and ends it where that is asked for.
  func tick(_ unit: String = "transactions") -> (line: ProgressLine, tick: Tick) {
    let isQuiet = arguments[Travelog.quiet]
    let line = ProgressLine(messages, isQuiet ? .never : arguments[Travelog.progress])
    return (
      line,
      { progress in
        try Interruption.check()
        try line.draw(progress.transactions, of: progress.total, unit)
      }
    )
  }

  /// Tells people how it went: on a terminal, and where nobody wants silence.
  func summarize(_ text: String) throws {
    guard !arguments[Travelog.quiet], messages.isTerminal else { return }
    try messages.writeLine(text)
  }

  /// Tells people what is not as it should be, and is no error.
  func warn(_ text: String) throws {
    try messages.writeLine(messages.style.yellow("warning:") + " " + text)
  }

  /// Writes an answer for programs: one object, on a line of its own.
  func answer(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    try output.write(bytes: encoder.encode(value))
    try output.writeLine()
  }
}

/// A point as answers for programs have it.
struct PointAnswer: Codable {
  let lineage: Int64
  let transaction: Int64
  let digest: String

  init(_ point: HistoryPoint) {
    lineage = point.lineage
    transaction = point.transaction
    digest = point.digest.description
  }
}
