import Changes
import Store

/// Two stores, each in one state, that are compared.
package struct StoreDifferences {
  package let left: Reader
  package let right: Reader
  package let schema: StoreSchema
  private let layouts: [EntityLayout]
  private let vocabulary: Vocabulary

  /// Prepares the comparison of two states.
  ///
  /// - Throws: ``AuditError`` if their schemas have different tables.
  package init(_ left: StoreState, _ right: StoreState) throws {
    let differences = right.schema.differences(fromStored: left.schema)
    guard differences.isEmpty else {
      throw AuditError.schemasDiffer(left.name, right.name, differences)
    }
    self.left = left.reader
    self.right = right.reader
    schema = right.schema
    layouts = try schema.layouts()
    vocabulary = Vocabulary(schema)
  }

  /// Calls the closure with every stored row that differs, sorted by table and key.
  package func rows(_ body: (TableDefinition, RowPair) throws -> Void) throws {
    try describingErrorsOfFiles {
      try left.rowDifferences(to: right, in: schema.tables(), body)
    }
  }

  /// Calls the closure with every object that differs and that a filter selects, sorted by entity and id.
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

  /// The name of an object for people, taken from the second store, or from the first if the second lacks it.
  package func name(of entity: String, id: ObjectID) -> String? {
    guard id.text == nil,
      let layout = layouts.first(where: { $0.entity.name == entity }),
      let label = vocabulary.labels[entity], let column = layout.column(of: label)
    else { return nil }
    for reader in [right, left] {
      // The name is optional: if it can't be read, the id identifies the object.
      let name = try? reader.text(of: id.integer, at: column, layout: layout)
      if let name, !name.isEmpty { return name }
    }
    return nil
  }
}
