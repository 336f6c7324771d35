import CommandLineKit
import FoundationEssentials
import Store

extension Travelog {
  static let promoteCommand = Command(
    "promote",
    summary: "Makes a store of its own of a replica.",
    discussion:
      "A replica takes nothing but what is imported into it. Promoted, it is a store like "
      + "any other, with a new identifier and a history that begins now; the history of its origin "
      + "stays in the origin's logs. There is no way back.",
    examples: [.init("travelog promote copy.store", meaning: "Write to it from now on.")],
    parameters: [store],
    exitCodes: [.unreadable, .missing, .locked]
  ) { call in
    let given = call.arguments
    let store = try Store.open(.file(URL(fileURLWithPath: given[store])))
    let origin = store.identifier
    let identifier = try store.promote()
    if given[json] {
      try call.answer(
        PromoteAnswer(store: given[Travelog.store], origin: origin, identifier: identifier)
      )
    }
    try call.summarize("\(given[Travelog.store]): now a store of its own, \(identifier)")
    return .success
  }
}

/// What `travelog promote --json` says.
struct PromoteAnswer: Codable {
  var schema = 1
  var type = "promote"
  let store: String
  let origin: String
  let identifier: String
}
