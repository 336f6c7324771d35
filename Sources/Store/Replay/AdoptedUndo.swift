import Adoption
import Format
import SQLite

/// Writes the rows of an undo of an adopted file.
///
/// The program's own triggers run during the undo, as for any other writer.
///
/// The undo is refused if a trigger or a foreign key of the program changes further rows, because
/// the result would not be the earlier state. The captured rows show such changes.
final class AdoptedUndo {
  private let writer: Writer
  private let connection: Connection
  private let names: CaptureNames
  /// The present tables of changes that were recorded before tables changed.
  private let past: PastTables
  /// The captured rows after the beginning of the undo.
  private let captured: CapturedStream
  /// The rows that wait because other rows still have their unique values, and their order.
  private var waiting: [RowKey: () throws -> Void] = [:]
  private var order: [RowKey] = []
  private var changed: Set<String> = []

  private init(_ writer: Writer, names: CaptureNames) throws {
    self.writer = writer
    self.names = names
    connection = writer.connection
    captured = try CapturedStream(
      connection,
      names: names,
      tables: writer.tables,
      after: Capture.clock(names: names, on: connection)
    )
    let catalog = try Catalog(on: writer.connection)
    let schemas = try catalogSchemas(on: connection)
    guard let present = schemas.first(where: { $0.id == catalog.schemaID }) else {
      throw missingSchema("\(catalog.schemaID)", at: connection.path)
    }
    past = try PastTables(on: connection, to: present)
  }

  /// Reverts transactions in the open transaction of a writer, and returns the new transaction; nil
  /// if nothing changed.
  ///
  /// All captured changes must be sealed before the undo.
  static func run(
    _ range: ClosedRange<Int64>,
    author: Author,
    writer: Writer
  ) throws -> Int64? {
    guard let names = AdoptedFile.names(on: writer.connection) else { return nil }
    let rows = try AdoptedUndo(writer, names: names)
    // A row can be written before the row that it refers to, so foreign keys are checked at the
    // end.
    try writer.connection.execute("PRAGMA defer_foreign_keys = ON")
    try writer.connection.setTriggers(enabled: true)
    defer {
      do {
        try writer.connection.setTriggers(enabled: false)
      } catch {
        // The call can't fail on an open connection.
      }
    }
    try Undo(writer, program: rows).run(range)
    guard !writer.connection.hasMissingReferences else {
      let path = writer.connection.path
      throw StoreError(.irreversible, at: path) {
        "The undo would leave a row in \(path) that refers to a missing row. Nothing is changed."
          + "\nAlso revert the later transactions that wrote such references."
      }
    }
    try rebuildFullText(of: writer.schema, contents: rows.changed, on: writer.connection)
    return try Capture.sealAll(
      names,
      schema: writer.schema,
      recorder: writer.recorder,
      blobs: writer.blobs,
      own: author,
      on: writer.connection
    )
  }

  // MARK: Changes

  /// Calls the closure with each inverse change, under the present names of its table and columns.
  func inverses(of range: ClosedRange<Int64>, _ body: (Change) throws -> Void) throws {
    let rows = HistoryRows(connection)
    try rows.undo(
      range,
      obstacles: [.migration, .difference],
      through: range.upperBound,
      obstructed: { obstacle in
        StoreError(.irreversible, at: rows.path) {
          "Transaction \(obstacle) of \(rows.path) can't be reverted because it changed the"
            + " definitions of tables, or recorded tables again.\nRevert other transactions."
        }
      }
    ) { transaction, change in
      try withPresentNames(change, of: transaction, body)
    }
  }

  /// Calls the closure with an inverse change under the present names of its table and columns.
  ///
  /// - Throws: ``StoreError/Code/irreversible`` if the table or a changed column was removed, or if
  ///   all rows of the table were recorded again.
  private func withPresentNames(
    _ change: Change,
    of transaction: Int64,
    _ body: (Change) throws -> Void
  ) throws {
    guard let place = past.place(of: change, in: transaction) else {
      let name = String(decoding: change.entity, as: UTF8.self)
      let end = past.end(of: change, in: transaction) ?? transaction
      throw StoreError(.irreversible, at: connection.path) {
        "Transaction \(transaction) of \(connection.path) can't be reverted because it changed"
          + " '\(abbreviated(name))', and transaction \(end) recorded all rows of this table again"
          + " or removed the table.\nRevert only transactions that changed other tables, or"
          + " transactions after \(end)."
      }
    }
    let table = writer.tables[place.table]
    let isRenamed = !change.entity.elementsEqual(table.layout.entity.name.utf8)
    guard isRenamed || place.keys != nil || !place.added.isEmpty else { return try body(change) }
    let (before, after) = (change.valuesByKey(.before), change.valuesByKey(.after))
    var (old, new) = (place.translated(before), place.translated(after))
    // A row with values of removed columns can be deleted, but can't get these values again.
    guard change.kind == .delete || new.count == after.count else {
      throw StoreError(.irreversible, at: connection.path) {
        "Transaction \(transaction) of \(connection.path) can't be reverted because it changed"
          + " columns of '\(abbreviated(table.layout.entity.name))' that were removed later."
          + "\nUse the program of this database to change the rows."
      }
    }
    var text = ChangeText()
    for index in 0..<table.encoder.count {
      let key = Array(table.encoder.key(ColumnIndex(index)))
      // A whole row also has the columns that were added later.
      if let value = place.added[key], change.kind != .update {
        let column = ColumnIndex(index)
        let encoded = try table.encoder.encoded(value, at: column, blobs: writer.blobs)
        if change.kind == .delete { old[key] = encoded } else { new[key] = encoded }
      }
      if change.kind == .update, new[key] != nil { text.appendChanged(key) }
      if let value = old[key] { text.before.append(key, value: value) }
      if let value = new[key] { text.after.append(key, value: value) }
    }
    try text.withChange(
      change.kind,
      sequence: change.sequence,
      table: table,
      name: RowName(change.id),
      body
    )
  }

