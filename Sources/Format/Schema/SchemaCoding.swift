import FoundationEssentials

/// The JSON form of a value in the catalog. One key names the kind of the value, for people who
/// read the catalog, and numbers keep every bit.
extension Value: Codable {
  private enum CodingKeys: String, CodingKey {
    case null, integer, real, text, blob
  }

  /// Reads a value that ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let value = try container.decodeIfPresent(Int64.self, forKey: .integer) {
      self = .integer(value)
    } else if let text = try container.decodeIfPresent(String.self, forKey: .real) {
      guard let value = Double(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: .real,
          in: container,
          debugDescription: "'\(text)' is not a number"
        )
      }
      self = .real(value)
    } else if let value = try container.decodeIfPresent(String.self, forKey: .text) {
      self = .text(value)
    } else if let value = try container.decodeIfPresent(Data.self, forKey: .blob) {
      self = .blob(value)
    } else {
      self = .null
    }
  }

  /// Writes the value under a key that names its storage class.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .integer(let value): try container.encode(value, forKey: .integer)
    // A real number is written as a string, because JSON has no infinities.
    case .real(let value): try container.encode(String(value), forKey: .real)
    case .text(let value): try container.encode(value, forKey: .text)
    case .blob(let value): try container.encode(value, forKey: .blob)
    // Default values are always valid UTF-8, so this case never occurs.
    case .brokenText(let value):
      try container.encode(String(decoding: value, as: UTF8.self), forKey: .text)
    }
  }
}

extension Relationship.Storage {
  private enum CodingKeys: String, CodingKey {
    case column, inverseColumn, joinTable, source, target
  }

  /// Reads the storage of a relationship that ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let column = try container.decodeIfPresent(String.self, forKey: .column) {
      self = .column(column)
    } else if let column = try container.decodeIfPresent(String.self, forKey: .inverseColumn) {
      self = .inverseColumn(column)
    } else {
      self = .joinTable(
        try container.decode(String.self, forKey: .joinTable),
        source: try container.decode(String.self, forKey: .source),
        target: try container.decode(String.self, forKey: .target)
      )
    }
  }

  /// Writes the storage of a relationship under a key that names its kind.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .column(let column): try container.encode(column, forKey: .column)
    case .inverseColumn(let column): try container.encode(column, forKey: .inverseColumn)
    case .joinTable(let table, let source, let target):
      try container.encode(table, forKey: .joinTable)
      try container.encode(source, forKey: .source)
      try container.encode(target, forKey: .target)
    }
  }
}

extension StoreSchema {
  /// The schema in the catalog's form: JSON with sorted keys and no blanks.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  private static let read = Recent<Data, StoreSchema>(isSame: ==)

  /// Reads the result of ``json()``.
  ///
  /// If the same text was read recently, the result is a copy of the earlier result.
  package init(json: Data) throws {
    self = try Self.read.value(of: json) { try JSONDecoder().decode(StoreSchema.self, from: json) }
  }

  /// Whether two values are copies of the same schema.
  ///
  /// Copies share one array of entities, so only its address is compared. `==` would ignore
  /// differences in the Unicode spelling of names.
  package func isCopy(of other: StoreSchema) -> Bool {
    entities.withUnsafeBufferPointer { mine in
      other.entities.withUnsafeBufferPointer { $0.baseAddress == mine.baseAddress }
    } && version.utf8.elementsEqual(other.version.utf8)
  }
}
