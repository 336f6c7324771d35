import Format
import SQLite

extension PastState {
  /// Calls the closure with a row of a program's table as an insertion, unless the state has no such
  /// row.
  package func row(
    of name: String,
    id: ObjectID,
    _ body: (Change) throws -> Void
  ) throws {
    let layouts = try schema.layouts()
    guard let table = tables.first(where: { $0.name == name }),
      let layout = layouts.first(where: { $0.entity.name == name }),
      let values = try table.find(RowName(id), key: layout.entity.identity?.columns ?? [])
    else { return }
    let encoder = ObjectEncoder(layout, layouts: layouts)
    try reader.withPassingValues { passing in
      var text = ChangeText()
      for (index, column) in layout.columns.enumerated() {
        guard let place = table.column(column.name) else { continue }
        try text.after.append(
          values[place],
          at: ColumnIndex(index),
          encoder: encoder,
          blobs: passing.blobs
        )
      }
      try text.withChange(.insert, sequence: 0, entity: encoder.name, id: id, body)
    }
  }
}

extension PastTable {
  /// The values of the row with a name; nil if the table has no such row.
  ///
  /// `key` has the columns that name a row.
  fileprivate func find(_ name: RowName, key names: [String]) throws -> [Value]? {
    let places = names.compactMap { column($0) }
    let key: [Value]
    switch name.identity {
    case .integer(let number): key = [.integer(number)]
    case .key(let values): key = values
    case .rowid, nil: return nil
    }
    let found = rowIDName == nil ? places : [-1]
    guard found.count == key.count else { return nil }
    let reading = [Array(columns.indices), found]
      .map { $0.map(String.init).joined(separator: ",") }.joined(separator: ";")
    use()
    try readChanges(ObjectID(name))
    let isNumber = key.map { value -> Bool in
      switch value {
      case .integer, .real: true
      default: false
      }
    }
    let rows = try statement(for: reading, numbers: isNumber)
    for (index, value) in key.enumerated() where index < rows.parameterNames.count {
      try rows.bind(Int32(clamping: index) + 1, value)
    }
    while try rows.step() {
      let values = columns.indices.map { rows.value(at: Int32(clamping: $0)) }
      // The statement compares as SQL does, which finds more rows than the name means.
      if places.isEmpty || RowName(key: places.map { values[$0] }, rowid: nil) == name {
        return values
      }
    }
    return nil
  }
}
