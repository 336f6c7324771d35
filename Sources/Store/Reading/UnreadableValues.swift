import Format

extension EntityLayout {
  /// Checks the values of a row, in the order of ``columns``.
  ///
  /// - Throws: ``StoreError/Code/unreadableValue`` for the first value that does not have the type
  ///   of its property. Only a foreign writer can write such a value.
  package func check(_ values: [Value], id: Int64) throws {
    for (index, value) in values.enumerated() where !isReadable(value, at: ColumnIndex(index)) {
      throw unreadable(value, column: ColumnIndex(index), id: id)
    }
  }

  package func unreadable(_ value: Value, column: ColumnIndex, id: Int64) -> StoreError {
    StoreError(.unreadableValue) {
      "\(ObjectName(entity.name, id: id)) can't be read: \(columns[column].property) has"
        + " \(words(for: value)) instead of \(words(for: columns[column])). Another program wrote"
        + " this value.\nCorrect the value with the sqlite3 shell."
    }
  }

  package func isReadable(_ value: Value, at column: ColumnIndex) -> Bool {
    let column = columns[column]
    if case .null = value { return column.isOptional }
    guard let type = column.type else {
      guard case .integer = value else { return false }
      return true
    }
    if column.isExternal {
      if case .text(let digest) = value { return Digest(hexadecimal: digest) != nil }
      if case .blob = value { return true }
    }
    switch (type.form, value) {
    case (.spelled, _), (.bytes, .blob), (.real, .real), (.real, .integer), (.date, .real),
      (.date, .integer), (.text, .text):
      return true
    case (.text, .brokenText): return type == .string
    case (.text, _), (.bytes, _): return false
    case (.truth, _), (.integer, _), (.unsigned, _), (.exact, _), (.real, _), (.date, _):
      // A value that needs no note in `special` has the right type. So does NaN.
      var text: [UInt8] = []
      return appendCanonical(value, as: type, to: &text).map { $0 == .nan } ?? true
    }
  }
}

/// Describes a value without showing it, because it may be private.
private func words(for value: Value) -> String {
  switch value {
  case .null: "null"
  case .integer: "an integer that does not fit"
  case .real: "a number with a fraction"
  case .text(let text): "a text of \(countText(text.utf8.count, noun: "byte"))"
  case .brokenText(let data): "a text of \(countText(data.count, noun: "byte")) that is not UTF-8"
  case .blob(let data): "a blob of \(countText(data.count, noun: "byte"))"
  }
}

private func words(for column: EntityLayout.Column) -> String {
  guard let type = column.type else { return "the id of an object" }
  return column.isOptional ? type.words + ", or null" : type.words
}
