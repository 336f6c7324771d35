import CommandLineKit
import Format
import FoundationEssentials
import Store

extension Travelog {
  static let promoteCommand = Command(
    "promote",
    summary: "Turns a replica into an independent store.",
    discussion:
      "A replica accepts only imports. A promoted replica is an independent store with a new "
      + "identifier and a new history. The earlier history remains in the logs of the origin. A "
      + "promotion can't be undone.",
    examples: [
      "travelog promote copy.store": "Allow programs to write to the replica."
    ],
    parameters: [store],
    exitCodes: [.unreadable, .missing, .locked]
  ) { call in
    let given = call.arguments
    let store = try Store.open(.file(URL(fileURLWithPath: given[store])))
    let origin = store.identifier
    let altered = store.isReplica ? try store.uncapturedTables() : []
    let identifier = try store.promote { trigger, table in
      try call.warn(
        "Trigger '\(visible(trigger))' is left out, because it uses '\(visible(table))', which is not recorded."
      )
    }
    for name in store.leftOutNames {
      try call.warn(
        "'\(visible(name))' was left out of the history, so the store does not have its values."
      )
    }
    // The promoted store begins with the rows as they are.
    for table in altered {
      try call.warn(
        "A program changed rows of '\(visible(table))' in the replica, so they differ from those of its origin."
      )
    }
    if given[json] {
      try call.answer(
        PromoteAnswer(store: given[Travelog.store], origin: origin, identifier: identifier)
      )
    }
    try call.summarize("\(given[Travelog.store]): now an independent store, \(identifier)")
    return .success
  }
}

/// The answer of `travelog promote --json`.
struct PromoteAnswer: Codable {
  var schema = 1
  var type = "promote"
  let store: String
  let origin: String
  let identifier: String
}
