import Audit

extension Page {
  /// A difference as a list of its properties, before and after.
  static func list(
    _ difference: ObjectDifference,
    name: NameLookup = { _, _ in nil }
  ) -> String {
    let rows = difference.properties.map { property -> String in
      let title = "<b>\(escaped(property.name))</b> "
      func value(_ value: PropertyValue?) -> String {
        "<code>\(escaped(text(of: value, limit: 500, name: name)))</code>"
      }
      guard property.inside.isEmpty else {
        return property.inside.map { part in
          func json(_ json: [UInt8]?) -> PropertyValue? { json.map { PropertyValue(json: $0) } }
          return "<li>\(title)<code>\(escaped(part.path))</code>: \(value(json(part.before))) → "
            + "\(value(json(part.after)))</li>"
        }
        .joined()
      }
      switch (property.before, property.after) {
      case (let before?, let after?): return "<li>\(title)\(value(before)) → \(value(after))</li>"
      case (let before, let after): return "<li>\(title)\(value(after ?? before))</li>"
      }
    }
    return "<ul>\(rows.joined())</ul>"
  }

  /// The title of a difference, with a sign and a word for its kind.
  static func title(_ difference: ObjectDifference) -> String {
    let sign: (String, String, String) =
      switch difference.kind {
      case .insert: ("add", "+", "inserted")
      case .update: ("change", "~", "changed")
      case .delete: ("gone", "−", "deleted")
      }
    return "<span class=\"\(sign.0)\">\(sign.1) \(escaped(difference.entity)) \(difference.id)"
      + (difference.label.map { " “\(escaped($0))”" } ?? "") + " \(sign.2)</span>"
  }
}

/// Differences as a page that is written in parts.
package enum DifferencePage {
  package static func opening(_ first: String, _ second: String) -> String {
    Page.opening(title: "\(first) and \(second)", hasScript: false)
      + "<h1>How <code>\(Page.escaped(second))</code> differs from"
      + " <code>\(Page.escaped(first))</code></h1>\n"
      + "<p>+ is only in the second, − only in the first, ~ differs: from → to.</p>\n"
  }

  package static func rows(
    of difference: ObjectDifference,
    name: NameLookup = { _, _ in nil }
  ) -> String {
    "<section class=\"card\"><p>\(Page.title(difference))</p>"
      + "\(Page.list(difference, name: name))</section>\n"
  }

  /// The end of the page, with the numbers of all or of the selected differences.
  package static func ending(_ counts: ChangeCounts, isFiltered: Bool = false) -> String {
    (counts.all == 0
      ? "<p>The two are the same\(isFiltered ? " in what was asked for" : "").</p>\n"
      : "<p>\(many(counts.inserted, one: "object")) only in the second, \(counts.updated) that differ,"
        + " \(counts.deleted) only in the first.</p>\n")
      + Page.ending(hasScript: false)
  }
}
