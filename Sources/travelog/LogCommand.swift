import Audit
import CommandLineKit
import Format
import Pipeline
import Report

enum TableFormat: String, CaseIterable, Sendable {
  case text, json, csv
}

extension Travelog {
  static let tableFormat = Parameter<TableFormat?>.optional(
    "format",
    type: .oneOf,
    help: "The output format; text unless --json is given."
  )
  static let statistics = Parameter<Bool>.toggle(
    "stat",
    help: "Show the number of changes of each entity on a separate line."
  )
  static let patch = Parameter<Bool>.toggle(
    "patch",
    short: "p",
    help: "Show every change with its values before and after."
  )
  static let grouping = Parameter<TimelineGrouping?>.optional(
    "by",
    type: .oneOf,
    help: "Show totals for each author or day."
  )
  static let limit = Parameter<Int64?>.optional(
    "limit",
    short: "l",
    type: .limit,
    help: "Show at most this many transactions."
  )

  static let logCommand = Command(
    "log",
    summary: "Lists transactions, the newest first.",
    discussion: "Each line shows a transaction, its time and author, and how many objects of "
      + "each entity were inserted (+), updated (~) and deleted (-). In an adopted file, = counts "
      + "rows that were only recorded again, because a change was not captured. If the transaction has a reason "
      + "and a request, they follow the author, as in billing: ticket 7 (POST /pay). Brackets mark "
      + "transactions that are not ordinary saves: [foreign] for a write by another program "
      + "such as sqlite3 (not in an adopted file), and [gap], [mark], [migration], [prune], [snapshot] or [erased]. --format csv writes a row for "
      + "each value of each change.",
    examples: [
      "travelog log trips.store": "List all transactions.",
      "travelog log logs --author com.example.SampleTrips.widget --patch":
        "Show what the widget changed, with all values.",
      "travelog log trips.store --entity Trip --id 7 --since 7d":
        "Show the changes to one trip in the past week.",
      "travelog log logs@2026-11-03T08:00Z --by author":
        "Count the changes of each author up to a time.",
    ],
    parameters: [source, statistics, patch, grouping, limit, tableFormat, kinds] + filters,
    exitCodes: [
      .unreadable, .missing, .locked, .historyGap, .diverged, .filteredLog, .interrupted,
      .terminated,
    ]
  ) { call in
    let given = call.arguments
    let format = given[tableFormat] ?? (given[json] ? .json : .text)
    guard format != .csv || (given[grouping] == nil && !given[statistics]) else {
      throw CommandError(.usage) {
        "--format csv writes a row for each value, so it can't be combined with --by or --stat."
          + "\nLeave out --by and --stat."
      }
    }
    let history = try call.history()
    let filter = try call.filter(for: history)
    let (line, tick) = call.tick()
    if let by = given[grouping] {
      guard !given[statistics], !given[patch] else {
        throw CommandError(.usage) {
          "--by can't be combined with --stat or --patch."
            + "\nLeave out --by, or leave out --stat and --patch."
        }
      }
      let groups = try groupTimeline(of: history, by: by, filter: filter, tick: tick)
      try line.clear()
      if format == .json {
        for group in groups {
          try call.answer(JSONText(group, by: by))
        }
      } else if !groups.isEmpty {
        try call.output.write(columns(rows(of: groups, by: by)))
      }
      return .success
    }
    let form =
      switch format {
      case .json: jsonTimeline(hasChanges: given[patch])
      case .csv: ChangeTable.timeline
      case .text:
        textTimeline(
          call.output.marks,
          width: String(history.last).count,
          hasStatistics: given[statistics],
          hasChanges: given[patch],
          usual: history.outline.schema.usualOperation
        )
      }
    if format == .csv { try call.output.write(ChangeTable.heading) }
    try writeTimeline(
      of: history,
      filter: filter,
      limit: given[limit],
      form: form,
      tick: tick
    ) { bytes in
      try line.clear()
      try call.output.write(bytes: bytes)
    }
    try line.clear()
    return .success
  }

  static let transaction = Parameter<Int64>.positional(
    "TRANSACTION",
    type: .transaction,
    help: "The transaction's id."
  )

  static let showCommand = Command(
    "show",
    summary: "Shows one transaction with all its changes.",
    discussion: "Each change has its values before and after. A deleted object has the values that "
      + "its tombstone keeps. If a gap replaces the transaction, the gap is shown.",
    examples: [
      "travelog show trips.store 412": "Show transaction 412.",
      "travelog show logs 412 --json": "Write transaction 412 as JSON.",
    ],
    parameters: [source, transaction, tableFormat, kinds] + filters,
    exitCodes: [
      .unreadable, .missing, .locked, .historyGap, .diverged, .filteredLog, .interrupted,
      .terminated,
    ]
  ) { call in
    let given = call.arguments
    // If the transaction does not exist, the error lists the ids that exist.
    let history = try History(
      name: given[source],
      source: call.history().source,
      at: .transaction(given[transaction])
    )
    guard let range = history.range, range.contains(given[transaction]) else {
      throw CommandError(.missing) {
        "The history of \(given[source]) begins after transaction \(history.outline.base)."
          + "\nName a later transaction; “travelog log \(given[source])” lists all transactions."
      }
    }
    let (line, tick) = call.tick()
    let form =
      switch given[tableFormat] ?? (given[json] ? .json : .text) {
      case .json: jsonTimeline(hasChanges: true)
      case .csv: ChangeTable.timeline
      case .text: textTransaction(call.output.marks)
      }
    func write(_ history: History) throws -> Int64 {
      try writeTimeline(
        of: history,
        only: history.last,
        filter: call.filter(for: history),
        form: form,
        tick: tick
      ) { bytes in
        try line.clear()
        try call.output.write(bytes: bytes)
      }
    }
    if given[tableFormat] == .csv { try call.output.write(ChangeTable.heading) }
    var count = try write(history)
    if count == 0, let history = try history.throughGap() { count = try write(history) }
    try line.clear()
    guard count > 0 else {
      throw CommandError(.missing) {
        "No change of transaction \(given[transaction]) matches the filters."
          + "\nLeave out --entity and the other options that select changes."
      }
    }
    return .success
  }
}
