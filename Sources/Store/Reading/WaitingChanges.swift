import Format
import SQLite

extension Reader {
  /// Calls the closure with each change of an adopted file that was captured and is not sealed yet,
  /// from the newest to the oldest.
  ///
  /// - Throws: ``StoreError/Code/locked`` if one of the values is large, because only a seal stores
  ///   large values.
  func forEachWaitingChange(_ body: (Change) throws -> Void) throws {
    guard let names = AdoptedFile.names(on: connection) else { return }
    let catalog = try Catalog(on: connection)
    guard !catalog.isReplica, try Capture.unsealedCount(on: connection) > 0 else { return }
    let scan = try CapturedScan(connection, names: names, schema: catalog.schema)
    guard let result = try scan.advance() else { return }
    var rows: [(table: Int, row: CapturedReference)] = []
    let events = try scan.events(through: result.end)
    while let event = try events.next() {
      if event.kind == .victim, try !scan.chains.isReplaced(event.place.clock) { continue }
      let place = try result.order.place(event.place.clock)
      rows.append((place?.table ?? event.table, place?.row ?? event.row))
    }
    events.close()
    try withPassingValues { passing in
      var text = ChangeText()
      for (index, row) in rows.reversed() {
        guard let event = try events.event(row, of: index) else { continue }
        let table = scan.tables[index]
        func values(_ state: RowState?, isAfter: Bool) throws -> [Value]? {
          guard state != nil else { return nil }
          return try CapturedTables(scan.tables, names: names)
            .values(row, isAfter: isAfter, of: table)
        }
        let before = try values(event.before, isAfter: false)
        let after = try values(event.kind == .victim ? nil : event.after, isAfter: true)
        func revert(_ name: RowName, from before: [Value]?, to after: [Value]?) throws {
          text.removeAll()
          let kind = try table.append(from: before, to: after, text: &text, blobs: passing.blobs)
          guard !passing.blobs.isTouched else {
            throw unrecordedChange(at: connection.path)
          }
          guard let kind else { return }
          try text.withChange(kind, sequence: 0, table: table, name: name, body)
        }
        if let name = event.before?.name, name == event.after?.name, after != nil {
          try revert(name, from: before, to: after)
        } else {
          if let name = event.after?.name, after != nil { try revert(name, from: nil, to: after) }
          if let name = event.before?.name { try revert(name, from: before, to: nil) }
        }
      }
    }
  }
}
