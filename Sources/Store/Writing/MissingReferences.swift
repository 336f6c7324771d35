import Format
import SQLite

extension Writer {
  /// Describes the foreign key that made `COMMIT` fail.
  ///
  /// SQLite does not report which foreign key failed, so the function checks all foreign keys. The
  /// check takes long in a large store.
  func missingReference() throws -> StoreError {
    let insert = "Insert the missing object in the same save."
    let statement = try connection.prepare("PRAGMA foreign_key_check")
    guard try statement.step() else {
      return StoreError(.missingReference) {
        "A relationship refers to an object that does not exist.\n\(insert)"
      }
    }
    let table = statement.string(at: 0)
    let id = statement.int64(at: 1)
    let hasID = !statement.isNull(at: 1)
    let destination = statement.string(at: 2)
    let key = statement.int64(at: 3)
    statement.reset()
    guard hasID, let root = layouts.first(where: { $0.entity.table == table }),
      let entity = try entity(of: RowKey(entity: root.index, id: ObjectID(id)))
    else {
      return StoreError(.missingReference) {
        "A link in \(table) refers to a \(destination) that does not exist.\n\(insert)"
      }
    }
    let layout = layouts[entity]
    let keys = "SELECT \"from\" FROM pragma_foreign_key_list(?1) WHERE id = ?2"
    let column =
      try connection.first(keys, values: [.text(table), .integer(key)]) { $0.string(at: 0) } ?? ""
    let property = layout.columns.first { $0.name == column }?.property ?? column
    let object = ObjectName(layout.entity.name, id: id)
    return StoreError(.missingReference, items: [object]) {
      "\(object) refers through \(property) to a \(destination) that does not exist.\n\(insert)"
    }
  }
}
