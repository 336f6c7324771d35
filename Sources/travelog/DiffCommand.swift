import Audit
import CommandLineKit
import Format
import Pipeline
import Report
import Store

enum DifferenceFormat: String, CaseIterable, Sendable {
  case text, json, csv, html, sql
}

extension Travelog {
  static let first = Parameter<String>.positional(
    "A",
    type: .file,
    help: "A store, log folder or log, with an optional point: trips.store@412."
  )
  static let second = Parameter<String>.positional(
    "B",
    type: .file,
    help: "The store, log folder or log to compare A with."
  )
  static let differenceFormat = Parameter<DifferenceFormat?>.optional(
    "format",
    type: .oneOf,
    help: "The output format; text unless --json is given."
  )

  static let diffCommand = Command(
    "diff",
    summary: "Shows how two stores, or two points in a history, differ.",
    discussion:
      "A plus sign marks an object that is only in B, a minus sign an object that is only in A. A "
      + "tilde marks an object that differs, with its values in A and in B. With --format sql, "
      + "the output is a script for the sqlite3 shell that turns A into B. A pruned store can "
      + "show only the states that its remaining history covers. To compare an earlier state, "
      + "name the log folder of the store.",
    examples: [
      "travelog diff trips.store copy.store": "Compare two stores.",
      "travelog diff trips.store logs": "Compare a store with its logs.",
      "travelog diff trips.store@400 trips.store --entity Trip":
        "Show how trips changed after transaction 400.",
      "travelog diff old.store new.store --format sql":
        "Write a script that turns the first store into the second.",
    ],
    parameters: [first, second, differenceFormat, entity, object, attribute],
    exitCodes: [
      .found, .unreadable, .missing, .locked, .historyGap, .schemaMismatch, .filteredLog,
      .interrupted, .terminated,
    ]
  ) { call in
    let given = call.arguments
    let format = given[differenceFormat] ?? (given[json] ? .json : .text)
    var filter = AuditFilter()
    filter.entity = given[entity]
    filter.id = given[object]
    filter.attribute = given[attribute]
    guard format != .sql || !filter.isAboutChanges else {
      throw CommandError(.usage) {
        "--format sql writes all differences, so it can't be combined with filters."
          + "\nLeave out --entity, --id and --attribute."
      }
    }
    let (line, tick) = call.tick()
    let (left, right) = try StoreState.pair(given[first], given[second], tick: tick)
    try line.clear()
    let differences = try StoreDifferences(left, right)
    try filter.resolve(right.reader.schemas().map(\.schema), of: given[second])
    var counts = ChangeCounts()
    if format == .sql {
      return try writeScript(for: differences) { try call.output.write(bytes: $0) }
        ? .found : .success
    }
    if format == .csv { try call.output.write(DifferenceTable.heading) }
    let page = DifferencePage(
      given[first],
      given[second],
      words: differences.schema.words,
      produced: production()
    )
    let marks = call.output.marks
    let name: NameLookup = { differences.name(of: $0, id: ObjectID($1)) }
    try differences.objects(filter) { difference in
      counts.count(difference.kind)
      if counts.all & 0xff == 0 { try Interruption.check() }
      switch format {
      case .text: try call.output.write(text(of: difference, marks: marks, name: name))
      case .json:
        var object = JSONText(type: "difference")
        object.add("difference", object: JSONText(difference))
        try call.answer(object)
      case .csv: try call.output.write(DifferenceTable.rows(of: difference))
      case .html: try page.add(difference)
      case .sql: break
      }
    }
    switch format {
    case .json:
      var object = JSONText(type: "diff_summary")
      object.add("a", text: given[first])
      object.add("b", text: given[second])
      object.add("same", truth: counts.all == 0)
      object.add(counts)
      try call.answer(object)
    case .html: try page.write { try call.output.write(bytes: $0) }
    case .text:
      try call.summarize(
        counts,
        between: given[first],
        and: given[second],
        noun: differences.schema.words.object,
        isFiltered: filter.isAboutChanges
      )
    case .csv, .sql: break
    }
    return counts.all == 0 ? .success : .found
  }
}
