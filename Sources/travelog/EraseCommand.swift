import Audit
import ChangeLog
import CommandLineKit
import Format
import Pipeline

extension Travelog {
  static let erasedEntity = Parameter<String>.required(
    "entity",
    type: .text,
    placeholder: "NAME",
    help: "The object's entity."
  )
  static let erasedObject = Parameter<ObjectID>.required(
    "id",
    type: .objectID,
    help: "The object's id."
  )
  static let erasedAttributes = Parameter<[String]>.repeated(
    "attribute",
    type: .text,
    placeholder: "NAME",
    help: "Erase only the values of this attribute or to-one relationship."
  )
  static let erasedStore = Parameter<String?>.optional(
    "store",
    type: .file,
    placeholder: "STORE",
    help: "Also erase the values from this store's history."
  )
  static let erasingReason = Parameter<String?>.optional(
    "reason",
    type: .text,
    placeholder: "TEXT",
    help: "The reason to write into the erasure record."
  )
  static let erasingAuthor = Parameter<String?>.optional(
    "author",
    type: .text,
    placeholder: "NAME",
    help: "The name to write into the erasure record."
  )

  static let eraseCommand = Command(
    "erase",
    summary: "Erases an object's values from logs, and from a store's history.",
    discussion: "All values that the object ever had are removed from logs and snapshots, "
      + "including large values. The chain stays verifiable. With --store, the values are also "
      + "removed from the store's history. A new transaction of the store records who erased "
      + "what, when and why, and the command exports this transaction. If values of more than "
      + "50,000 changes are erased, several transactions record this. Without --store, the "
      + "history of the store keeps the values. In this case, only the file _erasures.ndjson "
      + "records the erasure, and no transaction confirms this record. A value that the object "
      + "still has can't be erased: first change or delete the value in the store, and export the "
      + "change. Copies of logs in other places are not changed. The next run completes an "
      + "interrupted erasure.",
    examples: [
      "travelog erase logs --entity Person --id 7 --store people.store --reason \"case 12\"":
        "Erase the values of a deleted person.",
      "travelog erase logs --entity Person --id 7 --attribute phone --dry-run":
        "List the logs that contain a person's earlier telephone numbers.",
    ],
    parameters: [
      logs, erasedEntity, erasedObject, erasedAttributes, erasedStore, erasingReason, erasingAuthor,
      dryRun, lockWait,
    ],
    files: [
      "LOGS/store=UUID/lineage=N/_erasures.ndjson":
        "Records of erasures without --store.",
      "LOGS/store=UUID/_erasing.json": "Marks an erasure that is not finished.",
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
    request.reason = given[erasingReason]
    request.author = given[erasingAuthor]
    request.isDryRun = given[dryRun]
    let lock = try call.lock(request.logs, purpose: "travelog erase")
    defer { withExtendedLifetime(lock) {} }
    let (line, tick) = call.tick()
    let result = try erase(request, tick: tick)
    try line.clear()
    if given[json] { try call.answer("erase", result: result) }
    try call.summarize(result, of: "\(given[erasedEntity]) \(given[erasedObject])")
    return .success
  }
}
