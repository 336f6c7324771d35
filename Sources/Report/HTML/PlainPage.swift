import Audit
import Format

/// The first tables of a report as HTML, for browsers without a script.
struct PlainPage {
  /// The maximum size of the rows of transactions, in bytes.
  static let rowLimit = 150_000
  /// The maximum number of transactions of a history.
  static let transactionLimit = 200
  /// The maximum number of listed findings of each kind.
  private static let findingLimit = 20
  private static let periodLimit = 60

  private let report: AuditReport
  private let clock: WallClock

  init(_ report: AuditReport, clock: WallClock) {
    self.report = report
    self.clock = clock
  }

  func html(newest rows: [UInt8]) -> [UInt8] {
    let opening =
      "<div id=\"plain\"><h1>\(Page.escaped(report.title))</h1>\n"
      + "<p>Audit of the history in <code>\(Page.escaped(report.source))</code></p>\n"
      + "<p class=\"soft\">This page shows its first tables without its script. A browser with"
      + " JavaScript and DecompressionStream shows charts, filters, and all that the page"
      + " contains.</p>\n" + figures + questions + findings + rankings + periods
      + "<h2>Newest transactions</h2>\n<div class=\"wide\"><table>\n"
      + "<caption>The newest first; times are of \(Page.escaped(report.timeZone))</caption>\n"
      + "<thead><tr><th scope=\"col\">Transaction</th><th scope=\"col\">Time</th>"
      + "<th scope=\"col\">Author</th><th scope=\"col\">Changes</th></tr></thead>\n<tbody>\n"
    return Array(opening.utf8) + rows + Array("</tbody>\n</table></div>\n</div>\n".utf8)
  }

  private var figures: String {
    let time =
      [report.firstTime, report.lastTime].compactMap { $0 }.map { Page.escaped(clock.text($0)) }
    let produced = report.produced
    return "<p>\(time.joined(separator: " to ")) (\(Page.escaped(report.timeZone)))</p>\n"
      + "<p>\(countText(Int(report.transactions), noun: "transaction")),"
      + " \(countText(Int(report.changes.all), noun: "change")) of"
      + " \(report.isObjectsEstimated ? "about " : "")\(countText(Int(report.objects), noun: report.words.object)),"
      + " \(countText(Int(report.changes.deleted), noun: "deletion"))</p>\n"
      + "<p class=\"soft\">Produced at \(Page.escaped(produced.time)) by"
      + " \(Page.escaped(produced.version)): <code>\(Page.escaped(produced.command))</code></p>\n"
  }

  private var questions: String {
    "<h2>Questions</h2>\n"
      + report.questions.map { question in
        "<h3>\(Page.escaped(question.title)) \(Page.escaped(question.answer))</h3>\n"
          + question.statements.prefix(20).map { "<p>\(Page.escaped($0, limit: 600))</p>\n" }
          .joined()
      }
      .joined()
      + report.histories.prefix(20).compactMap { history in
        history.digest.map {
          "<p>Head of lineage \(history.lineage): transaction \(history.head), digest"
            + " <code>\($0)</code></p>\n"
        }
      }
      .joined()
  }

  private var findings: String {
    var html = "<h2>Findings</h2>\n"
    if report.findings.isEmpty { html += "<p>There are no findings.</p>\n" }
    for finding in report.findings {
      html += "<h3>\(finding.severity.rawValue): \(Page.escaped(finding.title))"
      html += " (\(finding.count))</h3>\n<p>\(Page.escaped(finding.message))</p>\n<ul>\n"
      let lines =
        finding.groups?.map(Self.line)
        ?? finding.items.map { item in
          (item.transaction == 0 ? "" : "transaction \(item.transaction): ") + item.value
        }
      html += lines.prefix(Self.findingLimit).map { "<li>\(Page.escaped($0))</li>\n" }.joined()
      let all = finding.groups?.count ?? Int(finding.count)
      let rest = all - min(lines.count, Self.findingLimit)
      html += rest > 0 ? "<li>and \(rest) more</li>\n</ul>\n" : "</ul>\n"
    }
    return html
  }

