import Format

extension ChangeRecorder {
  /// Creates a draft from a change that is already written, because the object changes again.
  func loadDraft(of key: RowKey, touch: Touch) throws {
    guard drafts[key] == nil || drafts[key]?.before.isEmpty == true else { return }
    var draft = drafts[key] ?? ChangeDraft()
    if touch.kind != .insert, touch.row != 0 {
      let before = try row.valuesBefore(id: touch.row)
      let encoder = encoders[key.entity]
      for index in 0..<encoder.count {
        let column = ColumnIndex(index)
        draft.before[column] = before[Array(encoder.key(column))]
      }
    }
    drafts[key] = draft
  }

  /// Writes the remaining changes, and returns the number of changes in the transaction.
  ///
  /// `current` returns the present values of an object. For foreign changes, `stamp` has the time
  /// that was captured.
  func finish(
    _ author: Author,
    operation: TransactionOperation = .recorded,
    details: String? = nil,
    stamp: Provenance.Stamp? = nil,
    current: (RowKey) throws -> [Value]?
  ) throws -> Int {
    for (key, draft) in try drafts.sorted(by: { try order(of: $0.key) < order(of: $1.key) }) {
      guard let touch = try touches.touch(key), touch.kind != .delete else { continue }
      guard let values = try current(key) else { continue }
      try settle(key, touch: touch, draft: draft, values: values)
    }
    if hasGaps { nextRow = try header.closeGaps(from: firstRow) }
    touches.removeFile()
    if count > 0 { try close(author, operation: operation, details: details, stamp: stamp) }
    return Int(count)
  }

  private func order(of key: RowKey) throws -> (Int64, RowKey) {
    let row = try touches.touch(key)?.row ?? 0
    return (row == 0 ? Int64.max : row, key)
  }

  /// Writes the change of an object that has a draft.
  private func settle(
    _ key: RowKey,
    touch: Touch,
    draft: ChangeDraft,
    values: [Value]
  ) throws {
    let encoder = encoders[key.entity]
    row.text.removeAll()
    if touch.kind == .insert {
      try row.appendAfter(values, encoder: encoder)
      appendLinks(of: draft)
      row.text.changed.removeAll(keepingCapacity: true)
      try row.replace(id: touch.row, kind: .insert)
      return
    }
    for (column, first) in draft.before.sorted(by: { $0.key < $1.key }) {
      let now = try encoder.encoded(values[column], at: column, blobs: blobs)
      guard now != first else { continue }
      let name = encoder.key(column)
      row.text.appendChanged(name)
      row.text.before.append(name, value: first)
      row.text.after.append(name, value: now)
    }
    appendLinks(of: draft)
    if row.text.before.isEmpty, row.text.after.isEmpty {
      if touch.row != 0 {
        try row.remove(id: touch.row)
        hasGaps = true
      }
    } else if touch.row != 0 {
      try row.replace(id: touch.row, kind: .update)
    } else {
      try write(.update, key: key)
    }
  }

  /// Adds removed links to `before`, and added links to `after`.
  func appendLinks(of draft: ChangeDraft) {
    for (join, targets) in draft.links.sorted(by: { $0.key < $1.key }) {
      let changes = targets.filter { $0.value.before != $0.value.now }.sorted { $0.key < $1.key }
      guard !changes.isEmpty else { continue }
      let encoder = links[join]
      let (before, now) = (changes.filter(\.value.before), changes.filter(\.value.now))
      row.text.appendChanged(encoder.key)
      row.text.before.append(encoder.key, value: encoder.list(before.map(\.key)))
      row.text.after.append(encoder.key, value: encoder.list(now.map(\.key)))
    }
  }
}
