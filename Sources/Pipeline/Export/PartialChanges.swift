import Changes
import Store

/// Applies a filter to transactions and their changes.
final class PartialChanges {
  /// The changes that a filter selects under one schema.
  private struct Wants {
    /// One for each entity that was named.
    let entities: [PropertyTargets]
    let redactions: [(targets: PropertyTargets, manner: ExportFilter.Redaction.Manner)]
  }

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
          try PropertyTargets(entity: $0.entity, attributes: [$0.attribute], schemas: path),
          $0.manner
        )
      }
    )
    known[schema] = wants
    return wants
  }

  /// The transaction as filtered logs contain it; nil if they leave it out.
  ///
  /// It has no salt, with which the values that were left out could be guessed.
  func transaction(_ transaction: Transaction, reader: Reader) throws -> Transaction? {
    guard filter.authors.isEmpty || filter.authors.contains(transaction.author ?? "") else {
      return nil
    }
    var result = transaction
    result.salt = []
    guard !filter.entities.isEmpty else { return result }
    result.count = 0
    let cursor = try reader.history(after: transaction.id - 1, through: transaction.id)
    guard try cursor.nextTransaction() != nil else { return nil }
    while let change = try cursor.nextChange() {
      if try isWanted(change, schema: transaction.schema) { result.count += 1 }
    }
    return result.count > 0 ? result : nil
  }

  func isWanted(_ change: Change, schema: String) throws -> Bool {
    guard !filter.entities.isEmpty else { return true }
    return try wants(schema).entities.contains { $0.hasEntity(of: change) }
  }

  /// Calls with a redacted change and its place in the filtered transaction.
  func withRedacted<Result>(
    _ change: Change,
    schema: String,
    sequence: Int64,
    _ body: (Change) throws -> Result
  ) throws -> Result {
    let redactions = try wants(schema).redactions.filter { $0.targets.hasEntity(of: change) }
    var change = change
    change.sequence = sequence
    guard !redactions.isEmpty else { return try body(change) }
    let targets = change
    return try change.withNotes { value -> String? in
      guard !value.isErased,
        let redaction = redactions.first(where: {
          $0.targets.property(of: value, in: targets) != nil
        })
      else { return nil }
      switch redaction.manner {
      case .drop: return SpecialValue.redactedName
      case .hash:
        return "\(SpecialValue.hashPrefix)\(keyedDigest(of: value.text, key: self.filter.key))"
      }
    } _: {
      try body($0)
    }
  }
}
