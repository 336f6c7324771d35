import Audit
import Changes

/// Writes a report for programs, with the contents of the page.
package func writeReport(_ audit: AuditSummary, to output: ([UInt8]) throws -> Void) throws {
  let outline = audit.history.outline
  var report = JSONText(type: "report")
  report.add("source", text: outline.path)
  report.add("store", text: outline.store)
  report.add("lineage", number: outline.lineage)
  report.add("other_lineages", of: outline.otherLineages) { object, place in
    object.add("lineage", number: place.lineage)
    object.add("source", text: place.path)
  }
  report.add("time_zone", text: audit.clock.zoneName)
  report.add("first_transaction", number: audit.range?.lowerBound)
  report.add("first_time", text: audit.range == nil ? nil : audit.firstTime)
  report.add("last_transaction", number: audit.range?.upperBound)
  report.add("last_time", text: audit.range == nil ? nil : audit.lastTime)
  report.add("transactions", number: audit.transactions)
  report.add(audit.counts)
  report.add("snapshot_objects", number: audit.snapshotObjects)
  report.add("summarized", truth: audit.isSummarized)
  var integrity = JSONText()
  integrity.add("sound", truth: audit.integrity.isSound)
  integrity.add("head", number: audit.integrity.head)
  integrity.add("digest", text: audit.integrity.headDigest)
  integrity.add("statements", texts: audit.integrity.statements)
  report.add("integrity", object: integrity)
  report.add("findings", of: audit.findings) { object, finding in
    object.add("finding", text: finding.kind.rawValue)
    object.add("message", text: finding.message)
    object.add("count", number: finding.count)
    object.add("transactions", numbers: finding.transactions)
  }
  report.add("authors", objects: audit.authors.map { JSONText(group: $0, key: "author") })
  report.add("days", objects: audit.days.map { JSONText(group: $0, key: "day") })
  report.add("entities", objects: audit.entities.map { JSONText(entity: $0) })
  report.add("most_changed", of: audit.busiest) { object, activity in
    object.add("entity", text: activity.object.entity)
    object.add("id", text: String(activity.object.id))
    object.add("name", text: activity.label)
    object.add("changes", number: activity.changes)
  }
  report.add("deletions", of: audit.deletions) { object, deletion in
    object.add("by", object: JSONText(deletion.touch))
    object.add("difference", object: JSONText(deletion.difference))
  }
  try output(report.open + Array(#","list":["#.utf8))
  for (index, entry) in audit.entries.enumerated() {
    var object = JSONText(entry.summary)
    object.add("differences", objects: entry.differences.map { JSONText($0) })
    object.add("omitted", number: entry.omitted)
    try output((index == 0 ? [] : [UInt8(ascii: ",")]) + object.closed)
  }
  try output(Array("]}\n".utf8))
}

extension JSONText {
  fileprivate init(group: TimelineGroup, key: String) {
    self.init()
    add(key, text: group.name)
    add("transactions", number: group.transactions)
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
