import Format

/// The SQL condition that is true if an existing row conflicts with a new row in a unique index.
struct UniqueConflict {
  let condition: String
  /// The names in an UPDATE that can change the values of the index; nil if other columns can, because
  /// the index has expressions, generated columns or a WHERE clause.
  let columns: [String]?
}

extension TableDescription {
  /// One condition for each unique index, and one for the rowid.
  ///
  /// A statement can set the rowid even if the table has another key. If it does not, the new row has
  /// -1 in a trigger that runs before.
  ///
  /// A condition may also select rows that do not conflict. Such a row is not replaced, and sealing
  /// notices this, because the row still exists.
  var conflicts: [UniqueConflict] {
    var result = uniqueIndexes.map(conflict(in:))
    var rowid = rowid.map { (name: $0, columns: rowidNames) }
    if case .triggers(.integer(let column)) = recording {
      rowid = (column, [column] + rowidNames)
    }
    if let rowid {
      let name = quoted(rowid.name)
      result.append(UniqueConflict(condition: "\(name) = NEW.\(name)", columns: rowid.columns))
    }
    return result
  }

  private func conflict(in index: UniqueIndex) -> UniqueConflict {
    let hasExpressions = index.parts.contains { $0.column == nil }
    let texts = hasExpressions ? index.sql.map { indexParts(of: $0) } ?? [] : []
    let terms = index.parts.enumerated().map { place, part in
      guard let column = part.column else {
        return place < texts.count ? expression(texts[place]) : "1"
      }
      return "\(quoted(column)) = \(new(column)) COLLATE \(quoted(part.collation))"
    }
    let own = index.parts.compactMap(\.column)
    let isComputed = hasExpressions || columns.contains { $0.isGenerated && own.contains($0.name) }
    return UniqueConflict(
      condition: terms.joined(separator: " AND "),
      columns: isComputed || index.isPartial ? nil : own
    )
  }

  /// The value that a column of the new row will have.
  ///
  /// If a column can't be null, `REPLACE` stores its default instead of NULL. A trigger that runs
  /// before the change still reads NULL, so the expression replaces NULL by the default.
  private func new(_ column: String) -> String {
    let value = "NEW.\(quoted(column))"
    guard let found = columns.first(where: { $0.name == column }), found.isRequired,
      let fallback = found.defaultText
    else { return value }
    return "coalesce(\(value), (\(fallback)))"
  }

  /// The SQL condition that is true if an expression of the index has the same value for the
  /// existing row and the new row.
  private func expression(_ text: String) -> String {
    let values = columns.map { "NEW.\(quoted($0.name)) AS \(quoted($0.name))" }
    return "(\(text)) = (SELECT \(text) FROM (SELECT \(values.joined(separator: ", ")))"
      + " AS \(quoted(name)))"
  }
}

/// The texts between the commas in the list of a CREATE INDEX statement, without ASC and DESC.
func indexParts(of sql: String) -> [String] {
  var parts: [String] = []
  var part = String.UnicodeScalarView()
  var depth = 0
  var reader = SQLPieceReader(rest: Substring(sql).unicodeScalars)
  while let piece = reader.next() {
    switch piece {
    case "(":
      depth += 1
      if depth == 1 { continue }
    case ")":
      depth -= 1
      if depth == 0 {
        parts.append(withoutOrder(String(part)))
        return parts
      }
    case "," where depth == 1:
      parts.append(withoutOrder(String(part)))
      part.removeAll()
      continue
    default: break
    }
    if depth > 0 { part.append(contentsOf: piece.unicodeScalars) }
  }
  return parts
}

private func withoutOrder(_ text: String) -> String {
  let trimmed = text.trimmingSpaces
  for order in ["asc", "desc"] where trimmed.lowercased().hasSuffix(order) {
    let rest = trimmed.dropLast(order.count)
    // Without this check, the end of a column's name such as "basc" would be read as ASC.
    if let last = rest.unicodeScalars.last, [" ", "\t", "\n", "\r", ")", "\""].contains(last) {
      return String(rest).trimmingSpaces
    }
  }
  return trimmed
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = Substring(self)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
