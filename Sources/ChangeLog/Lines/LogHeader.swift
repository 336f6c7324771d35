import FoundationEssentials
public import Store

/// The first line of a log: what it is of, and a typed value for every key that its lines may have.
///
/// Programs that infer types from the first line (DuckDB, polars, ClickHouse) infer the right ones,
/// because no key comes later that is not here, and none is null here.
public struct LogHeader: Hashable, Sendable {
  /// The name and version of the format.
  public static let format = "travelog/1"
  /// No schema is longer as JSON; a file that says otherwise would fill the memory.
  static let longestDefinition = 1 << 21

  /// The identifier of the store.
  public var store: String
  /// The lineage of the store's history.
  public var lineage: Int64
  /// The id of the first transaction.
  public var first: Int64
  /// The digest before the first transaction.
  public var previous: Digest
  /// The schema of all transactions in the log.
  public var schema: StoreSchema
  /// What was left out, where the log is filtered or redacted; empty for a whole log.
  public var partial: String

  /// Makes a header.
  public init(
    store: String,
    lineage: Int64,
    first: Int64,
    previous: Digest,
    schema: StoreSchema,
    partial: String = ""
  ) {
    self.store = store
    self.lineage = lineage
    self.first = first
    self.previous = previous
    self.schema = schema
    self.partial = partial
  }

  /// The line, with its line break.
  public func line() throws -> [UInt8] {
    let layouts = try schema.layouts()
    let definition = try schema.json()
    guard definition.utf8.count <= Self.longestDefinition else {
      throw LogError(
        .lineTooLong,
        "The schema of the store \(store) has \(definition.utf8.count) bytes as JSON, and a log's may"
          + " have \(Self.longestDefinition).",
        path: ""
      )
    }
    var line = Array(
      (#"{"kind":"header","txn":0,"seq":0,"n":0,"ts":"1970-01-01T00:00:00.000000Z","author":"","#
        + #""op":"","entity":"","id":"","changed":[""]"#).utf8
    )
    let names = properties(layouts)
    let values = object(names) { $0.neutral }
    line += #","before":"#.utf8
    line += values
    line += #","after":"#.utf8
    line += values
    let texts = object(names) { _ in #""""# }
    line += #","special":{"after":"#.utf8
    line += texts
    line += #","before":"#.utf8
    line += texts
    let references = object(names.filter(\.mayBeLarge)) { _ in #"{"sha256":"","size":0}"# }
    line += #"},"large":{"after":"#.utf8
    line += references
    line += #","before":"#.utf8
    line += references
    line += #"},"digest":"","meta":{"format":""#.utf8
    line += Self.format.utf8
    line += #"","features":"","store":"#.utf8
    appendJSONString(store, to: &line)
    line += #","lineage":\#(lineage),"first":\#(first),"previous":"\#(previous)","schema":""#.utf8
    line += SHA256.digest(of: Array(definition.utf8)).description.utf8
    line += #"","definition":"#.utf8
    appendJSONString(definition, to: &line)
    line += #","partial":"#.utf8
    appendJSONString(partial, to: &line)
    line += #","process":"","pid":0,"host":"","bundle":"","salt":"","details":"","last":0,"#.utf8
    line += #""transactions":0,"changes":0}}"#.utf8
    line.append(UInt8(ascii: "\n"))
    return line
  }
}

extension LogHeader {
  /// A property as it stands in the lines, whichever entities have it.
  private struct Property {
    let name: String
    let neutral: String
    let mayBeLarge: Bool
  }

  /// All properties of all entities, in the order in which they first occur.
  private func properties(_ layouts: [EntityLayout]) -> [Property] {
    var seen: Set<String> = []
    var result: [Property] = []
    for layout in layouts {
      for column in layout.columns where seen.insert(column.logName).inserted {
        result.append(
          Property(
            name: column.logName,
            neutral: column.type.map(neutral) ?? #"{"entity":"","id":""}"#,
            mayBeLarge: column.type.map(mayBeLarge) ?? false
          )
        )
      }
      for name in layout.linkNames.values.sorted() where seen.insert(name).inserted {
        let neutral = #"[{"entity":"","id":"","position":0}]"#
        result.append(Property(name: name, neutral: neutral, mayBeLarge: false))
      }
    }
    return result
  }

  private func object(_ properties: [Property], _ value: (Property) -> String) -> [UInt8] {
    var json: [UInt8] = [UInt8(ascii: "{")]
    for property in properties {
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      appendJSONString(property.name, to: &json)
      json.append(UInt8(ascii: ":"))
      json += value(property).utf8
    }
    json.append(UInt8(ascii: "}"))
    return json
  }

  private func neutral(_ type: ValueType) -> String {
    switch type {
    case .bool: "false"
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: "0"
    case .float16, .float, .double: "0.0"
    case .uint64, .decimal: #""0""#
    case .date: #""1970-01-01T00:00:00.000000Z""#
    case .uuid: #""00000000-0000-0000-0000-000000000000""#
    case .string, .url, .json, .data, .transformed: #""""#
    }
  }

  private func mayBeLarge(_ type: ValueType) -> Bool {
    switch type {
    case .string, .url, .json, .data, .transformed: true
    default: false
    }
  }
}
