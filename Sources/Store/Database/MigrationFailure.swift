import Changes

/// The reason why a store does not fit a schema or can't be migrated to it.
enum MigrationFailure: StoreReason {
  case newerSchema(stored: StoreSchema, wanted: StoreSchema)
  case refused([String], from: StoreSchema, to: StoreSchema)
  case needed(steps: [String], [SchemaDifference])
  case migratedByOthers(stored: StoreSchema, known: StoreSchema)
  case unknownSchema(digest: String)
  case changedMeanwhile, outOfOrder, otherStore
  case missingValues(property: String, isAttribute: Bool, [ObjectName], count: Int)
  case severalLinks(property: String, [ObjectName], count: Int)
  case duplicates(properties: [String], values: [String], count: Int, [ObjectName], in: Int)
  case duplicatesIn(table: String)
  case danglingRow(Int64, table: String, parent: String)

  var code: StoreError.Code {
    switch self {
    case .newerSchema: .newerSchema
    case .refused: .migrationRefused
    case .needed, .migratedByOthers, .unknownSchema: .schemaMismatch
    case .changedMeanwhile: .changedMeanwhile
    case .outOfOrder, .otherStore: .misuse
    case .missingValues: .missingValue
    case .severalLinks, .duplicates, .duplicatesIn: .duplicate
    case .danglingRow: .missingReference
    }
  }

  func wording(_ path: String) -> Wording {
    switch self {
    case .newerSchema(let stored, let wanted):
      "The store \(path) has version \(stored.version) of the schema; the model is version"
        + " \(wanted.version), which is older."
        + "\nUse the program that has version \(stored.version) or a newer version."
    case .refused(let refusals, let from, let to):
      "The store \(path) can't be migrated from version \(from.version) of the schema to version"
        + " \(to.version):\(items: refusals)"
    case .needed(let steps, let differences):
      "The store \(path) does not fit the model; a migration is needed:"
        + "\(items: differences.isEmpty ? steps.map { "\($0)" } : differences.map { "\($0)" })"
    case .migratedByOthers(let stored, let known):
      "Another process migrated the store \(path) to version \(stored.version) of the schema;"
        + " this process uses version \(known.version)."
        + "\nOpen the store again with the newer model."
    case .unknownSchema(let digest):
      "The store \(path) never had the schema \(digest), which a transaction needs."
        + "\nReplay the migration to that schema first."
    case .changedMeanwhile:
      "Another process changed the store \(path) during its migration; nothing was migrated."
    case .outOfOrder: "The steps of a migration of the store \(path) ran in the wrong order."
    case .otherStore: "The working copy for the migration of \(path) is a copy of another store."
    case .missingValues(let property, let isAttribute, let objects, let count):
      "\(property) becomes required, but \(countText(count, noun: "row")) would have no value:"
        + " \(names(objects, of: count))."
        + (isAttribute
          ? "\nGive the attribute a default value in the model, or fill these rows first."
          : "\nMake the relationship optional, or set it in a custom stage first.")
    case .severalLinks(let property, let objects, let count):
      "\(property) becomes a relationship to one object, but refers to several objects in"
        + " \(countText(count, noun: "object")): \(names(objects, of: count)).\nIn a custom stage, first"
        + " remove all objects except one from the relationship."
    case .duplicates(let properties, let values, let count, let objects, let total):
      "\(listText(properties)) of \(objects.first?.entity ?? "") becomes unique, but"
        + " \(count == 1 ? "1 value occurs" : "\(count) values occur") more than once:"
        + " \(listText(values)) in \(names(objects, of: total))."
        + "\nMake the values differ in a custom stage first."
    case .duplicatesIn(let table):
      "The migration requires unique values in the table \(table), but some occur more than once."
        + "\nMake the values differ in a custom stage first."
    case .danglingRow(let row, let table, let parent):
      "Row \(row) of the table \(table) would refer to a row of \(parent) that does not exist after"
        + " the migration; nothing was changed."
        + "\nSet the relationship to another object first."
    }
  }

  var objects: [ObjectName] {
    switch self {
    case .missingValues(_, _, let objects, _), .severalLinks(_, let objects, _),
      .duplicates(_, _, _, let objects, _):
      objects
    default: []
    }
  }

  fileprivate var differences: [SchemaDifference] {
    switch self {
    case .newerSchema(let stored, let wanted), .refused(_, let stored, let wanted),
      .migratedByOthers(let stored, let wanted):
      wanted.differences(fromStored: stored)
    case .needed(_, let found): found
    default: []
    }
  }
}

/// The names of objects of one entity as text, such as “Trip 1, 2, 4 and 3 more”.
private func names(_ objects: [ObjectName], of total: Int) -> String {
  "\(objects.first?.entity ?? "") \(listText(objects.map { "\($0.id)" }, of: total))"
}

extension StoreError {
  /// The differences between the schema of the file and the requested schema.
  package var differences: [SchemaDifference] {
    (reason as? MigrationFailure)?.differences ?? []
  }
}