  /// The occurrences of a finding by one author in words.
  private static func line(of group: AuditFinding.Group) -> String {
    let first = group.weeks.first?.day ?? ""
    let last = group.weeks.last?.day ?? first
    return "\(authorText(group.author)): \(group.count), "
      + (first == last
        ? "in the week of \(first)" : "in \(group.weeks.count) weeks from \(first) to \(last)")
  }

  private func ranking(_ title: String, head: String, _ ranking: Ranking) -> String {
    let others = ranking.others.map { [$0] } ?? []
    return Page.table(
      title,
      heads: [head, "Transactions", "Inserted", "Changed", "Deleted"],
      rows: (ranking.entries + others).enumerated().map { index, entry in
        let isOthers = index == ranking.entries.count
        return [
          isOthers
            ? "\(ranking.isMinimum ? "at least " : "")\(ranking.otherNames) others"
            : Page.escaped(authorText(entry.name)),
          "\(entry.transactions)", "\(entry.changes.inserted)", "\(entry.changes.updated)",
          "\(entry.changes.deleted)",
        ]
      }
    )
  }

  private var rankings: String {
    "<h2>Activity</h2>\n" + ranking("By author", head: "Author", report.authors)
      + ranking(
        "By \(report.words.entity)",
        head: report.words == .tables ? "Table" : "Entity",
        report.entities
      )
  }

  private var periods: String {
    let length = (report.days.count + Self.periodLimit - 1) / Self.periodLimit
    guard length > 0 else { return "" }
    let rows = stride(from: 0, to: report.days.count, by: length).map { start -> [String] in
      let days = report.days[start..<min(start + length, report.days.count)]
      let (first, last) = (days[days.startIndex].day, days[days.endIndex - 1].day)
      return [
        first == last ? first : "\(first) to \(last)",
        "\(days.reduce(0) { $0 + $1.changes.all })",
      ]
    }
    return Page.table("Changes over time", heads: ["Days", "Changes"], rows: rows)
  }

  /// A row of that table for transactions that damage made unreadable.
  static func row(_ range: UnreadableRange) -> [UInt8] {
    Array("<tr><th scope=\"row\"></th><td colspan=\"3\">\(range.description)</td></tr>\n".utf8)
  }

  /// Writes the newest transactions as rows of a table.
  static func rows(_ clock: WallClock, usual: TransactionOperation) -> TimelineForm {
    var form = TimelineForm(
      head: { summary in
        let transaction = summary.transaction
        let counts = summary.entities.prefix(20).map {
          "\(Page.escaped(text(of: $0.counts))) \(Page.escaped($0.entity))"
        }
        let row =
          "<tr><th scope=\"row\">\(transaction.id)</th>"
          + "<td><time>\(Page.escaped(clock.text(transaction.time)))</time></td>"
          + "<td>\(Page.escaped(who(Touch(transaction)), limit: 200))</td>"
          + "<td>\(remark(transaction, usual: usual).map { Page.escaped($0) + " " } ?? "")"
          + "\(counts.joined(separator: ", "))<ul>"
        return Array(row.utf8)
      },
      change: { difference, _ in Array(item(difference).utf8) },
      foot: Array("</ul></td></tr>\n".utf8)
    )
    form.changeLimit = 5
    return form
  }

  /// Writes a difference as an item of a list, with each property before and after.
  static func item(_ difference: ObjectDifference) -> String {
    let sign =
      switch difference.kind {
      case .insert: "+"
      case .update: "~"
      case .delete: "−"
      }
    let label = difference.label.map { " “\(Page.escaped($0, limit: 80))”" } ?? ""
    let properties = difference.properties.prefix(10).map { property in
      func value(_ value: PropertyValue?) -> String {
        Page.escaped(text(of: value, limit: 80), limit: 200)
      }
      let name = Page.escaped(property.name, limit: 80)
      switch (property.before, property.after) {
      case (let before?, let after?): return "\(name): \(value(before)) → \(value(after))"
      case (let before, let after): return "\(name): \(value(after ?? before))"
      }
    }
    return "<li>\(sign) \(Page.escaped(difference.entity))"
      + " \(Page.escaped("\(difference.id)", limit: 80))\(label): "
      + "\(properties.joined(separator: "; "))</li>"
  }
}
