import Format
import SQLite

extension Reader {
  /// The number of objects in ``snapshot(_:)``.
  package func snapshotCount() throws -> Int64 {
    var result: Int64 = 0
    for layout in layouts {
      let condition = layout.ownCondition.map { " WHERE \($0)" } ?? ""
      result += try connection.integer("SELECT count(*) FROM \(layout.table)\(condition)") ?? 0
    }
    return result
  }

  /// Whether the rows are those after a point: no later transaction has changed them, and no program
  /// has written anything that history does not show yet.
  package func shows(_ point: HistoryPoint) throws -> Bool {
    try self.point == nil && historyRange().head == point && !hasUnshownChanges()
  }

  /// Calls the closure with an insertion for each object; the insertion contains the links that the
  /// object owns.
  ///
  /// Objects are sorted by entity in the order of the schema, and then by id. Rows with other keys are
  /// in the order of their table, so that a replica has them in the same order.
  ///
  /// An erased value of a replica is an erased value in the snapshot. A log can't have a snapshot with
  /// erased values; see ``checkValuesAreKnown()``.
  ///
  /// Only one object is in memory at a time. During the call of the closure, ``largeData(_:)``
  /// returns the object's large values. The snapshot is the state that the reader shows: the one after
  /// the last transaction, unless ``Store/read(after:_:)`` was given another point.
  ///
  /// - Throws: ``StoreError/Code/locked`` if rows contain a foreign change that history does not
  ///   show yet, because the state then belongs to no transaction.
  package func snapshot(_ body: (Change) throws -> Void) throws {
    guard try point != nil || !hasUnshownChanges() else {
      throw unrecordedChange(at: connection.path)
    }
    try withPassingValues { try snapshot($0, body) }
  }

  private func snapshot(_ passing: PassingValues, _ body: (Change) throws -> Void) throws {
    let rows = try ObjectRows(connection, layouts: layouts)
    let unknown = try unknownValues()
    var text = ChangeText()
    var sequence: Int64 = 0
    for entity in layouts.map(\.index) {
      let cursor = try rows.cursor(of: entity, order: order(of: layouts[entity]))
      while try cursor.next() {
        try cursor.append(
          to: &text.after,
          blobs: passing.blobs,
          unknown: unknown[RowKey(entity: entity, id: cursor.id)] ?? [:]
        )
        try text.withChange(
          .insert,
          sequence: sequence,
          entity: cursor.encoder.name,
          id: cursor.id,
          body
        )
        text.removeAll()
        try passing.removeAll()
        sequence += 1
      }
    }
  }
}

extension Reader {
  /// The erased values for which the rows have placeholders, each with the transaction whose value
  /// was erased.
  func unknownValues() throws -> [RowKey: [ColumnIndex: Int64]] {
    if let erasedAtPoint { return erasedAtPoint }
    return try UnknownValues(connection, layouts: layouts).all()
  }

  /// What is shown instead of such a value: it was erased, unless the origin's history has no values.
  func unknownValue() throws -> EncodedValue {
    try Catalog(on: connection).schema.hasUnknownValues == true ? .unknown : .erased
  }

  /// Throws ``StoreError/Code/irreversible`` if rows have placeholders for erased values.
  package func checkValuesAreKnown() throws {
    if let erasedAtPoint {
      let count = erasedAtPoint.values.reduce(0) { $0 + $1.count }
      guard count > 0 else { return }
      throw StoreError(.irreversible, at: connection.path) {
        "\(count) \(count == 1 ? "value" : "values") of the state after transaction \(point ?? 0) of"
          + " \(connection.path) \(count == 1 ? "was" : "were") erased."
          + "\nName a later point, after these values were set again."
      }
    }
    let count = try UnknownValues(connection, layouts: layouts).count
    guard count > 0 else { return }
    throw StoreError(.irreversible, at: connection.path) {
      "The rows of the replica \(connection.path) have placeholders for \(count) erased"
        + " \(count == 1 ? "value" : "values"), so the rows do not show the state of the origin."
        + "\nImport the logs up to a later transaction, which sets these values again."
    }
  }
}

/// The large values of the current object, in memory.
///
/// The values are in memory, because a reader can't write to the table in which history keeps large
/// values.
final class PassingValues {
  let blobs: Blobs
  private let memory: Connection

  init(besides reader: Reader) throws {
    memory = try Connection(path: "", mode: .memory)
    try memory.execute(Catalog.statements(memory.tables))
    blobs = Blobs(inMemory: memory, folder: reader.blobFolder, besides: reader.connection)
  }

  /// Removes the values of the previous object.
  func removeAll() throws {
    guard blobs.isTouched else { return }
    try memory.execute("DELETE FROM \(memory.tables.blob)")
    blobs.committed()
  }
}
