import Format
import Store
import StoreTesting

/// Each of these functions writes exactly one transaction.
extension World {
  /// Inserts a guest with a note.
  package func insertGuest(_ id: Int64, note: String? = nil) throws {
    try insertGuests([id], note: note)
  }

  /// Inserts guests in one transaction.
  package func insertGuests(_ ids: some Sequence<Int64>, note: String? = nil) throws {
    let guest = worldSchema.index(of: "Guest") ?? 0
    let values = source.layouts[guest].columns.map {
      $0.name == "note" ? note.map(Value.text) ?? .null : .null
    }
    try source.write(Author(name: "app")) { writer in
      for id in ids { try writer.insert(guest, id: id, values: values) }
    }
  }

  /// Changes the note of a guest.
  package func setNote(_ id: Int64, _ note: String) throws {
    let guest = worldSchema.index(of: "Guest") ?? 0
    let column = source.layouts[guest].column(of: "note") ?? 0
    try source.write(Author(name: "app")) {
      try $0.update(guest, id: id, columns: [column], values: [.text(note)])
    }
  }

  /// Deletes a guest.
  package func deleteGuest(_ id: Int64) throws {
    let guest = worldSchema.index(of: "Guest") ?? 0
    try source.write(Author(name: "app")) { try $0.delete(guest, id: id) }
  }

  /// The point after a transaction of the store's history.
  package func point(_ id: Int64) throws -> HistoryPoint { try source.read { try $0.point(id) } }
}
