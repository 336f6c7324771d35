import Audit
import Format

/// A difference as readable text: a line for the object, and a line for each of its properties.
package func text(
  of difference: ObjectDifference,
  marks: Marks = Marks(),
  limit: Int = 200,
  indent: String = "",
  name: NameLookup = { _, _ in nil }
) -> String {
  let title =
    visible("\(difference.entity) \(difference.id)")
    + (difference.label.map { " \(marks.quoted($0))" } ?? "")
  func value(_ value: PropertyValue?) -> String {
    text(of: value, limit: limit, marks: marks, name: name)
  }
  func json(_ json: [UInt8]?) -> String { value(json.map { PropertyValue(json: $0) }) }
  var lines: [String] = []
  switch difference.kind {
  case .insert: lines.append(marks.added("+ \(title)"))
  case .update: lines.append(marks.changed("~ \(title)"))
  case .delete: lines.append(marks.removed("- \(title)"))
  }
  for property in difference.properties {
    let name = visible(property.name)
    let start = "    \(name): "
    switch (property.before, property.after) {
    case (nil, let after): lines.append(start + value(after))
    case (let before, nil): lines.append(start + value(before))
    case (let before?, let after?):
      guard property.inside.isEmpty else {
        lines += property.inside.map { part in
          "    \(name)\(part.path.hasPrefix("[") || part.path.isEmpty ? "" : ".")"
            + "\(visible(part.path)): \(json(part.before)) -> \(json(part.after))"
        }
        continue
      }
      if isList(before) || isList(after) {
        lines += list(before).map { marks.removed("    - \(name): " + value($0)) }
        lines += list(after).map { marks.added("    + \(name): " + value($0)) }
      } else {
        lines.append(start + "\(value(before)) -> \(value(after))")
      }
    }
  }
  return lines.map { indent + $0 + "\n" }.joined()
}

private func isList(_ value: PropertyValue) -> Bool { value.json.first == UInt8(ascii: "[") }

private func list(_ value: PropertyValue) -> [PropertyValue] {
  isList(value) ? CanonicalText(value.json).elements.map { PropertyValue(json: $0) } : [value]
}

/// The numbers of changes as `+3 ~2 -1`, and of rows recorded again as `=9`; zeros are omitted.
package func text(of counts: ChangeCounts, marks: Marks = Marks()) -> String {
  var parts: [String] = []
  if counts.inserted > 0 { parts.append(marks.added("+\(counts.inserted)")) }
  if counts.updated > 0 { parts.append(marks.changed("~\(counts.updated)")) }
  if counts.deleted > 0 { parts.append(marks.removed("-\(counts.deleted)")) }
  if counts.recordedAgain > 0 { parts.append("=\(counts.recordedAgain)") }
  return parts.joined(separator: " ")
}

/// Writes a timeline as readable text: a line for each transaction, followed by the requested
/// details.
///
/// Lines don't say that a transaction has the usual operation: see ``StoreSchema/usualOperation``.
package func textTimeline(
  _ marks: Marks,
  width: Int,
  hasStatistics: Bool,
  hasChanges: Bool,
  usual: TransactionOperation = .recorded
) -> TimelineForm {
  TimelineForm(
    head: { summary in
      let transaction = summary.transaction
      let id = String(transaction.id)
      var line = String(repeating: " ", count: max(0, width - id.count)) + marks.strong(id)
      line += "  \(second(transaction.time))  \(who(Touch(transaction), marks: marks))"
      let counts = summary.entities.map {
        "\(text(of: $0.counts, marks: marks)) \(visible($0.entity))"
      }
      if let what = remark(transaction, usual: usual) { line += "  [\(what)]" }
      if !counts.isEmpty { line += "  " + counts.joined(separator: ", ") }
      line += "\n"
      if hasStatistics {
        for entity in summary.entities {
          line +=
            "    \(visible(entity.entity)): \(entity.counts.inserted) inserted,"
            + " \(entity.counts.updated) updated, \(entity.counts.deleted) deleted\n"
        }
      }
      return Array(line.utf8)
    },
    change: hasChanges
      ? { difference, _ in Array(text(of: difference, marks: marks, indent: "    ").utf8) } : nil,
    foot: hasChanges ? [UInt8(ascii: "\n")] : []
  )
}

/// Writes one transaction as readable text, with all its details.
package func textTransaction(_ marks: Marks) -> TimelineForm {
  TimelineForm(
    head: { summary in
      let transaction = summary.transaction
      var lines = [
        marks.strong("transaction \(transaction.id)"),
        "time:    \(transaction.time)",
        "author:  \(authorText(transaction.author))",
      ]
      if let reason = transaction.reason { lines.append("reason:  \(visible(reason))") }
      if let request = transaction.request { lines.append("request: \(visible(request))") }
      if let remark = remark(transaction) { lines.append("kind:    \(remark)") }
      if let reading = transaction.reading {
        lines.append("between: \(reading.since) and \(transaction.time)")
      }
      if let notes = transaction.apple { lines += text(of: notes) }
      if !transaction.process.isEmpty {
        lines.append(
          "process: \(visible(transaction.process)) \(transaction.processID)"
            + (transaction.host.isEmpty ? "" : " on \(visible(transaction.host))")
        )
      }
      if let bundle = transaction.bundle { lines.append("bundle:  \(visible(bundle))") }
      if let details = transaction.details { lines.append("details: \(visible(details))") }
      if let digest = transaction.digest { lines.append("digest:  \(digest)") }
      lines.append(
        "changes: \(transaction.count)"
          + (summary.total.all > 0 ? "  \(text(of: summary.total, marks: marks))" : "")
      )
      return Array((lines.joined(separator: "\n") + "\n\n").utf8)
    },
    change: { difference, _ in
      Array(text(of: difference, marks: marks, limit: .max).utf8)
    }
  )
}

/// Says in words what is unusual about a transaction; nil if nothing is unusual.
func remark(_ transaction: Transaction, usual: TransactionOperation = .recorded) -> String? {
  var words: [String] = []
  if let reading = transaction.reading {
    words.append(
      (reading.isCommit ? "commit" : "everything since \(second(reading.since))")
        + (reading.remark.map { "; \(visible($0))" } ?? "")
    )
  } else if ![.recorded, usual].contains(transaction.operation) {
    words.append(transaction.operation.rawValue)
  }
  if let notes = transaction.apple {
    if notes.migratedFrom != nil { words.append("migration of the app") }
    if notes.before != nil { words.append("what existed before") }
    if notes.isUnexplained { words.append("not in the app's history") }
  }
  if transaction.state != .whole { words.append(transaction.state.rawValue) }
  return words.isEmpty ? nil : words.joined(separator: ", ")
}

/// What a store of Core Data or SwiftData says about a transaction, at most twenty lines.
private func text(of notes: AppleNotes) -> [String] {
  var lines: [String] = []
  if let context = notes.context { lines.append("context: \(visible(context))") }
  if let digest = notes.migratedFrom {
    lines.append("from:    the model with the digest \(visible(digest))")
  }
  if let guess = notes.guess { lines.append("model:   \(visible(guess))") }
  if notes.hasResolvedValues {
    lines.append("values:  those of the present rows, where no later change names the property")
  }
  for (label, entries) in [("unread: ", notes.unread), ("to-many:", notes.toMany)] {
    lines += entries.prefix(10).map { "\(label) \(visible($0))" }
    if entries.count > 10 {
      lines.append("\(label) and \(entries.count - 10) more, in the details")
    }
  }
  return lines
}

func authorText(_ author: String?) -> String { author.map { visible($0) } ?? "(no author)" }

/// The author, the reason and the request on one line, such as `billing: ticket 7 (POST /pay)`.
func who(_ touch: Touch, limit: Int = 60, marks: Marks = Marks()) -> String {
  func short(_ text: String) -> String { visible(shortened(text, limit: limit, marks: marks)) }
  return authorText(touch.author) + (touch.reason.map { ": \(short($0))" } ?? "")
    + (touch.request.map { " (\(short($0)))" } ?? "")
}

/// A time from history, without the fraction of a second.
func second(_ time: String) -> String {
  time.utf8.count == 27 ? time.prefix(19) + "Z" : time
}

/// The heading and the rows of a table of groups.
///
/// The table has a column for snapshots if a group has snapshots.
package func rows(of groups: [TimelineGroup], by grouping: TimelineGrouping) -> [[String]] {
  let hasSnapshot = groups.contains { $0.snapshotObjects > 0 }
  return [
    [grouping.rawValue, "transactions", "inserted", "updated", "deleted"]
      + (hasSnapshot ? ["in snapshots"] : []) + ["from", "to"]
  ]
    + groups.map { group in
      [
        grouping == .author ? authorText(group.name) : visible(group.name ?? ""),
        "\(group.transactions)",
        "\(group.counts.inserted)", "\(group.counts.updated)", "\(group.counts.deleted)",
      ] + (hasSnapshot ? ["\(group.snapshotObjects)"] : [])
        + [second(group.firstTime), second(group.lastTime)]
    }
}

package func text(
  of blame: Blame,
  marks: Marks,
  usual: TransactionOperation = .recorded
) -> String {
  var lines = [
    marks.strong(
      visible("\(blame.entity) \(blame.id)")
        + (blame.label.map { " \(marks.quoted($0))" } ?? "")
    )
  ]
  func by(_ touch: Touch) -> String {
    "\(touch.transaction)  \(second(touch.time))  \(who(touch, marks: marks))"
      + ([.recorded, usual].contains(touch.operation) ? "" : "  [\(touch.operation.rawValue)]")
  }
  if let inserted = blame.inserted { lines.append(marks.added("+ inserted by \(by(inserted))")) }
  if let deleted = blame.deleted { lines.append(marks.removed("- deleted by  \(by(deleted))")) }
  for (index, line) in blame.lines.enumerated() {
    lines.append("    \(visible(line.name)): \(text(of: line.value, limit: 200, marks: marks))")
    // Values that were inserted together share the line about their transaction.
    if let next = blame.lines.dropFirst(index + 1).first, next.touch == line.touch,
      next.before == nil, line.before == nil
    {
      continue
    }
    lines.append(
      marks.faint(
        "        \(line.touch.map(by) ?? "set before the beginning of the history")"
          + (line.before.map { "  before: \(text(of: $0, limit: 200, marks: marks))" } ?? "")
      )
    )
  }
  return lines.joined(separator: "\n") + "\n"
}
