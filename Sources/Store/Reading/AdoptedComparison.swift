import Changes

extension Reader {
  /// Calls the closure with the differences between the rows of this file and of another file,
  /// table by table.
  ///
  /// The differences of a table begin with the rows of this file, in their order. After these,
  /// there are the rows that only the other file has.
  func adoptedDifferences(
    _ mine: PassingValues,
    other: Reader,
    _ theirs: PassingValues,
    _ body: (RowDifference) throws -> Void
  ) throws {
    var text = ChangeText()
    var sequence: Int64 = 0
    func report(
      _ name: RowName,
      of table: AdoptedTable,
      from before: [Value]?,
      to after: [Value]?
    ) throws {
      defer { text.removeAll() }
      // The large values of both sides are kept for the reader of the other file. If that file
      // lacks the row, they are kept for the reader of this file.
      let blobs = after == nil ? mine.blobs : theirs.blobs
      guard let kind = try table.append(from: before, to: after, text: &text, blobs: blobs) else {
        return
      }
      try text.withChange(kind, sequence: sequence, table: table, name: name, body)
      sequence += 1
      try mine.removeAll()
      try theirs.removeAll()
    }
    for layout in other.layouts {
      guard let old = layouts.first(where: { $0.entity.name == layout.entity.name }),
        old.columns.map(\.name) == layout.columns.map(\.name)
      else { continue }
      let left = AdoptedTable(connection, layout: old, layouts: layouts)
      let right = AdoptedTable(other.connection, layout: layout, layouts: other.layouts)
      let rows = try left.rows()
      while try rows.step() {
        let (name, values) = try left.row(at: rows)
        try report(name, of: right, from: values, to: right.find(name))
      }
      let others = try right.rows()
      while try others.step() {
        let (name, values) = try right.row(at: others)
        if try left.find(name) == nil { try report(name, of: right, from: nil, to: values) }
      }
    }
  }
}
