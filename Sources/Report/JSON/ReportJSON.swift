import Audit
import Changes
import Store

/// Writes an audit for programs: one document with what the page has.
package func writeReport(_ audit: AuditSummary, to output: ([UInt8]) throws -> Void) throws {
  let outline = audit.history.outline
  var report = JSONText(type: "report")
  report.add("source", outline.path)
  report.add("store", outline.store)
  report.add("lineage", outline.lineage)
  report.add(
    "other_lineages",
    outline.otherLineages.map { place in
      var object = JSONText()
      object.add("lineage", place.lineage)
      object.add("source", place.path)
      return object
    }
  )
  report.add("time_zone", audit.clock.zoneName)
  report.add("first_transaction", audit.range?.lowerBound)
  report.add("first_time", audit.range == nil ? nil : audit.firstTime)
  report.add("last_transaction", audit.range?.upperBound)
  report.add("last_time", audit.range == nil ? nil : audit.lastTime)
  report.add("transactions", audit.transactions)
  report.add(audit.counts)
  report.add("snapshot_objects", audit.snapshotObjects)
  report.add("summarized", audit.isSummarized)
  var integrity = JSONText()
  integrity.add("sound", audit.integrity.isSound)
  integrity.add("head", audit.integrity.head)
  integrity.add("digest", audit.integrity.headDigest)
  integrity.add("statements", texts: audit.integrity.statements)
  report.add("integrity", integrity)
  report.add(
    "findings",
    audit.findings.map { finding in
      var object = JSONText()
      object.add("finding", finding.kind.rawValue)
      object.add("message", finding.message)
      object.add("count", finding.count)
      object.add("transactions", numbers: finding.transactions)
      return object
    }
  )
  report.add("authors", audit.authors.map { JSONText(group: $0, key: "author") })
  report.add("days", audit.days.map { JSONText(group: $0, key: "day") })
  report.add(
    "entities",
    audit.entities.map { entity in
      var object = JSONText()
      object.add("entity", entity.entity)
      object.add(entity.counts)
      return object
    }
  )
  report.add(
    "most_changed",
    audit.busiest.map { activity in
      var object = JSONText()
      object.add("entity", activity.object.entity)
      object.add("id", String(activity.object.id))
      object.add("name", activity.label)
      object.add("changes", activity.changes)
      return object
    }
  )
  report.add(
    "deletions",
    audit.deletions.map { deletion in
      var object = JSONText()
      object.add("by", JSONText(deletion.touch))
      object.add("difference", JSONText(deletion.difference))
      return object
    }
  )
  try output(report.open + Array(#","list":["#.utf8))
  for (index, entry) in audit.entries.enumerated() {
    var object = JSONText(entry.summary)
    object.add("differences", entry.differences.map { JSONText($0) })
    object.add("omitted", entry.omitted)
    try output((index == 0 ? [] : [UInt8(ascii: ",")]) + object.closed)
  }
  try output(Array("]}\n".utf8))
}

extension JSONText {
  fileprivate init(group: TimelineGroup, key: String) {
    self.init()
    add(key, group.name)
    add("transactions", group.transactions)
    add(group.counts)
  }

  fileprivate mutating func add(_ key: String, texts: [String]) {
    var json = [UInt8(ascii: "[")]
    for (index, text) in texts.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      appendJSONString(text, to: &json)
    }
    add(key, json: json + [UInt8(ascii: "]")])
  }

  fileprivate mutating func add(_ key: String, numbers: [Int64]) {
    add(key, json: Array("[\(numbers.map(String.init).joined(separator: ","))]".utf8))
  }
}