  // MARK: Rows

  func insert(_ key: RowKey, columns: [ColumnIndex], values: [Value]) throws {
    let table = writer.tables[key.entity]
    if let columns = table.layout.entity.leftOutColumns {
      throw refusal(
        "\(text(of: key)) can't be inserted again, because the history of \(connection.path)"
          + " leaves out the values of \(quotedList(columns.map(\.name)))",
        toDo: "insert"
      )
    }
    try write(key) { try table.insert(key.id, values, into: columns) }
  }

  func update(_ key: RowKey, columns: [ColumnIndex], values: [Value]) throws {
    let table = writer.tables[key.entity]
    try write(key) { try table.update(key.id, columns: columns, values: values) }
  }

  func delete(_ key: RowKey) throws {
    let table = writer.tables[key.entity]
    try write(key) { try table.delete(key.id) }
  }

  private func write(_ key: RowKey, _ body: @escaping () throws -> Void) throws {
    do {
      try change(key, body)
    } catch let error as SQLiteError where error.isUniqueConflict {
      waiting[key] = body
      order.append(key)
    }
  }

  /// Writes an earlier change of a row, if it still waits.
  ///
  /// The unique values of the row must be free now.
  func writeWaiting(_ key: RowKey) throws {
    guard let write = waiting.removeValue(forKey: key) else { return }
    do {
      try change(key, write)
    } catch let error as SQLiteError where error.isUniqueConflict {
      throw rejected(key, error)
    }
  }

  func writeWaiting() throws {
    while let first = order.first(where: { waiting[$0] != nil }) {
      let (rows, keys) = (waiting, order)
      (waiting, order) = ([:], [])
      for key in keys {
        if let write = rows[key] { try self.write(key, write) }
      }
      // If no row could be written, the rows wait for each other, for example because they
      // exchanged a value. Then writing one of them throws the error.
      if waiting.count == rows.count { return try writeWaiting(first) }
    }
  }

  /// Changes one row, and throws if the change affected other rows too.
  private func change(_ key: RowKey, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError where error.isUniqueConflict {
      throw error
    } catch let error as SQLiteError where error.isRefusal {
      throw rejected(key, error)
    }
    let events = try newEvents()
    guard let first = events.first else {
      throw refusal("A trigger in \(connection.path) prevents the undo of \(text(of: key))")
    }
    guard events.count == 1, first == key.entity else {
      // If other tables changed too, the table of the row itself is left out.
      let others = Set(events.filter { $0 != key.entity })
      let named = others.isEmpty ? [key.entity] : others.sorted { $0.number < $1.number }
      let tables = quotedList(named.map { writer.layouts[$0].entity.name })
      throw refusal(
        "The undo of \(text(of: key)) would also change \(tables) by a trigger or a foreign key in"
          + " \(connection.path)"
      )
    }
    changed.insert(writer.layouts[key.entity].entity.name)
  }

  /// The tables of the rows that changed since the last call, once for each change.
  private func newEvents() throws -> [EntityIndex] {
    defer { captured.close() }
    var events: [EntityIndex] = []
    while let event = try captured.next() {
      if event.kind != .victim { events.append(EntityIndex(event.table)) }
    }
    return events
  }

  private func rejected(_ key: RowKey, _ error: SQLiteError) -> StoreError {
    refusal(
      "\(connection.path) rejects the undo of \(text(of: key)): \(abbreviated(error.message))"
    )
  }

  private func refusal(_ wording: Wording, toDo verb: String = "change") -> StoreError {
    StoreError(.irreversible, at: connection.path) {
      wording + ". Nothing is changed.\nUse the program of this database to \(verb) the row."
    }
  }

  private func text(of key: RowKey) -> String {
    abbreviated("\(writer.layouts[key.entity].entity.name) \(key.id)")
  }
}

private func quotedList(_ names: [String]) -> String {
  names.map { "'\($0)'" }.joined(separator: ", ")
}

extension SQLiteError {
  /// Whether a constraint, a trigger or a function of the program refused a statement.
  fileprivate var isRefusal: Bool {
    [Self.error, Self.constraint].contains(primaryCode)
  }
}
