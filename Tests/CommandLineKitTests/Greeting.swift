@testable import CommandLineKit

/// A program with each kind of parameter.
enum Greeting {
  static let name = Parameter<String>.positional("NAME", type: .text, help: "Who to greet.")
  static let others = Parameter<[String]>.positionals("OTHER", type: .text, help: "Who else.")
  static let times = Parameter<Int>.flag(
    "times",
    short: "t",
    type: .integer(in: 1...10),
    fallback: "1",
    help: "How often."
  )
  enum Mood: String, CaseIterable, Sendable { case glad, gloomy }
  static let mood = Parameter<Mood?>.optional(
    "mood",
    short: "m",
    type: .oneOf,
    placeholder: "WORD",
    help: "In what mood."
  )
  static let gifts = Parameter<[String]>.repeated("gift", type: .text, help: "What to bring.")
  static let loud = Parameter<Bool>.toggle("loud", short: "l", help: "In capitals.")
  static let verbose = Parameter<Bool>.toggle("verbose", short: "v", help: "Say more.")
  static let file = Parameter<String>.required("log", type: .file, help: "Where to note it.")

  static let command = Command(
    "greet",
    summary: "Greets people.",
    parameters: [verbose],
    environment: ["LANG": "The language."],
    subcommands: [
      Command(
        "hello",
        summary: "Says hello.",
        discussion: "Politely, and as often as is asked for.",
        examples: ["greet hello Kim --times 3": "Three times."],
        parameters: [name, others, times, mood, gifts, loud],
        exitCodes: [.missing]
      ) { _ in .success },
      Command("note", summary: "Notes it.", parameters: [file]) { _ in .success },
      Command(
        "deep",
        summary: "Goes deeper.",
        subcommands: [Command("down", summary: "All the way down.") { _ in .success }]
      ),
    ]
  )

  /// The arguments that are parsed from words after the program's name.
  static func arguments(_ words: String...) throws -> Arguments {
    guard case .run(_, let arguments) = try parse(words, for: command)
    else { throw CommandError(.failure, message: "nothing to run") }
    return arguments
  }

  /// The error that the words give.
  static func error(_ words: String...) -> CommandError? {
    do {
      _ = try parse(words, for: command)
      return nil
    } catch {
      return error as? CommandError
    }
  }
}
