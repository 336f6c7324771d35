import Format

/// Where the value of a property is, and what form it has.
enum ColumnSource: Hashable, Sendable {
  /// The file has no such column.
  case missing
  /// A value of one column.
  case plain(column: String, AppleAttribute.Kind)
  /// Bytes after a tag, or in a file of their own.
  case external(column: String)
  /// Bytes of a transformer; as JSON if they are an archive of lists, texts and numbers.
  case transformed(column: String, isJSON: Bool)
  /// The leaves of a composite, with a column or nil for each.
  case composite(AppleAttribute, columns: [String?])
  /// The id of another object, or a place in an order.
  case integer(column: String)

  var columns: [String] {
    switch self {
    case .missing: []
    case .plain(let column, _), .external(let column), .transformed(let column, _),
      .integer(let column):
      [column]
    case .composite(_, let columns): columns.compactMap { $0 }
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
