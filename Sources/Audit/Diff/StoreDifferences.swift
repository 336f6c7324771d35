import Format
import Pipeline
import Store

/// The comparison of two states, each of which is a store.
package struct StoreDifferences {
  package let left: Reader
  package let right: Reader
  package let schema: StoreSchema
  private let layouts: [EntityLayout]
  private let vocabulary: Vocabulary

  /// Prepares the comparison of two states.
  ///
  /// - Throws: ``PipelineError`` if the two schemas have different tables.
  package init(_ left: StoreState, _ right: StoreState) throws {
    let differences = right.schema.differences(fromStored: left.schema)
    guard differences.isEmpty else {
      // The text of a difference calls the schemas “the first” and “the second”.
      let first = differences.prefix(3)
        .map { $0.text(stored: "the first", wanted: "the second") }.joined(separator: "; ")
      let more = differences.count > 3 ? ", and \(differences.count - 3) more" : ""
      throw PipelineError(.schemaMismatch) {
        "\(left.name) and \(right.name) have different schemas, so they can't be compared:"
          + " \(first)\(more)."
          + "\nCompare two points before the migration, or two points after the migration."
      }
    }
    self.left = left.reader
    self.right = right.reader
    schema = right.schema
    layouts = try schema.layouts()
    vocabulary = Vocabulary(schema)
  }

  /// Calls the closure with every row that differs, sorted by table and key.
  ///
  /// - Throws: ``StoreError`` if rows have placeholders for erased values.
  package func rows(_ body: (TableDefinition, RowPair) throws -> Void) throws {
    for reader in [left, right] { try reader.checkValuesAreKnown() }
    try describingErrorsOfFiles {
      try left.rowDifferences(to: right, in: schema.tables(), body)
    }
  }

  /// Calls the closure with every row that differs between two adopted files, table by table.
  package func adoptedRows(_ body: (AdoptedRowPair) throws -> Void) throws {
    try describingErrorsOfFiles { try left.adoptedRows(differentIn: right, body) }
  }

  /// Calls the closure with every object that differs and that the filter selects, sorted by entity
  /// and id.
  package func objects(
    _ filter: AuditFilter = AuditFilter(),
    _ body: (ObjectDifference) throws -> Void
  ) throws {
    let digest = try SHA256.digest(of: Array(schema.json().utf8)).description
    try describingErrorsOfFiles {
      try left.differences(to: right) { change in
        guard filter.matches(change, schema: digest) else { return }
        var difference = ObjectDifference(change, vocabulary: vocabulary)
        difference.label = difference.label ?? name(of: difference.entity, id: difference.id)
        try body(difference)
      }
    }
  }

  /// The readable name of an object, from the second store, or from the first store if the second
  /// store lacks the object.
  package func name(of entity: String, id: ObjectID) -> String? {
    guard id.text == nil,
      let layout = layouts.first(where: { $0.entity.name == entity }),
      let label = vocabulary.labels[entity], let column = layout.column(of: label)
    else { return nil }
    for reader in [right, left] {
      // The name is optional. If it can't be read, the id identifies the object.
      let name = try? reader.text(of: id.integer, at: column, layout: layout)
      if let name, !name.isEmpty { return name }
    }
    return nil
  }
}
