import Format

extension Table {
  /// Appends the change of a row to a text, and returns the kind of change; nil if nothing changed.
  ///
  /// `before` is nil for an insertion, and `after` is nil for a deletion.
  func append(
    from before: [Value]?,
    to after: [Value]?,
    text: inout ChangeText,
    blobs: Blobs
  ) throws -> ChangeKind? {
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, let after?):
      try text.after.append(after, encoder: encoder, blobs: blobs)
      return .insert
    case (let before?, nil):
      try text.before.append(before, encoder: encoder, blobs: blobs)
      return .delete
    case (let before?, let after?):
      var hasChanged = false
      for index in after.indices where !before[index].isSame(as: after[index]) {
        let column = ColumnIndex(index)
        text.appendChanged(encoder.key(column))
        try text.before.append(before[index], at: column, encoder: encoder, blobs: blobs)
        try text.after.append(after[index], at: column, encoder: encoder, blobs: blobs)
        hasChanged = true
      }
      return hasChanged ? .update : nil
    }
  }
}

extension ChangeText {
  /// Completes the change of the named row, and calls `body` with the change.
  mutating func withChange<Result>(
    _ kind: ChangeKind,
    sequence: Int64,
    table: Table,
    name: RowName,
    _ body: (Change) throws -> Result
  ) throws -> Result {
    let entity = table.encoder.name
    return try withChange(kind, sequence: sequence, entity: entity, id: ObjectID(name), body)
  }

  /// Completes the change of the row with this id, and calls `body` with the change.
  mutating func withChange<Result>(
    _ kind: ChangeKind,
    sequence: Int64,
    entity: UnsafeRawBufferPointer,
    id: ObjectID,
    _ body: (Change) throws -> Result
  ) throws -> Result {
    try withChange(kind, sequence: sequence, entity: entity, object: id.integer) { change in
      guard var text = id.text else { return try body(change) }
      return try text.withUTF8 { bytes in
        var change = change
        change.name = UnsafeRawBufferPointer(bytes)
        return try body(change)
      }
    }
  }
}
