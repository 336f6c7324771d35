import Audit
import Store

extension JSONText {
  /// What a difference is in answers for programs.
  package init(_ difference: ObjectDifference) {
    self.init()
    add("op", difference.kind.rawValue)
    add("entity", difference.entity)
    add("id", String(difference.id))
    add("name", difference.label)
    add(
      "properties",
      difference.properties.map { property in
        var object = JSONText()
        object.add("name", property.name)
        object.add("before", json: property.before?.json)
        object.add("before_special", property.before?.special)
        object.add("before_large", json: property.before?.large)
        object.add("after", json: property.after?.json)
        object.add("after_special", property.after?.special)
        object.add("after_large", json: property.after?.large)
        if !property.inside.isEmpty {
          object.add(
            "inside",
            property.inside.map { part in
              var object = JSONText()
              object.add("path", part.path)
              object.add("before", json: part.before)
              object.add("after", json: part.after)
              return object
            }
          )
        }
        return object
      }
    )
  }

  /// What a transaction is in answers for programs.
  package init(_ summary: TransactionSummary, type: String = "transaction") {
    self.init(type: type)
    let transaction = summary.transaction
    add("transaction", transaction.id)
    add("time", transaction.time)
    add("author", transaction.author)
    add("op", transaction.operation.rawValue)
    add("state", transaction.state.rawValue)
    add("process", transaction.process.isEmpty ? nil : transaction.process)
    add("pid", transaction.processID == 0 ? nil : transaction.processID)
    add("host", transaction.host.isEmpty ? nil : transaction.host)
    add("bundle", transaction.bundle)
    add("details", transaction.details)
    add("digest", transaction.digest?.description)
    add("changes", transaction.count)
    add("entities", summary.entities.map { JSONText(entity: $0) })
  }

  private init(entity: EntityCounts) {
    self.init()
    add("entity", entity.entity)
    add(entity.counts)
  }

  /// Adds how much came, changed and went.
  package mutating func add(_ counts: ChangeCounts) {
    add("inserted", counts.inserted)
    add("updated", counts.updated)
    add("deleted", counts.deleted)
  }

  /// What a group of transactions is in answers for programs.
  package init(_ group: TimelineGroup, by grouping: TimelineGrouping) {
    self.init(type: "transaction_group")
    add("by", grouping.rawValue)
    add(grouping.rawValue, group.name)
    add("transactions", group.transactions)
    add(group.counts)
    add("snapshot_objects", group.snapshotObjects)
    add("first_transaction", group.first)
    add("first_time", group.firstTime)
    add("last_transaction", group.last)
    add("last_time", group.lastTime)
  }

  /// Who did something, and when.
  package init(_ touch: Touch) {
    self.init()
    add("transaction", touch.transaction)
    add("time", touch.time)
    add("author", touch.author)
    add("op", touch.operation.rawValue)
  }

  /// What is known of an object's values in answers for programs.
  package init(_ blame: Blame) {
    self.init(type: "blame")
    add("entity", blame.entity)
    add("id", String(blame.id))
    add("name", blame.label)
    add("inserted", blame.inserted.map { JSONText($0) })
    add("deleted", blame.deleted.map { JSONText($0) })
    add("changes", blame.changes)
    add(
      "attributes",
      blame.lines.map { line in
        var object = JSONText()
        object.add("name", line.name)
        object.add("value", json: line.value.json)
        object.add("special", line.value.special)
        object.add("large", json: line.value.large)
        object.add("set", line.touch.map { JSONText($0) })
        object.add("before", json: line.before?.json)
        object.add("before_special", line.before?.special)
        object.add("before_large", json: line.before?.large)
        return object
      }
    )
  }
}

/// How a timeline is written for programs: an object a line.
package func jsonTimeline(hasChanges: Bool) -> TimelineForm {
  let comma = [UInt8(ascii: ",")]
  return TimelineForm(
    head: { summary in
      let object = JSONText(summary)
      return hasChanges
        ? object.open + Array(#","differences":["#.utf8) : object.closed + [UInt8(ascii: "\n")]
    },
    change: hasChanges
      ? { difference, isFirst in (isFirst ? [] : comma) + JSONText(difference).closed } : nil,
    foot: hasChanges ? Array("]}\n".utf8) : []
  )
}
