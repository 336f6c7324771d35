import Audit
import Format
import FoundationEssentials
import Pipeline

package func encoded(_ report: AuditReport) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.keyEncodingStrategy = .convertToSnakeCase
  return Array(try encoder.encode(report))
}

/// Writes a report as JSON, with the newest transactions under the key `list`.
package func writeReport(
  _ report: AuditReport,
  of histories: [History],
  request: AuditRequest,
  limit: Int64 = 10_000,
  tick: Tick = { _ in },
  to output: ([UInt8]) throws -> Void
) throws {
  try output(Array(encoded(report).dropLast()) + Array(#","list":["#.utf8))
  var needsComma = false
  var rest = limit
  let form = listForm()
  for history in try readable(histories, filter: request.filter, of: report).reversed() {
    for part in history.parts.reversed() {
      rest -= try writeTimeline(
        of: part,
        filter: history.filter,
        isDamaged: history.isDamaged,
        limit: rest,
        form: form,
        tick: tick
      ) { bytes in
        if needsComma { try output([UInt8(ascii: ",")]) }
        // If these bytes end a transaction, a comma is needed before the next transaction.
        needsComma = bytes == form.foot
        try output(needsComma ? Array(bytes.dropLast()) : bytes)
      }
    }
  }
  try output(Array("]}\n".utf8))
}

/// Writes the transactions of `list` with the keys of `log --patch --json`, and with at most 200
/// changes each.
private func listForm() -> TimelineForm {
  let comma = [UInt8(ascii: ",")]
  var form = TimelineForm(
    head: { summary in JSONText(summary).open + Array(#","differences":["#.utf8) },
    change: { difference, isFirst in (isFirst ? [] : comma) + JSONText(difference).closed },
    foot: Array("]}\n".utf8)
  )
  form.changeLimit = 200
  return form
}
