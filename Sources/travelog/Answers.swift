import Changes
import CommandLineKit
import FoundationEssentials
import Pipeline
import Report
import Store

extension Call {
  /// Called as a command goes on: draws how far it has got, and ends it where that is asked for.
  func tick(_ unit: String = "transactions") -> (line: ProgressLine, tick: Tick) {
    let isQuiet = arguments[Travelog.quiet]
    let line = ProgressLine(messages, choice: isQuiet ? .never : arguments[Travelog.progress])
    return (
      line,
      { progress in
        try Interruption.check()
        try line.draw(progress.transactions, of: progress.total, unit: unit)
      }
    )
  }

  /// Tells people how it went: on a terminal, and where nobody wants silence.
  func summarize(_ text: String) throws {
    guard !arguments[Travelog.quiet], messages.isTerminal else { return }
    try messages.showLine(text)
  }

  /// Tells people what is not as it should be, and is no error.
  func warn(_ text: String) throws {
    try messages.showLine(messages.style.yellow("warning:") + " " + text)
  }

  /// Writes what came of a command for programs.
  func answer(_ type: String, result: some Encodable) throws {
    let head = AnswerHead(type: type, dryRun: arguments[Travelog.dryRun])
    try answer(Joined(first: head, second: result))
  }

  /// Writes an answer for programs: one object, on a line of its own.
  func answer(_ value: some Encodable) throws {
    try output.write(bytes: answerLine(value))
  }

  func answer(_ object: JSONText) throws {
    try output.write(bytes: object.closed)
    try output.writeLine()
  }
}

/// A value as a line of JSON.
func answerLine(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.keyEncodingStrategy = .convertToSnakeCase
  return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
}

/// The members of two values as those of one object.
struct Joined<First: Encodable, Second: Encodable>: Encodable {
  let first: First
  let second: Second

  func encode(to encoder: any Encoder) throws {
    try first.encode(to: encoder)
    try second.encode(to: encoder)
  }
}

extension Joined: Decodable where First: Decodable, Second: Decodable {
  init(from decoder: any Decoder) throws {
    first = try First(from: decoder)
    second = try Second(from: decoder)
  }
}

/// What the answers of commands that have `--dry-run` begin with.
struct AnswerHead: Codable {
  var schema = 1
  let type: String
  let dryRun: Bool
}
