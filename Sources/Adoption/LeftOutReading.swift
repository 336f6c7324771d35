import Format

extension TableDescription {
  /// The columns that are left out, with what a replica has in them; nil if there are none.
  var leftOutColumns: [LeftOutColumn]? {
    let columns = columns.filter(\.isLeftOut).map { column in
      LeftOutColumn(name: column.name, placeholder: placeholder(for: column))
    }
    return columns.isEmpty ? nil : columns
  }

  private func placeholder(for column: TableColumn) -> LeftOutColumn.Placeholder? {
    guard !column.isGenerated else { return nil }
    let isUnique = uniqueIndexes.contains { $0.parts.contains { $0.column == column.name } }
    guard column.isRequired else { return column.defaultText == nil ? nil : .null }
    let type = column.declaredType.uppercased()
    if ["INT", "REAL", "FLOA", "DOUB"].contains(where: type.contains) {
      return isUnique ? .uniqueNumber : .number
    }
    if type.contains("BLOB") { return isUnique ? .uniqueBlob : .blob }
    return isUnique ? .uniqueText : .text
  }
}

extension [LeftOut] {
  /// The parts with the columns of their tables.
  func described(by tables: [TableDescription]) -> [LeftOut] {
    map { part in
      guard let table = tables.first(where: { hasSameName($0.name, part.table) }) else {
        return part
      }
      var part = part
      if let column = part.column {
        let isMissing = !table.columns.contains { hasSameName($0.name, column) }
        part.isMissing = isMissing ? true : nil
      } else if !table.columns.isEmpty {
        part.columns = table.columns.map(\.name)
      }
      return part
    }
  }

  /// The parts after the program changed its tables.
  ///
  /// A program can rename such a table or column. Nothing says that a new name belongs to an old
  /// table or column, so each one to which it may belong is left out instead. A part without such a
  /// successor stays left out under its name. `renamed` has the present names of tables that still
  /// have their triggers.
  package func following(
    _ tables: [TableDescription],
    since old: StoreSchema,
    renamed: [String: String]
  ) -> [LeftOut] {
    let new = tables.filter { table in
      old[table.name] == nil && !contains { hasSameName($0.table, table.name) }
    }
    var result: [LeftOut] = []
    for part in self {
      let continuing = renamed[part.table].map { name in new.filter { $0.name == name } }
      let successors = part.successors(
        in: tables,
        new: continuing ?? new.filter { $0.continues(part, since: old) },
        since: old
      )
      for next in successors.isEmpty ? [part] : successors
      where !result.contains(where: { $0.contains(next) }) {
        result.append(next)
      }
    }
    return result
  }
}

extension LeftOut {
  /// What may be this part under another name; empty if the part is there or was dropped.
  ///
  /// `new` has the new tables that may continue the part's table.
  fileprivate func successors(
    in tables: [TableDescription],
    new: [TableDescription],
    since old: StoreSchema
  ) -> [LeftOut] {
    let present = tables.first { hasSameName($0.name, table) }
    guard let column else {
      return present == nil ? new.map { LeftOut(table: $0.name) } : []
    }
    let known = old[present?.name ?? table]?.attributes.map(\.name) ?? []
    if let present {
      guard isMissing != true, !present.columns.contains(where: { hasSameName($0.name, column) })
      else { return [] }
      return present.newColumns(besides: known)
    }
    return new.flatMap { table in
      let same = table.columns.first { hasSameName($0.name, column) }
      return same.map { [LeftOut(table: table.name, column: $0.name)] }
        ?? table.newColumns(besides: known)
    }
  }
}

extension TableDescription {
  /// Whether the table may continue the table of a part, because it has at least half of its columns.
  fileprivate func continues(_ part: LeftOut, since old: StoreSchema) -> Bool {
    // A virtual table has no columns here.
    guard let names = part.columns ?? old[part.table]?.allColumns else { return columns.isEmpty }
    let shared = names.filter { name in columns.contains { $0.name == name } }
    return !names.isEmpty && 2 * shared.count >= names.count
  }

  /// The columns that are not in a list, and that SQLite does not compute.
  fileprivate func newColumns(besides known: [String]) -> [LeftOut] {
    columns.filter { !$0.isGenerated && !known.contains($0.name) }.map {
      LeftOut(table: name, column: $0.name)
    }
  }
}

extension LeftOut {
  /// Whether another part is this part or in it.
  package func contains(_ other: LeftOut) -> Bool {
    guard hasSameName(table, other.table) else { return false }
    guard let column else { return true }
    return other.column.map { hasSameName(column, $0) } ?? false
  }
}

extension Entity {
  /// The names of all columns of an adopted table, also of those that are left out.
  fileprivate var allColumns: [String] {
    attributes.map(\.name) + (leftOutColumns ?? []).map(\.name)
  }
}
