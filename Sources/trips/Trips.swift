import CommandLineKit
import Foundation
import Stopping
import Store

/// The SampleTrips app for a terminal.
@main
struct Trips {
  static func main() {
    Interruption.listen(stop: StopRequest.make, cleanUp: Leftovers.removeAll)
    let code = program.run(
      processArguments(),
      environment: ProcessInfo.processInfo.environment
    )
    exit(code)
  }

  static let color = Parameter<ColorChoice>.flag(
    "color",
    type: .oneOf,
    fallback: "auto",
    help: "When to colour what is written."
  )
  static let json = Parameter<Bool>.toggle(
    "json",
    help: "Answer with JSON, one object a line."
  )
  static let store = Parameter<String>.positional("STORE", type: .file, help: "The store of trips.")
  static let name = Parameter<String>.positional("NAME", type: .text, help: "The name of the trip.")

  static let program: Program = Program(
    Command(
      "trips",
      summary: "Keeps trips, with what to do on them and where to stay.",
      discussion: "The SampleTrips app for a terminal: it lists, plans and books trips in a store "
        + "whose history tells who changed what. Its widget is another process with a name of its "
        + "own, and a seeded generator makes stores of any size to try things with.",
      examples: [
        .init(
          "trips seed trips.store --changes 2000 --seed 1",
          meaning: "Make a store to look at."
        ),
        .init("trips list trips.store", meaning: "See what is in it."),
      ],
      parameters: [color, json],
      environment: [
        .init("NO_COLOR", meaning: "Nothing is coloured where it is set to something."),
        .init("FORCE_COLOR", meaning: "Everything is coloured, terminal or not."),
      ],
      subcommands: [
        list, show, add, edit, delete, book, seed, widget, .completions(for: "trips"),
        .generate(for: { program }),
      ]
    ),
    version: "trips 0.1.0",
    color: color,
    json: json,
    describe: describe
  )
}
