import Changes

/// The steps that migrate a store from one schema to another.
///
/// The plan depends only on the schemas. When the plan is executed, the rows are checked, for
/// example whether values are unique.
package struct MigrationPlan: Sendable {
  package let from: StoreSchema
  package let to: StoreSchema
  /// The steps by entity, for messages.
  package let steps: [MigrationStep]

  let mapping: SchemaMapping
  let tables: [TableMigration]

  /// Plans the migration without reading a store.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/newerSchema`` if the store's version is newer,
  ///   and with ``StoreError/Code/migrationRefused`` and all reasons if values would be lost.
  init(from: StoreSchema, to: StoreSchema, areRemovalsDone: Bool = false) throws {
    guard SchemaVersion(from.version) <= SchemaVersion(to.version) else {
      throw StoreError(MigrationFailure.newerSchema(stored: from, wanted: to))
    }
    mapping = try SchemaMapping(from: from, to: to, areRemovalsDone: areRemovalsDone)
    let planned = PlannedSteps(mapping)
    guard planned.refusals.isEmpty else {
      throw StoreError(
        MigrationFailure.refused(planned.refusals, from: from, to: to)
      )
    }
    self.from = from
    self.to = to
    steps = planned.steps
    tables = try mapping.tables()
  }

  /// Whether only the catalog changes, and no table.
  package var isTrivial: Bool {
    steps.isEmpty && to.differences(fromStored: from).isEmpty
  }
}

extension MigrationPlan: CustomStringConvertible {
  /// The steps, one on each line.
  package var description: String {
    steps.isEmpty
      ? "version \(from.version) and version \(to.version) have the same tables"
      : "from version \(from.version) to version \(to.version):"
        + steps.map { "\n- \($0)" }.joined()
  }
}
