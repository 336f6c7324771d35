import Audit
import Changes

/// Writes a report as a page for people who have only a browser.
package func writePage(
  _ audit: AuditSummary,
  to output: (String) throws -> Void
) throws {
  let outline = audit.history.outline
  try output(Page.opening(title: "Audit of \(outline.path)", hasScript: true))
  try output("<h1>Audit of <code>\(Page.escaped(outline.path))</code></h1>\n")
  try output(words(audit))
  try output(integrity(audit))
  try output(findings(audit))
  try output(activity(audit))
  try output(busiest(audit))
  try output(deletions(audit))
  try output(transactionsOpening(audit))
  for entry in audit.entries { try output(row(entry, audit: audit)) }
  try output("</tbody>\n</table></div>\n</section>\n")
  try output(Page.ending(hasScript: true))
}

private func reference(_ id: Int64, shown: Set<Int64>) -> String {
  shown.contains(id) ? "<a href=\"#t\(id)\">\(id)</a>" : "\(id)"
}

private func shown(_ audit: AuditSummary) -> Set<Int64> {
  Set(audit.entries.map(\.summary.transaction.id))
}

private func words(_ audit: AuditSummary) -> String {
  let outline = audit.history.outline
  guard let range = audit.range else {
    return "<p>No transaction of the store <code>\(Page.escaped(outline.store))</code> is what was"
      + " asked for.</p>\n"
  }
  let zone = Page.escaped(audit.clock.zoneName)
  func when(_ time: String) -> String { Page.time(audit.clock.text(time)) }
  var text =
    "<p>The store <code>\(Page.escaped(outline.store))</code>, lineage \(outline.lineage), "
  text += "from transaction \(range.lowerBound) on \(when(audit.firstTime)) "
  text += "to transaction \(range.upperBound) on \(when(audit.lastTime)) (\(zone)): "
  text += "\(many(audit.transactions, one: "transaction")) by "
  text += "\(many(Int64(audit.authors.count), one: "author")) with "
  text +=
    "\(many(audit.counts.all, one: "change")): \(many(audit.counts.inserted, one: "object")) inserted, "
  text += "\(many(audit.counts.updated, one: "change")) of objects that stayed, "
  text += "\(many(audit.counts.deleted, one: "object")) deleted.</p>\n"
  if audit.snapshotObjects > 0 {
    text +=
      "<p>The lineage begins with a snapshot of \(many(audit.snapshotObjects, one: "object")), which are not"
      + " counted as changes.</p>\n"
  }
  text += otherLineages(audit)
  if audit.isSummarized {
    text +=
      "<p class=\"card look\">This is more than a page can hold: the table at the end has the"
      + " newest \(audit.entries.count) of \(audit.transactions) transactions, and"
      + " \(audit.deletions.count) of \(audit.counts.deleted) deletions are listed. Everything else"
      + " speaks of all of them. Ask for a shorter time to see the rest.</p>\n"
  }
  return text
}

/// The lineages that the page does not show, and the commands that do.
private func otherLineages(_ audit: AuditSummary) -> String {
  let outline = audit.history.outline
  guard !outline.otherLineages.isEmpty else { return "" }
  let items = outline.otherLineages.map {
    "<li>lineage \($0.lineage): <code>travelog report \(Page.escaped($0.path))"
      + " --output lineage-\($0.lineage).html</code></li>\n"
  }
  return
    "<div class=\"card look\"><p>This page is about lineage \(outline.lineage) only. The store was"
    + " restored from an older copy, and the logs have what it recorded in other lineages:</p>\n"
    + "<ul>\n\(items.joined())</ul></div>\n"
}

private func integrity(_ audit: AuditSummary) -> String {
  let integrity = audit.integrity
  var html = "<section aria-labelledby=\"integrity\"><h2 id=\"integrity\">Integrity</h2>\n"
  html += "<div class=\"card \(integrity.isSound ? "good" : "bad")\"><p><strong>"
  html += integrity.isSound ? "Nothing was found altered." : "Something is not as it was written."
  html += "</strong></p>\n"
  html += integrity.statements.map { "<p>\(Page.escaped($0))</p>\n" }.joined()
  if let digest = integrity.headDigest {
    html += "<p>Head: transaction \(integrity.head), digest <code>\(digest)</code></p>\n"
  }
  return html + "</div>\n</section>\n"
}

private func findings(_ audit: AuditSummary) -> String {
  var html = "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings</h2>\n"
  let shown = shown(audit)
  if audit.findings.isEmpty { html += "<p>There are none.</p>\n" }
  for finding in audit.findings {
    let list = finding.transactions.map { reference($0, shown: shown) }.joined(separator: ", ")
    let more = finding.count - Int64(finding.transactions.count)
    let rest = more > 0 ? ", and \(more) more" : ""
    html += "<div class=\"card \(finding.kind == .damage ? "bad" : "look")\"><p><strong>"
    html += "\(Page.escaped(finding.kind.rawValue))</strong>: \(Page.escaped(finding.message))</p>"
    html += "<p>\(many(finding.count, one: "transaction")): \(list)\(rest)</p></div>\n"
  }
  return html + "</section>\n"
}

