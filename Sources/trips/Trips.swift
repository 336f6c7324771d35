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
    help: "When to color the output."
  )
  static let json = Parameter<Bool>.toggle(
    "json",
    help: "Write the answer as JSON, one object per line."
  )
  static let store = Parameter<String>.positional("STORE", type: .file, help: "The store of trips.")
  static let name = Parameter<String>.positional("NAME", type: .text, help: "The name of the trip.")

  static let program: Program = Program(
    Command(
      "trips",
      summary: "Manages trips, with their bucket lists and places to stay.",
      discussion:
        "Lists, plans and books trips: the SampleTrips app for a terminal. The history of the "
        + "store shows who changed what. The widget of the app is a separate process with its own "
        + "author name. “trips seed” creates stores of any size.",
      examples: [
        "trips seed trips.store --changes 2000 --seed 1": "Create a sample store.",
        "trips list trips.store": "List the trips of a store.",
      ],
      parameters: [color, json],
      environment: [
        "NO_COLOR": "Disables colors, unless the variable is empty.",
        "FORCE_COLOR": "Enables colors, even if the output is not a terminal.",
      ],
      subcommands: [
        list, show, add, edit, delete, book, seed, widget, .completions(for: "trips"),
      ]
    ),
    version: "trips 0.1.0",
    color: color,
    json: json,
    describe: describe
  )
}
