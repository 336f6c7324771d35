import Format
import Store

final class FilteredChanges {
  /// The changes that a filter selects, for one schema.
  private struct Wants {
    let entities: [PropertyTargets]
    let redactions: [Redaction]
  }

  private typealias Redaction = (
    targets: PropertyTargets, manner: ExportFilter.Redaction.Manner
  )

  private let filter: ExportFilter
  private let schemas: [CatalogSchema]
  private var known: [String: Wants] = [:]

  init(_ filter: ExportFilter, schemas: [CatalogSchema]) {
    self.filter = filter
    self.schemas = schemas
  }

  private func wants(_ schema: String) throws -> Wants {
    if let wants = known[schema] { return wants }
    let start = schemas.firstIndex { $0.digest == schema } ?? 0
    let path = schemas[start...].map(\.schema)
    let wants = Wants(
      entities: try filter.entities.map {
        try PropertyTargets(entity: $0, hasFamily: false, attributes: [], schemas: path)
      },
      redactions: try filter.redactions.map {
        (
          try PropertyTargets(
            entity: $0.entity,
            attributes: [$0.attribute] + generatedColumns(of: $0.entity, in: path),
            schemas: path
          ),
          $0.manner
        )
      }
    )
    known[schema] = wants
    return wants
  }

  /// The number of a transaction's changes that a filtered log contains; nil if the log omits the
  /// transaction.
  ///
  /// A gap is never omitted, because no other line can replace the line of a gap in the chain; nor
  /// is the transaction that proves the description of the filter.
  func shownChanges(of transaction: Transaction, reader: Reader) throws -> Int64? {
    if transaction.operation == .mark, transaction.start(ofFilter: filter.words) != nil {
      return 0
    }
    guard filter.matches(transaction) else { return transaction.operation == .gap ? 0 : nil }
    guard !filter.entities.isEmpty else { return transaction.count }
    let cursor = try reader.history(after: transaction.id - 1, through: transaction.id)
    guard try cursor.nextTransaction() != nil else { return nil }
    var count: Int64 = 0
    while let change = try cursor.nextChange() {
      if try isWanted(change, of: transaction) { count += 1 }
    }
    return count > 0 || transaction.operation == .gap ? count : nil
  }

  /// Whether a filtered log contains the line of a change.
  func isWanted(_ change: Change, of transaction: Transaction) throws -> Bool {
    guard filter.matches(transaction) else { return false }
    guard !filter.entities.isEmpty else { return true }
    return try wants(transaction.schema).entities.contains { $0.hasEntity(of: change) }
  }

  /// Whether a filtered log contains the line of a change with all its values.
  func isWhole(_ change: Change, of transaction: Transaction) throws -> Bool {
    guard try isWanted(change, of: transaction) else { return false }
    let redactions = try redactions(of: change, schema: transaction.schema)
    return redactions.isEmpty
      || !change.toldValues.contains { note(on: $0, in: change, redactions) != nil }
  }

  private func redactions(of change: Change, schema: String) throws -> [Redaction] {
    try wants(schema).redactions.filter { $0.targets.hasEntity(of: change) }
  }

  /// The note that replaces a value in a filtered log; nil if the log contains the value.
  private func note(
    on value: ToldValue,
    in change: Change,
    _ redactions: [Redaction]
  ) -> String? {
    guard !value.isErased,
      let redaction = redactions.first(where: { $0.targets.property(of: value, in: change) != nil })
    else { return nil }
    switch redaction.manner {
    case .drop: return SpecialValue.redactedName
    case .hash:
      return "\(SpecialValue.hashPrefix)\(keyedDigest(of: value.text, key: filter.key))"
    }
  }

  func withRedacted<Result>(
    _ change: Change,
    schema: String,
    _ body: (Change) throws -> Result
  ) throws -> Result {
    let redactions = try redactions(of: change, schema: schema)
    guard !redactions.isEmpty else { return try body(change) }
    return try change.withNotes {
      note(on: $0, in: change, redactions)
    } _: {
      try body($0)
    }
  }
}
