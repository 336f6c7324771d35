import Audit
import ChangeLog
import CommandLineKit
import Pipeline
import Store

extension Travelog {
  static let erasedEntity = Parameter<String>.required(
    "entity",
    type: .text,
    placeholder: "NAME",
    help: "The object's entity."
  )
  static let erasedObject = Parameter<Int64>.required(
    "id",
    type: .objectID,
    help: "The object's id."
  )
  static let erasedAttributes = Parameter<[String]>.repeated(
    "attribute",
    type: .text,
    placeholder: "NAME",
    help: "Erase the values of this attribute, or of this relationship to one; all otherwise."
  )
  static let erasedStore = Parameter<String?>.optional(
    "store",
    type: .file,
    placeholder: "STORE",
    help: "Erase the values from this store's history too."
  )
  static let reason = Parameter<String?>.optional(
    "reason",
    type: .text,
    placeholder: "TEXT",
    help: "Why, as the records are to say."
  )
  static let erasingAuthor = Parameter<String?>.optional(
    "author",
    type: .text,
    placeholder: "NAME",
    help: "Who does it, as the records are to say."
  )

  static let eraseCommand = Command(
    "erase",
    summary: "Erases values of an object from logs, and from a store's history.",
    discussion: "Every value that the object had goes from logs, snapshots and large values; the "
      + "transactions keep their digests, and _erasures.ndjson says who erased what, when and why. "
      + "What the object still has is refused: change or delete it in the store, and export that "
      + "first. Give --store too, so that the store's own history is without the values. Copies of "
      + "logs that are elsewhere are out of reach. A run that was stopped is ended by the next.",
    examples: [
      .init(
        "travelog erase logs --entity Person --id 7 --store people.store --reason \"case 12\"",
        meaning: "Erase what there was of a deleted person."
      ),
      .init(
        "travelog erase logs --entity Person --id 7 --attribute phone --dry-run",
        meaning: "See where earlier telephone numbers of a person stand."
      ),
    ],
    parameters: [
      logs, erasedEntity, erasedObject, erasedAttributes, erasedStore, reason, erasingAuthor,
      dryRun, lockWait,
    ],
    files: [
      .init(
        "LOGS/store=UUID/lineage=N/_erasures.ndjson",
        meaning: "The records of what was erased."
      ),
      .init(
        "LOGS/store=UUID/_erasing.json",
        meaning: "Says that an erasure was begun, until it is finished."
      ),
    ],
    exitCodes: [.unreadable, .missing, .locked, .diverged, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    var request = EraseRequest(
      logs: LogFolder(given[logs]),
      entity: given[erasedEntity],
      object: given[erasedObject]
    )
    request.attributes = given[erasedAttributes]
    request.store = given[erasedStore]
    request.reason = given[reason]
    request.author = given[erasingAuthor]
    request.isDryRun = given[dryRun]
    let lock = try call.lock(request.logs, purpose: "travelog erase")
    defer { withExtendedLifetime(lock) {} }
    let (line, tick) = call.tick()
    let result = try erase(request, tick: tick)
    try line.clear()
    if given[json] { try call.answer("erase", result: result) }
    let history =
      result.storeTransactions
      .map { ", and in \(counted($0, noun: "transaction")) of the store's history" }
      ?? (given[erasedStore] == nil ? "; the store's own history was left as it is" : "")
    try call.summarize(
      "\(given[erasedEntity]) \(given[erasedObject]):"
        + " \(given[dryRun] ? "would erase" : "erased") \(counted(result.values, noun: "value")) in"
        + " \(counted(result.transactions, noun: "transaction"))"
        + " of \(counted(Int64(result.files.count), noun: "log"))" + history
    )
    return .success
  }
}
