import Audit
import CommandLineKit
import Format
import Pipeline
import Report

extension Travelog {
  static let entityName = Parameter<String>.positional(
    "ENTITY",
    type: .text,
    help: "The object's entity, or an entity from which it inherits."
  )
  static let objectPlace = Parameter<ObjectID?>.optional(
    "ID",
    type: .objectID,
    isPositional: true,
    help: "The object's id; --where finds an object by a value instead."
  )
  static let whole = Parameter<Bool>.toggle(
    "history",
    help: "Also show all changes of the object, the oldest first."
  )
  static let condition = Parameter<Assignment?>.optional(
    "where",
    type: .assignment,
    help: "Find the object, existing or deleted, that has or had this value."
  )

  static let blameCommand = Command(
    "blame",
    summary: "Shows who last set each value of an object.",
    discussion: "Each attribute and relationship is shown with its previous value and with the "
      + "transaction that set its value: its time, author, reason and request. Values that were "
      + "inserted together share the line about their transaction. A deleted object "
      + "is shown with its last values.",
    examples: [
      "travelog blame trips.store Trip 7": "Show who set the values of trip 7.",
      "travelog blame logs@2026-11-03 Trip 7 --history": "Show all changes of trip 7 up to a time.",
      "travelog blame logs Trip --where name=Oslo": "Find a trip by its name.",
    ],
    parameters: [
      source, entityName, objectPlace, whole, condition, tableFormat, author, reason, request,
      attribute, since, before,
    ],
    exitCodes: [
      .unreadable, .missing, .locked, .historyGap, .diverged, .filteredLog, .interrupted,
      .terminated,
    ]
  ) { call in
    let given = call.arguments
    let format = given[tableFormat] ?? (given[json] ? .json : .text)
    guard format != .csv || !given[whole] else {
      throw CommandError(.usage) {
        "--format csv writes a row for each value of the object, without its earlier changes."
          + "\nLeave out --history; “travelog log --format csv” lists all changes."
      }
    }
    let filter = try call.filterOfObject()
    let history = try call.history()
    let (line, tick) = call.tick()
    let id = try objectID(call, history: history, tick: tick)
    let marks = call.output.marks
    let result = try blame(
      history,
      entity: given[entityName],
      id: id,
      filter: filter,
      tick: tick
    ) { difference, transaction in
      guard given[whole] else { return }
      try line.clear()
      if format == .json {
        var object = JSONText(type: "object_change")
        object.add("transaction", number: transaction.id)
        object.add("time", text: transaction.time)
        object.add("author", text: transaction.author)
        object.add("reason", text: transaction.reason)
        object.add("request", text: transaction.request)
        object.add("difference", object: JSONText(difference))
        try call.answer(object)
      } else {
        let summary = TransactionSummary(transaction: transaction, entities: [])
        let form = textTimeline(
          marks,
          width: 0,
          hasStatistics: false,
          hasChanges: false,
          usual: history.outline.schema.usualOperation
        )
        try call.output.write(bytes: form.head(summary))
        try call.output.write(text(of: difference, marks: marks, indent: "    "))
      }
    }
    try line.clear()
    switch format {
    case .json: try call.answer(JSONText(result))
    case .csv: try call.output.write(ChangeTable.heading + ChangeTable.rows(of: result))
    case .text:
      if given[whole] { try call.output.writeLine() }
      let usual = history.outline.schema.usualOperation
      try call.output.write(text(of: result, marks: marks, usual: usual))
    }
    return .success
  }

  /// The given id, or the id of the only object that has the given value.
  private static func objectID(_ call: Call, history: History, tick: Tick) throws -> ObjectID {
    let given = call.arguments
    switch (given[objectPlace], given[condition]) {
    case (let id?, nil): return id
    case (nil, let wanted?):
      let name = wanted.name
      let value = wanted.value
      let found = try findObjects(
        in: history,
        entity: given[entityName],
        property: name,
        text: value,
        tick: tick
      )
      guard let first = found.first else {
        let (entity, source) = (given[entityName], history.name)
        throw CommandError(.missing) {
          "No \(entity) of \(source) has or had the \(name) \(inQuotes(abbreviated(value)))."
            + "\nThe whole value must match. List all values: travelog log \(source) --entity"
            + " \(entity) --patch"
        }
      }
      guard found.count == 1 else {
        throw CommandError(.usage) {
          "\(listText(found.map { "\($0.entity) \($0.id)" })) have or had the \(name)"
            + " \(inQuotes(abbreviated(value))).\nGive one of these ids."
        }
      }
      return first.id
    default:
      throw CommandError(.usage) {
        "The command line does not name an object.\nGive the object's id, or --where."
      }
    }
  }
}

struct Assignment: Sendable {
  let name: String
  let value: String
}

extension CommandLineKit.ValueType where Value == Assignment {
  static let assignment = CommandLineKit.ValueType<Assignment>(
    placeholder: "NAME=VALUE",
    forms: "an attribute and its value such as name=Oslo"
  ) { text in
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
    return Assignment(
      name: String(text[..<sign]),
      value: String(text[text.index(after: sign)...])
    )
  }
}
