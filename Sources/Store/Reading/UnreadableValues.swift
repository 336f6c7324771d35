import Changes

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
    StoreError(
      ObjectFailure.unreadable(
        ObjectName(entity.name, id: id),
        property: columns[column].property,
        found: words(for: value),
        expected: words(for: columns[column])
      )
    )
  }

  package func isReadable(_ value: Value, at column: ColumnIndex) -> Bool {
    let column = columns[column]
    if case .null = value { return column.isOptional }
    guard let type = column.type else {
      guard case .integer = value else { return false }
      return true
    }
    switch (type, value) {
    case (_, .text(let digest)) where column.isExternal:
      return Digest(hexadecimal: digest) != nil
    case (_, .blob) where column.isExternal: return true
    case (.any, _): return true
    case (.data, .blob), (.transformed, .blob): return true
    case (.float16, .real), (.float, .real), (.double, .real), (.date, .real),
      (.float16, .integer), (.float, .integer), (.double, .integer), (.date, .integer),
      (.string, .text), (.json, .text), (.url, .text), (.string, .brokenText):
      return true
    default:
      // A value that needs no note in `special` has the right type. So does NaN.
      var text: [UInt8] = []
      return appendCanonical(value, as: type, to: &text).map(isNumberBeyondJSON) ?? true
    }
  }

  private func isNumberBeyondJSON(_ special: SpecialValue) -> Bool {
    guard case .nan = special else { return false }
    return true
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
  let what: String
  switch type {
  case .bool: what = "0 or 1"
  case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: what = "an integer of \(type)"
  case .uint64: what = "an integer, or a text of twenty digits"
  case .float16, .float, .double: what = "a number, or the text NaN"
  case .decimal: what = "a decimal number as a text"
  case .string: what = "a text"
  case .date: what = "a number of seconds since 2001, or the text NaN"
  case .data: what = "a blob"
  case .uuid: what = "a UUID in capitals as a text"
  case .url: what = "a URL as a text"
  case .json: what = "JSON as a text"
  case .transformed: what = "a blob"
  case .any: what = "a value"
  }
  return column.isOptional ? what + ", or null" : what
}
