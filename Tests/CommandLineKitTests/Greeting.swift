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
    variable: "GREET_TIMES",
    help: "How often."
  )
  static let mood = Parameter<String?>.optional(
    "mood",
    short: "m",
    type: .word(of: ["glad", "gloomy"]),
    help: "In what mood."
  )
  static let gifts = Parameter<[String]>.repeated("gift", type: .text, help: "What to bring.")
  static let loud = Parameter<Bool>.toggle("loud", short: "l", help: "In capitals.")
  static let verbose = Parameter<Int>.count("verbose", short: "v", help: "Say more.")
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
  static func arguments(
    _ words: String...,
    environment: [String: String] = [:]
  ) throws -> Arguments {
    guard
      case .run(_, let arguments) = try parse(words, for: command, environment: environment)
    else { throw CommandError(.failure, message: "nothing to run") }
    return arguments
  }

  static func error(_ words: String..., environment: [String: String] = [:]) -> CommandError? {
    do {
      _ = try parse(words, for: command, environment: environment)
      return nil
    } catch {
      return (error as? any ShownError)?.shown
    }
  }
}
