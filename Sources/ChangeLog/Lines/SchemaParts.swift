import Format

/// The parts of a header that depend only on the schema, and that the headers of many logs share.
struct SchemaParts: Sendable {
  /// The first part of a header, with a value for each key that lines can have.
  let values: [UInt8]
  /// The digest of the schema's JSON, and the JSON as a string.
  let definition: [UInt8]
  /// The size of the schema's JSON before the JSON is encoded as a string.
  let definitionSize: Int

  private static let recent = Recent<StoreSchema, SchemaParts> { $0.isCopy(of: $1) }

  /// The parts that all headers with this schema have in common.
  static func of(_ schema: StoreSchema) throws -> SchemaParts {
    try recent.value(of: schema) { try SchemaParts(schema) }
  }

  private init(_ schema: StoreSchema) throws {
    let json = try schema.json()
    definitionSize = json.utf8.count
    var definition = Array(SHA256.digest(of: Array(json.utf8)).description.utf8)
    definition += #"","definition":"#.utf8
    appendJSONString(json, to: &definition)
    self.definition = definition
    values = Self.values(of: Self.properties(try schema.layouts()))
  }
}

extension SchemaParts {
  /// A property as a key in lines, for all entities that have the property.
  private struct Property {
    let name: String
    let neutral: String
    let mayBeLarge: Bool
  }

  private static func values(of properties: [Property]) -> [UInt8] {
    let values = object(properties) { $0.neutral }
    let texts = object(properties) { _ in #""""# }
    let references = object(properties.filter(\.mayBeLarge)) { _ in #"{"sha256":"","size":0}"# }
    let line =
      #"{"kind":"header","txn":0,"seq":0,"n":0,"count":0,"ts":"1970-01-01T00:00:00.000000Z","author":"","#
      + #""seed":"","values":"","salt":"","op":"","entity":"","id":"","changed":[""],"before":\#(values),"after":\#(values),"#
      + #""special":{"after":\#(texts),"before":\#(texts)},"#
      + #""large":{"after":\#(references),"before":\#(references)}"#
    return Array(line.utf8)
  }

  /// All properties of all entities, in the order of their first occurrence.
  private static func properties(_ layouts: [EntityLayout]) -> [Property] {
    var seen: Set<String> = []
    var result: [Property] = []
    for layout in layouts {
      for column in layout.columns where seen.insert(column.logName).inserted {
        result.append(
          Property(
            name: column.logName,
            neutral: column.type?.form.neutral ?? #"{"entity":"","id":""}"#,
            mayBeLarge: column.type?.form.mayBeLarge ?? false
          )
        )
      }
      for name in layout.linkNames.values.sorted() where seen.insert(name).inserted {
        let neutral = #"[{"entity":"","id":""}]"#
        result.append(Property(name: name, neutral: neutral, mayBeLarge: false))
      }
    }
    return result
  }

  private static func object(_ properties: [Property], _ value: (Property) -> String) -> String {
    let members = properties.map { String(decoding: memberKey($0.name), as: UTF8.self) + value($0) }
    return "{" + members.joined(separator: ",") + "}"
  }
}
