import Format

/// The first line of a log, with the store, the schema, and a typed value for every key of the
/// other lines.
///
/// Programs such as DuckDB, polars and ClickHouse infer the types of columns from the first line.
/// The inferred types are right, because the header has all keys of the later lines, and no value
/// in the header is null.
package struct LogHeader: Hashable, Sendable {
  package static let format = "travelog/1"
  /// The maximum size of a schema as JSON, which limits the memory that a header can use.
  static let longestDefinition = 1 << 21

  package var store: String
  package var lineage: Int64
  package var first: Int64
  /// The digest before the first transaction.
  package var previous: Digest
  package var schema: StoreSchema
  /// What a filter left out of the log, in words; empty if the log is not filtered.
  package var partial: String

  /// The feature of logs whose origin has a history without values: see ``SpecialValue/unknownName``.
  static let unknownValues = "unknown"

  package init(
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

  package func line() throws -> [UInt8] {
    let parts = try SchemaParts.of(schema)
    guard parts.definitionSize <= Self.longestDefinition else {
      throw LogError(.lineTooLong, "") {
        "The schema of the store \(store) is \(parts.definitionSize) bytes long as JSON; the limit"
          + " is \(Self.longestDefinition)."
      }
    }
    var line = parts.values
    line += #","reason":"","request":"","digest":"","meta":{"format":""#.utf8
    line += Self.format.utf8
    line += #"","features":""#.utf8
    if schema.hasUnknownValues == true { line += Self.unknownValues.utf8 }
    line += #"","store":"#.utf8
    appendJSONString(store, to: &line)
    line += #","lineage":\#(lineage),"first":\#(first),"previous":"\#(previous)","schema":""#.utf8
    line += parts.definition
    line += #","partial":"#.utf8
    appendJSONString(partial, to: &line)
    line += #","process":"","pid":0,"host":"","bundle":"","details":"","last":0,"#.utf8
    line += #""transactions":0,"changes":0}}"#.utf8
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
