import Format

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
  init(
    from: StoreSchema,
    to: StoreSchema,
    areRemovalsDone: Bool = false,
    path: String = ""
  ) throws {
    try checkVersion(of: from, wanted: to, path: path)
    mapping = try SchemaMapping(from: from, to: to, areRemovalsDone: areRemovalsDone)
    let planned = PlannedSteps(mapping)
    guard planned.refusals.isEmpty else {
      throw StoreError(.migrationRefused, at: path, items: to.differences(fromStored: from)) {
        "The store \(path) can't be migrated from version \(from.version) of the schema to version"
          + " \(to.version):\(items: planned.refusals)"
      }
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

/// Throws if the store has a newer version of the schema.
func checkVersion(of stored: StoreSchema, wanted: StoreSchema, path: String) throws {
  guard SchemaVersion(wanted.version) < SchemaVersion(stored.version) else { return }
  throw StoreError(.newerSchema, at: path, items: wanted.differences(fromStored: stored)) {
    "The store \(path) has version \(stored.version) of the schema; the model is version"
      + " \(wanted.version), which is older."
      + "\nUse the program that has version \(stored.version) or a newer version."
  }
}
