import Audit
import CommandLineKit
import Pipeline
import Report

extension Travelog {
  static let statistics = Parameter<Bool>.toggle(
    "stat",
    help: "Count what happened to each entity, on lines of their own."
  )
  static let patch = Parameter<Bool>.toggle(
    "patch",
    short: "p",
    help: "Show every change with its values before and after."
  )
  static let grouping = Parameter<TimelineGrouping?>.optional(
    "by",
    type: .oneOf,
    help: "Put transactions together that have this in common."
  )
  static let limit = Parameter<Int64?>.optional(
    "limit",
    short: "l",
    type: .limit,
    help: "Show so many transactions at most."
  )

  static let logCommand = Command(
    "log",
    summary: "Lists transactions, the newest first.",
    discussion: "A line has the transaction, its time, its author, and how many objects of each"
      + " entity came (+), changed (~) and went (-). What is out of the ordinary stands in"
      + " brackets: foreign for a program that is no writer of ours, gap, migration, erased.",
    examples: [
      .init("travelog log trips.store", meaning: "What happened, the newest first."),
      .init(
        "travelog log logs --author widget --patch",
        meaning: "What the widget did, with all values."
      ),
      .init(
        "travelog log trips.store --entity Trip --id 7 --since 7d",
        meaning: "A trip's last week."
      ),
      .init(
        "travelog log logs@2026-11-03T08:00Z --by author",
        meaning: "Who did how much until then."
      ),
    ],
    parameters: [source, statistics, patch, grouping, limit] + filters,
    exitCodes: [.unreadable, .missing, .historyGap, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    let history = try call.history()
    let filter = try call.filter(for: history)
    let (line, tick) = call.tick()
    if let by = given[grouping] {
      guard !given[statistics], !given[patch] else {
        throw TravelogError.groupsApart
      }
      let groups = try groupTimeline(of: history, by: by, filter: filter, tick: tick)
      try line.clear()
      if given[json] {
        for group in groups {
          try call.answer(JSONText(group, by: by))
        }
      } else if !groups.isEmpty {
        try call.output.write(columns(rows(of: groups, by: by)))
      }
      return .success
    }
    let form =
      given[json]
      ? jsonTimeline(hasChanges: given[patch])
      : textTimeline(
        call.output.style.marks,
        width: String(history.last).count,
        hasStatistics: given[statistics],
        hasChanges: given[patch]
      )
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
    help: "The number of the transaction."
  )

  static let showCommand = Command(
    "show",
    summary: "Shows one transaction whole.",
    discussion: "Every change is there with its values before and after; of deleted objects, what"
      + " their tombstones keep.",
    examples: [
      .init("travelog show trips.store 412", meaning: "Transaction 412."),
      .init("travelog show logs 412 --json", meaning: "The same for a program."),
    ],
    parameters: [source, transaction] + filters,
    exitCodes: [.unreadable, .missing, .historyGap, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    // A transaction that the history does not have is refused with those that it has.
    let history = try History(
      name: given[source],
      source: call.history().source,
      at: .transaction(given[transaction])
    )
    guard let range = history.range, range.contains(given[transaction]) else {
      throw AuditError.isBeforeHistory(given[source], base: history.outline.base)
    }
    let (line, tick) = call.tick()
    let count = try writeTimeline(
      of: history,
      only: given[transaction],
      filter: call.filter(for: history),
      form: given[json]
        ? jsonTimeline(hasChanges: true) : textTransaction(call.output.style.marks),
      tick: tick
    ) { bytes in
      try line.clear()
      try call.output.write(bytes: bytes)
    }
    try line.clear()
    guard count > 0 else {
      throw AuditError.isFilteredOut(given[transaction])
    }
    return .success
  }
}
