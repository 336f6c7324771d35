import Audit

extension JSONText {
  package init(_ difference: ObjectDifference) {
    self.init()
    add("op", text: difference.kind.rawValue)
    add("entity", text: difference.entity)
    add("id", text: difference.id.description)
    add("name", text: difference.label)
    add("properties", of: difference.properties) { object, property in
      object.add("name", text: property.name)
      object.add("before", value: property.before)
      object.add("after", value: property.after)
      if !property.inside.isEmpty {
        object.add("inside", of: property.inside) { object, part in
          object.add("path", text: part.path)
          object.add("before", json: part.before)
          object.add("after", json: part.after)
        }
      }
    }
  }

  package init(_ summary: TransactionSummary, type: String = "transaction") {
    self.init(type: type)
    let transaction = summary.transaction
    add("transaction", number: transaction.id)
    add("time", text: transaction.time)
    add("author", text: transaction.author)
    add("reason", text: transaction.reason)
    add("request", text: transaction.request)
    add("op", text: transaction.operation.rawValue)
    add("state", text: transaction.state.rawValue)
    add("process", text: transaction.process.isEmpty ? nil : transaction.process)
    add("pid", number: transaction.processID == 0 ? nil : transaction.processID)
    add("host", text: transaction.host.isEmpty ? nil : transaction.host)
    add("bundle", text: transaction.bundle)
    add("details", text: transaction.details)
    add("digest", text: transaction.digest?.description)
    add("changes", number: transaction.count)
    add("entities", objects: summary.entities.map { JSONText(entity: $0) })
  }

  init(entity: EntityCounts) {
    self.init()
    add("entity", text: entity.entity)
    add(entity.counts)
  }

  package mutating func add(_ counts: ChangeCounts) {
    add("inserted", number: counts.inserted)
    add("updated", number: counts.updated)
    add("deleted", number: counts.deleted)
    if counts.recordedAgain > 0 { add("recorded_again", number: counts.recordedAgain) }
  }

  package init(_ group: TimelineGroup, by grouping: TimelineGrouping) {
    self.init(type: "transaction_group")
    add("by", text: grouping.rawValue)
    add(grouping.rawValue, text: group.name)
    add("transactions", number: group.transactions)
    add(group.counts)
    add("snapshot_objects", number: group.snapshotObjects)
    add("first_transaction", number: group.first)
    add("first_time", text: group.firstTime)
    add("last_transaction", number: group.last)
    add("last_time", text: group.lastTime)
  }

  package init(_ touch: Touch) {
    self.init()
    add("transaction", number: touch.transaction)
    add("time", text: touch.time)
    add("author", text: touch.author)
    add("reason", text: touch.reason)
    add("request", text: touch.request)
    add("op", text: touch.operation.rawValue)
  }

  package init(_ blame: Blame) {
    self.init(type: "blame")
    add("entity", text: blame.entity)
    add("id", text: blame.id.description)
    add("name", text: blame.label)
    add("inserted", object: blame.inserted.map { JSONText($0) })
    add("deleted", object: blame.deleted.map { JSONText($0) })
    add("changes", number: blame.changes)
    add("attributes", of: blame.lines) { object, line in
      object.add("name", text: line.name)
      object.add("value", json: line.value.json)
      object.add("special", text: line.value.special)
      object.add("large", json: line.value.large)
      object.add("set", object: line.touch.map { JSONText($0) })
      object.add("before", value: line.before)
    }
  }
}

/// Writes a timeline as JSON lines: one object in each line.
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
