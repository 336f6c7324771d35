import Changes

/// How a store gets from one schema to another.
///
/// A plan is made of the two schemas alone. Whether the rows allow it, such as that a value which
/// becomes unique is there once, turns out when it is applied.
package struct MigrationPlan: Sendable {
  /// The schema that the store has.
  package let from: StoreSchema
  /// The schema that it gets.
  package let to: StoreSchema
  /// What is done, entity by entity, for people to read.
  package let steps: [MigrationStep]

  let mapping: SchemaMapping
  let tables: [TableMigration]

  init(from: StoreSchema, to: StoreSchema, areRemovalsDone: Bool = false) throws {
    guard SchemaVersion(from.version) <= SchemaVersion(to.version) else {
      throw StoreError(MigrationFailure.newerSchema(stored: from, wanted: to))
    }
    mapping = try SchemaMapping(from: from, to: to, areRemovalsDone: areRemovalsDone)
    let planned = PlannedSteps(mapping)
    guard planned.refusals.isEmpty else {
      throw StoreError(
        MigrationFailure.refused(planned.refusals.map { "\($0)" }, from: from, to: to)
      )
    }
    self.from = from
    self.to = to
    steps = planned.steps
    tables = try mapping.tables()
  }

  /// Whether no table changes, only what the catalog says of them.
  package var isTrivial: Bool {
    steps.isEmpty && to.differences(fromStored: from).isEmpty
  }
}

extension MigrationPlan: CustomStringConvertible {
  /// The steps, one a line.
  package var description: String {
    steps.isEmpty
      ? "version \(from.version) and version \(to.version) have the same tables"
      : "from version \(from.version) to version \(to.version):"
        + steps.map { "\n- \($0)" }.joined()
  }
}
