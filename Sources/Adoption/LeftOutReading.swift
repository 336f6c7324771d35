import Changes

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
  /// A program can rename what is left out. Nothing says that a new column or table is an old one
  /// under another name, so whatever may be is left out too.
  package func following(
    _ tables: [TableDescription],
    since old: StoreSchema
  ) -> [LeftOut] {
    var result = self
    func add(_ table: String, _ column: String? = nil) {
      let part = LeftOut(table: table, column: column)
      if !result.contains(where: { $0.contains(part) }) { result.append(part) }
    }
    let new = tables.filter { table in
      old[table.name] == nil && !contains { hasSameName($0.table, table.name) }
    }
    for part in self {
      let present = tables.first { hasSameName($0.name, part.table) }
      switch (part.column, present) {
      case (nil, .some): break
      case (nil, nil):
        // A virtual table has no columns here.
        for table in new
        where part.columns.map(table.continues) ?? table.columns.isEmpty { add(table.name) }
      case (let column?, let present?):
        let names = present.columns.map(\.name)
        guard part.isMissing != true, !names.contains(where: { hasSameName($0, column) }) else {
          continue
        }
        let known = old[present.name]?.attributes.map(\.name) ?? []
        for name in names where !known.contains(name) { add(present.name, name) }
      case (let column?, nil):
        let known = old[part.table]?.attributes.map(\.name) ?? []
        for table in new where table.continues(known) {
          let names = table.columns.map(\.name)
          let same = names.filter { hasSameName($0, column) }
          for name in same.isEmpty ? names.filter({ !known.contains($0) }) : same {
            add(table.name, name)
          }
        }
      }
    }
    return result
  }
}

extension TableDescription {
  /// Whether the table has most of these columns, so that it may continue their table.
  fileprivate func continues(_ names: [String]) -> Bool {
    let shared = names.filter { name in columns.contains { $0.name == name } }
    return !names.isEmpty && 2 * shared.count > names.count
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
