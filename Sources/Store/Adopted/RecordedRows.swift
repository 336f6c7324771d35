import Format
import SQLite

/// Records changes of rows in an open transaction.
struct RecordedRows {
  let recorder: ChangeRecorder
  let blobs: Blobs
  private var text = ChangeText()

  init(recorder: ChangeRecorder, blobs: Blobs) {
    self.recorder = recorder
    self.blobs = blobs
  }

  mutating func insertAll(of table: Table) throws {
    let rows = try table.rows()
    while try rows.step() {
      let (name, values) = try table.row(at: rows)
      try record(name, from: nil, to: values, of: table)
    }
  }

  /// Records the deletion of all rows of a table, with the names of another table.
  mutating func deleteAll(of table: Table, encoding: Table) throws {
    let rows = try table.rows()
    while try rows.step() {
      let (name, values) = try table.row(at: rows)
      try record(name, from: values, to: nil, of: encoding)
    }
  }

  mutating func compare(
    _ pair: TablePair,
    _ earlier: Table?,
    _ present: Table,
    encoding: Table
  ) throws {
    try pair.compare(earlier, present) { name, before, after in
      try record(name, from: before, to: after, of: encoding)
      return true
    }
  }

  mutating func record(
    _ name: RowName,
    from before: [Value]?,
    to after: [Value]?,
    of table: Table
  ) throws {
    text.removeAll()
    guard let kind = try table.append(from: before, to: after, text: &text, blobs: blobs) else {
      return
    }
    try text.withChange(kind, sequence: recorder.count, table: table, name: name) {
      try recorder.copy($0, of: recorder.transaction)
    }
  }
}
