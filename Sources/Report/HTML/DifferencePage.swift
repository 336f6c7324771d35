import Audit
import Format
import Pipeline

/// Writes the differences between two states as an HTML page.
///
/// The page has the format of a report.
package final class DifferencePage {
  /// The number of differences in a line of the page's data.
  ///
  /// The script of the page parses the differences of a line together.
  private static let lineLength = 200

  private var report: AuditReport
  private let data = PageData()
  private var tally = NameTally()
  private var plain: [UInt8] = []
  private var line: [UInt8] = []
  private var counts: [String: ChangeCounts] = [:]
  private var number = 0

  package init(_ first: String, _ second: String, words: SchemaWords, produced: Production) {
    report = AuditReport(source: second)
    report.subject = .difference
    report.comparedWith = first
    report.words = words
    report.produced = produced
  }

  package func add(_ difference: ObjectDifference) throws {
    var one = ChangeCounts()
    one.count(difference.kind)
    report.changes += one
    report.objects += 1
    tally.add(difference.entity, changes: one)
    if plain.count < PlainPage.rowLimit { plain += Array(PlainPage.item(difference).utf8) }
    guard !data.isFull else { return }
    counts[difference.entity, default: ChangeCounts()] += one
    PageLine.append(difference, isFirst: line.isEmpty, to: &line)
    number += 1
    if number == Self.lineLength { try closeLine() }
  }

  private func closeLine() throws {
    guard number > 0 else { return }
    let transaction = Transaction(id: 0, time: "", schema: "", count: Int64(number))
    let entities = counts.sorted { $0.key < $1.key }.map {
      EntityCounts(entity: $0.key, counts: $0.value)
    }
    let summary = TransactionSummary(transaction: transaction, entities: entities)
    try data.append(PageLine.facts(summary, history: 0, written: number) + line + PageLine.end)
    line = []
    counts = [:]
    number = 0
  }

  /// Writes the page after the last difference.
  package func write(to output: ([UInt8]) throws -> Void) throws {
    try closeLine()
    try data.finish()
    report.entities = tally.ranking
    report.title = "\(report.comparedWith ?? "") and \(report.source)"
    let heading =
      "<div id=\"plain\"><h1>How <code>\(Page.escaped(report.source))</code> differs from"
      + " <code>\(Page.escaped(report.comparedWith ?? ""))</code></h1>\n"
      + "<p>+ is only in the second, − only in the first, ~ differs: from → to.</p>\n"
    let changes = report.changes
    let ending =
      changes.all == 0
      ? "<p>The two are the same.</p>\n"
      : "<p>\(countText(Int(changes.inserted), noun: report.words.object))"
        + " only in the second,"
        + " \(changes.updated) that differ, \(changes.deleted) only in the first.</p>\n"
    let report = try Page.compressed(encoded(report))
    let names = try Page.compressed(Array("[]".utf8))
    try Page.write(
      [
        "title": { try $0(Array(Page.escaped(self.report.title).utf8)) },
        "plain": { output in
          try output(Array((heading + ending + "<ul>\n").utf8) + self.plain)
          try output(Array("</ul>\n</div>\n".utf8))
        },
        "head": { try $0(report) },
        "names": { try $0(names) },
        "blocks": { try self.data.write(to: $0) },
      ],
      to: output
    )
  }
}
