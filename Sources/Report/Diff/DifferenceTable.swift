import Audit
import Format

/// Differences as a table in the format of RFC 4180, with a row for each property.
package enum DifferenceTable {
  package static let heading =
    "op,entity,id,name,property,before,after,before_special,after_special\r\n"

  /// The rows for a difference.
  ///
  /// Values are canonical JSON, which distinguishes null from an empty text.
  package static func rows(
    of difference: ObjectDifference,
    after cells: [String] = []
  ) -> String {
    let start =
      cells + [
        difference.kind.rawValue, difference.entity, difference.id.description,
        difference.label ?? "",
      ]
    let properties =
      difference.properties.isEmpty
      ? [PropertyDifference(name: "", before: nil, after: nil)] : difference.properties
    return properties.map { property in
      row(
        start + [
          property.name, text(property.before), text(property.after), special(property.before),
          special(property.after),
        ]
      )
    }
    .joined()
  }

  private static func text(_ value: PropertyValue?) -> String {
    value.map { String(decoding: $0.large ?? $0.json, as: UTF8.self) } ?? ""
  }

  private static func special(_ value: PropertyValue?) -> String {
    value.map { $0.special ?? ($0.large == nil ? "" : "large") } ?? ""
  }

  static func row(_ cells: [String]) -> String {
    cells.map(cell).joined(separator: ",") + "\r\n"
  }

  /// A text as a cell, in quotes if it needs them.
  private static func cell(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { [0x22, 0x2c, 0x0a, 0x0d].contains($0) }
    guard needsQuotes else { return text }
    let inner = text.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"" + inner.joined(separator: "\"\"") + "\""
  }
}

/// Changes as a table: a ``DifferenceTable`` whose rows begin with the transaction of the change.
package enum ChangeTable {
  package static let heading = "transaction,time,author," + DifferenceTable.heading

  package static var timeline: TimelineForm {
    TimelineForm { difference, transaction in
      Array(rows(of: difference, by: Touch(transaction)).utf8)
    }
  }

  /// A row for the deletion of the object, and a row for each of its values.
  package static func rows(of blame: Blame) -> String {
    func rows(_ kind: ChangeKind, _ property: PropertyDifference?, by touch: Touch?) -> String {
      self.rows(
        of: ObjectDifference(
          kind: kind,
          entity: blame.entity,
          id: blame.id,
          label: blame.label,
          properties: property.map { [$0] } ?? []
        ),
        by: touch
      )
    }
    let deletion = blame.deleted.map { rows(.delete, nil, by: $0) } ?? ""
    return deletion
      + blame.lines.map { line in
        let isInserted = line.touch?.transaction == blame.inserted?.transaction
        return rows(
          isInserted ? .insert : .update,
          PropertyDifference(name: line.name, before: line.before, after: line.value),
          by: line.touch
        )
      }
      .joined()
  }

  /// The rows of a change; a change before the beginning of the history has no transaction.
  private static func rows(of difference: ObjectDifference, by touch: Touch?) -> String {
    DifferenceTable.rows(
      of: difference,
      after: [
        touch.map { "\($0.transaction)" } ?? "", touch?.time ?? "", touch?.author ?? "",
      ]
    )
  }
}
