import Changes

/// The reason why a question about a history can't be answered.
package enum AuditError: Error, Sendable, Worded {
  case unknownEntity(String, in: String, known: [String])
  case unknownProperty(String, of: String?, in: String, known: [String])
  case unknownTable(String, in: String, known: [String])
  case unknownColumn(String, of: String?, in: String, known: [String])
  case unknownObject(entity: String, id: ObjectID, history: String, base: Int64)
  case noObjectHas(String, property: String, entity: String, history: String)
  case severalObjects([String], String, property: String)
  case isBeforeHistory(String, base: Int64)
  case isFilteredOut(Int64)
  case historyBeginsLater(String, base: Int64, point: Int64)
  case isNotRewound(String, base: Int64, point: Int64, because: String)
  case schemasDiffer(String, String, [SchemaDifference])
  case temporaryFile(isRead: Bool, number: Int32)

  /// The kind of failure.
  ///
  /// Later versions may add kinds, so a `switch` needs a default.
  package enum Code: String, Hashable, Sendable {
    case unknownName, notFound, ambiguous, historyExpired, schemaMismatch, inputOutput
  }

  package var code: Code {
    switch self {
    case .unknownEntity, .unknownProperty, .unknownTable, .unknownColumn: .unknownName
    case .unknownObject, .noObjectHas, .historyBeginsLater, .isBeforeHistory,
      .isFilteredOut:
      .notFound
    case .severalObjects: .ambiguous
    case .isNotRewound: .historyExpired
    case .schemasDiffer: .schemaMismatch
    case .temporaryFile: .inputOutput
    }
  }

  /// The name that was not found, and the names that exist.
  package var names: (unknown: String, known: [String])? {
    switch self {
    case .unknownEntity(let name, _, let known), .unknownProperty(let name, _, _, let known),
      .unknownTable(let name, _, let known), .unknownColumn(let name, _, _, let known):
      (name, known)
    default: nil
    }
  }

  package var wording: Wording {
    switch self {
    case .unknownEntity(let name, let path, let known):
      "There is no entity \(inQuotes(abbreviated(name))) in \(path).\nThe known names are \(listText(known))."
    case .unknownProperty(let name, let entity, let path, let known):
      "\(entity.map { "\($0) has no" } ?? "No entity of \(path) has an") attribute \(inQuotes(abbreviated(name)))."
        + "\nThe known names are \(listText(known))."
    case .unknownTable(let name, let path, let known):
      "There is no recorded table \(inQuotes(abbreviated(name))) in \(path).\nThe known names are \(listText(known))."
    case .unknownColumn(let name, let table, let path, let known):
      "\(table.map { "\($0) has no" } ?? "No table of \(path) has a") column \(inQuotes(abbreviated(name)))."
        + "\nThe known names are \(listText(known))."
    case .unknownObject(let entity, let id, let history, 0):
      "The history of \(history) does not have \(entity) \(id)."
        + "\nFind the id by a value: travelog blame \(history) \(entity) --where"
        + " NAME=VALUE"
    case .unknownObject(let entity, let id, let history, let base):
      "\(history) keeps history from transaction \(base + 1) on, and \(entity) \(id) has not"
        + " changed since then."
        + "\nFor earlier changes: travelog blame LOGS \(entity) \(id)"
    case .noObjectHas(let value, let property, let entity, let history):
      "No \(entity) of \(history) has or had the \(property) \(inQuotes(abbreviated(value)))."
        + "\nThe whole value must match. List all values: travelog log \(history) --entity \(entity) --patch"
    case .severalObjects(let names, let value, let property):
      "\(listText(names)) have or had the \(property) \(inQuotes(abbreviated(value)))."
        + "\nGive one of these ids."
    case .isBeforeHistory(let name, let base):
      "The history of \(name) begins after transaction \(base)."
        + "\nName a later transaction; “travelog log \(name)” lists all transactions."
    case .isFilteredOut(let id):
      "No change of transaction \(id) matches the filters."
        + "\nLeave out --entity and the other options that select changes."
    case .historyBeginsLater(let path, let base, let point):
      "The history of \(path) begins after transaction \(base), so it does not show the"
        + " state at transaction \(point)."
        + "\nName the head of the store, or a log folder that contains the earlier transactions."
    case .isNotRewound(let path, let base, let point, let reason):
      "\(path) keeps history from transaction \(base + 1) on, and can't show the state at"
        + " transaction \(point): \(reason)"
        + "\nOnly logs can show that state: travelog diff LOGS@\(point) \(path)"
    case .schemasDiffer(let left, let right, let all):
      "\(left) and \(right) have different schemas, so they can't be compared:"
        + " \(first(all))\(all.count > 3 ? ", and \(all.count - 3) more" : "")."
        + "\nCompare two points before the migration, or two points after the migration."
    case .temporaryFile(let isRead, let number):
      "A temporary file can't be \(isRead ? "read" : "written"): \(systemText(number))."
        + "\nSet TMPDIR to a folder with free space."
    }
  }

  /// The first differences between two schemas; the text calls the schemas “the first” and “the
  /// second”.
  private func first(_ all: [SchemaDifference]) -> String {
    all.prefix(3).map { $0.text(stored: "the first", wanted: "the second") }.joined(separator: "; ")
  }
}
