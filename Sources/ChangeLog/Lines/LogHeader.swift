import Changes
import FoundationEssentials

/// The first line of a log: what it is of, and a typed value for every key that its lines may have.
///
/// Programs that infer types from the first line (DuckDB, polars, ClickHouse) infer the right ones,
/// because no key comes later that is not here, and none is null here.
package struct LogHeader: Hashable, Sendable {
  /// The name and version of the format.
  package static let format = "travelog/1"
  /// No schema is longer as JSON; a file that says otherwise would fill the memory.
  static let longestDefinition = 1 << 21

  /// The identifier of the store.
  package var store: String
  /// The lineage of the store's history.
  package var lineage: Int64
  /// The id of the first transaction.
  package var first: Int64
  /// The digest before the first transaction.
  package var previous: Digest
  /// The schema of all transactions in the log.
  package var schema: StoreSchema
  /// What was left out, where the log is filtered or redacted; empty for a whole log.
  package var partial: String

  /// Makes a header.
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

  /// The line, with its line break.
  package func line() throws -> [UInt8] {
    let parts = try SchemaParts.of(schema)
    guard parts.definitionSize <= Self.longestDefinition else {
      throw LogFailure.longSchema(
        store: store,
        bytes: parts.definitionSize,
        limit: Self.longestDefinition
      ).at("")
    }
    var line = parts.values
    line += #","digest":"","meta":{"format":""#.utf8
    line += Self.format.utf8
    line += #"","features":"","store":"#.utf8
    appendJSONString(store, to: &line)
    line += #","lineage":\#(lineage),"first":\#(first),"previous":"\#(previous)","schema":""#.utf8
    line += parts.definition
    line += #","partial":"#.utf8
    appendJSONString(partial, to: &line)
    line += #","process":"","pid":0,"host":"","bundle":"","salt":"","details":"","last":0,"#.utf8
    line += #""transactions":0,"changes":0}}"#.utf8
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
