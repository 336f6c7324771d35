import Format

/// Where the value of a property is, and what form it has.
///
/// A column is a name, or its number in the rows of a statement.
enum ColumnSource<Column: Hashable & Sendable>: Hashable, Sendable {
  /// The file has no such column.
  case missing
  /// A value of one column.
  case plain(column: Column, AppleAttribute.Kind)
  /// Bytes after a tag, or in a file of their own.
  case external(column: Column)
  /// Bytes of a transformer; as JSON if they are an archive of lists, texts and numbers.
  case transformed(column: Column, isJSON: Bool)
  /// The leaves of a composite, with a column or nil for each.
  case composite(AppleAttribute, columns: [Column?])
  /// The id of another object, or a place in an order.
  case integer(column: Column)

  var columns: [Column] {
    switch self {
    case .missing: []
    case .plain(let column, _), .external(let column), .transformed(let column, _),
      .integer(let column):
      [column]
    case .composite(_, let columns): columns.compactMap { $0 }
    }
  }

  /// The same source with other columns.
  func map<Other>(_ transform: (Column) -> Other) -> ColumnSource<Other> {
    switch self {
    case .missing: .missing
    case .plain(let column, let kind): .plain(column: transform(column), kind)
    case .external(let column): .external(column: transform(column))
    case .transformed(let column, let isJSON):
      .transformed(column: transform(column), isJSON: isJSON)
    case .composite(let attribute, let columns):
      .composite(attribute, columns: columns.map { $0.map(transform) })
    case .integer(let column): .integer(column: transform(column))
    }
  }
}

extension AppleAttribute.Kind {
  /// The type of values in our schema.
  var valueType: ValueType {
    switch self {
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .decimal: .decimal
    case .double: .double
    case .float: .float
    case .string: .string
    case .bool: .bool
    case .date: .date
    case .binary: .data
    case .uuid: .uuid
    case .uri: .url
    case .transformable, .undefined, .objectID: .transformed
    case .composite: .json
    }
  }
}