private func activity(_ audit: AuditSummary) -> String {
  func cells(_ counts: ChangeCounts, most: Int64) -> [String] {
    [
      "<span class=\"add\">+\(counts.inserted)</span>",
      "<span class=\"change\">~\(counts.updated)</span>",
      "<span class=\"gone\">−\(counts.deleted)</span>", Chart.bar(counts, of: most),
    ]
  }
  let heads = ["Inserted", "Changed", "Deleted", "Changes"]
  var html = "<section aria-labelledby=\"activity\"><h2 id=\"activity\">Activity</h2>\n"
  let periods = audit.periods(atMost: 60)
  html += Chart.activity(periods)
  html += "<details><summary>The numbers of the picture</summary>\n"
  html += Page.table(
    "Changes over time",
    heads: ["Time", "Changes"],
    rows: periods.map { [Page.escaped($0.name), "\($0.changes)"] }
  )
  html += "</details>\n"
  let mostByAuthor = audit.authors.map(\.counts.all).max() ?? 0
  html += Page.table(
    "By author",
    heads: ["Author", "Transactions"] + heads,
    rows: audit.authors.prefix(50).map {
      [Page.escaped(authorText($0.name)), "\($0.transactions)"]
        + cells($0.counts, most: mostByAuthor)
    }
  )
  let mostByEntity = audit.entities.map(\.counts.all).max() ?? 0
  html += Page.table(
    "By entity",
    heads: ["Entity"] + heads,
    rows: audit.entities.map { [Page.escaped($0.entity)] + cells($0.counts, most: mostByEntity) }
  )
  return html + "</section>\n"
}

private func busiest(_ audit: AuditSummary) -> String {
  "<section aria-labelledby=\"busiest\"><h2 id=\"busiest\">Most changed objects</h2>\n"
    + (audit.isBusiestApproximate
      ? "<p>There are too many objects to count each; these are of those that came first.</p>\n"
      : "")
    + Page.table(
      "Objects by the number of their changes",
      heads: ["Object", "Name", "Changes"],
      rows: audit.busiest.map {
        [
          "\(Page.escaped($0.object.entity)) \($0.object.id)", Page.escaped($0.label ?? ""),
          "\($0.changes)",
        ]
      }
    ) + "</section>\n"
}

private func deletions(_ audit: AuditSummary) -> String {
  var html = "<section aria-labelledby=\"deletions\"><h2 id=\"deletions\">Deletions</h2>\n"
  guard !audit.deletions.isEmpty else { return html + "<p>There are none.</p>\n</section>\n" }
  let shown = shown(audit)
  html += Page.table(
    "Deleted objects with what their tombstones keep",
    heads: ["Object", "Transaction", "Time", "Author", "Tombstone"],
    rows: audit.deletions.map { deletion in
      [
        "\(Page.escaped(deletion.difference.entity)) \(deletion.difference.id)"
          + (deletion.difference.label.map { " “\(Page.escaped($0))”" } ?? ""),
        reference(deletion.touch.transaction, shown: shown),
        Page.time(audit.clock.text(deletion.touch.time)),
        Page.escaped(authorText(deletion.touch.author)),
        "<details><summary>\(many(Int64(deletion.difference.properties.count), one: "value"))</summary>"
          + Page.list(deletion.difference) + "</details>",
      ]
    }
  )
  return html + "</section>\n"
}

private func transactionsOpening(_ audit: AuditSummary) -> String {
  """
  <section aria-labelledby="list"><h2 id="list">Transactions</h2>
  <div class="tools" id="tools" hidden><p><label for="search">Search in transactions and values</label><br>
  <input type="search" id="search" autocomplete="off"> <button type="button" id="open">Open or close all</button>
  <span id="status" role="status" class="soft"></span></p></div>
  <div class="wide"><table id="transactions">
  <caption>The newest first; times are of \(Page.escaped(audit.clock.zoneName))</caption>
  <thead><tr><th scope="col">Transaction</th><th scope="col">Time</th><th scope="col">Author</th>\
  <th scope="col">Kind</th><th scope="col">Changes</th></tr></thead>
  <tbody>

  """
}

private func row(_ entry: AuditSummary.Entry, audit: AuditSummary) -> String {
  let transaction = entry.summary.transaction
  let counts = entry.summary.entities.map {
    "\(Page.escaped(text(of: $0.counts))) \(Page.escaped($0.entity))"
  }
  .joined(separator: ", ")
  var html =
    "<tr id=\"t\(transaction.id)\"><th scope=\"row\">\(transaction.id)</th>"
    + "<td>\(Page.time(audit.clock.text(transaction.time)))</td>"
    + "<td>\(Page.escaped(authorText(transaction.author)))</td>"
    + "<td>\(Page.escaped(remark(transaction) ?? ""))</td><td>"
  if entry.differences.isEmpty {
    html += counts.isEmpty ? "none" : counts
  } else {
    html += "<details><summary>\(counts)</summary>"
    html += entry.differences.map { "<p>\(Page.title($0))</p>\(Page.list($0))" }.joined()
    if entry.omitted > 0 {
      html += "<p>and \(many(entry.omitted, one: "change")) more, which “travelog show” has</p>"
    }
    html += "</details>"
  }
  return html + "</td></tr>\n"
}
