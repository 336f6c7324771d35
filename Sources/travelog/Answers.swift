import CommandLineKit
import Format
import FoundationEssentials
import Pipeline
import Report

extension Call {
  /// The progress line, and a function that draws the line and that stops the command after a
  /// signal.
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

  /// Writes a result for people, if the output is a terminal and `--quiet` was not given.
  func summarize(_ text: String) throws {
    guard !arguments[Travelog.quiet], messages.isTerminal else { return }
    try messages.showLine(visible(text))
  }

  /// Writes a message for the user about a problem that is not an error.
  ///
  /// The text can have several lines, so the caller must make names in it visible.
  func warn(_ text: String) throws {
    try messages.showLine(messages.style.yellow("warning:") + " " + text)
  }

  /// Writes an error of a command that continues after the error.
  func report(_ error: CommandError) throws {
    if arguments[Travelog.json] {
      try messages.write(error.json)
    } else {
      try warn("\(error)")
    }
  }

  /// Writes the first findings as messages if `--json` was given.
  ///
  /// The mail of a job contains the messages of its steps, but not their answers.
  func warn(findings: [String], of count: Int) throws {
    guard arguments[Travelog.json] else { return }
    let listed = findings.prefix(3)
    for finding in listed { try warn(finding) }
    if count > listed.count {
      let rest = Int64(count - listed.count)
      try warn("\(counted(rest, noun: "more finding")); the answer has all of them")
    }
  }

  /// Writes the result of a command with the option `--dry-run` as JSON.
  func answer(_ type: String, result: some Encodable) throws {
    let head = AnswerHead(type: type, dryRun: arguments[Travelog.dryRun])
    try answer(Joined(first: head, second: result))
  }

  /// Writes an answer as one line of JSON.
  func answer(_ value: some Encodable) throws {
    try output.write(bytes: answerLine(value))
  }

  func answer(_ object: JSONText) throws {
    try output.write(bytes: object.closed)
    try output.writeLine()
  }
}

func answerLine(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.keyEncodingStrategy = .convertToSnakeCase
  return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
}

/// A JSON object with the keys of two values.
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

/// The first keys in the answer of a command with the option `--dry-run`.
struct AnswerHead: Codable {
  var schema = 1
  let type: String
  let dryRun: Bool
}

/// The first keys in the answer of a command without the option `--dry-run`.
struct TypeHead: Codable {
  var schema = 1
  let type: String
}

/// A command line whose words are quoted for a shell.
func shellLine(_ words: [String]) -> String {
  words.map { word in
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        let scalar = Unicode.Scalar(byte)
        return "+,-./:=@_%".unicodeScalars.contains(scalar) || "0"..."9" ~= scalar
          || "a"..."z" ~= scalar || "A"..."Z" ~= scalar
      }
    // Scalars are compared instead of characters, because a quote with a combining accent is one
    // character.
    return isPlain
      ? word : "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }.joined(separator: " ")
}
