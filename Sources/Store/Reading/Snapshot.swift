import Changes
import FoundationEssentials
import SQLite

extension Reader {
  /// The number of objects that ``snapshot(_:)`` tells of.
  package func snapshotCount() throws -> Int64 {
    var result: Int64 = 0
    for layout in layouts {
      let count = try connection.prepare(
        "SELECT count(*) FROM \(layout.table)" + (layout.ownCondition.map { " WHERE \($0)" } ?? "")
      )
      if try count.step() { result += count.int64(at: 0) }
    }
    return result
  }

  /// Tells of every object as an insertion, as history would have it: entity by entity in the order
  /// of the schema, each by id, with the links that the entity owns.
  ///
  /// It holds one object at a time. A large value is given by ``largeData(_:)`` while its change is
  /// told of. What it shows is the state at the history's head.
  ///
  /// - Throws: ``StoreError/Code/locked`` where another program has changed rows and history does
  ///   not have that yet, so that the state is that of no transaction.
  package func snapshot(_ body: (Change) throws -> Void) throws {
    guard try !hasUnshownChanges() else { throw FileFailure.unrecordedChange.at(connection.path) }
    try withPassingValues { try snapshot($0, body) }
  }

  private func snapshot(_ passing: PassingValues, _ body: (Change) throws -> Void) throws {
    let rows = try ObjectRows(connection, layouts: layouts)
    var text = ChangeText()
    var sequence: Int64 = 0
    for entity in layouts.map(\.index) {
      let encoder = ObjectEncoder(layouts[entity], layouts: layouts)
      let cursor = try rows.cursor(of: entity)
      while try cursor.next() {
        try cursor.append(to: &text.after, encoder: encoder, blobs: passing.blobs)
        try text.withChange(
          .insert,
          sequence: sequence,
          entity: encoder.name,
          object: cursor.id,
          body
        )
        text.removeAll()
        try passing.removeAll()
        sequence += 1
      }
    }
  }
}

/// Large values that stand in rows, while somebody looks at the row.
///
/// History keeps such values beside its rows; who only reads can't, and has them in memory.
final class PassingValues {
  let blobs: Blobs
  private let memory: Connection

  init(besides reader: Reader) throws {
    memory = try Connection(path: "", mode: .memory)
    try memory.execute(Catalog.tables)
    blobs = Blobs(inMemory: memory, folder: reader.blobFolder, besides: reader.connection)
  }

  /// Forgets the values of the last row.
  func removeAll() throws {
    guard blobs.isTouched else { return }
    try memory.execute("DELETE FROM store_blob")
    blobs.committed()
  }
}
