import Changes

/// The reason why an object can't be read, saved or deleted.
enum ObjectFailure: StoreReason {
  case missing(ObjectName)
  case notAColumn(property: String), notManyToMany(property: String)
  case unreadable(ObjectName, property: String, found: String, expected: String)
  case missingValue(ObjectName, properties: [String])
  case invalidValue(ObjectName, String)
  case duplicateID(ObjectName)
  case duplicate(ObjectName, properties: [String], other: ObjectName?)
  case danglingReference, danglingLink(table: String, destination: String)
  case dangling(ObjectName, property: String, destination: String)
  case deletion(ObjectName, Obstacle, property: String, [ObjectName])
  case noIDsLeft(table: String, last: Int64)

  enum Obstacle { case denyRuleOfTargets, denyRule, requiredValue, noActionRule }

  var code: StoreError.Code {
    switch self {
    case .missing: .missingObject
    case .notAColumn, .notManyToMany: .misuse
    case .unreadable: .unreadableValue
    case .missingValue, .deletion(_, .requiredValue, _, _): .missingValue
    case .invalidValue, .noIDsLeft: .invalidValue
    case .duplicateID, .duplicate: .duplicate
    case .danglingReference, .danglingLink, .dangling, .deletion(_, .noActionRule, _, _):
      .missingReference
    case .deletion: .deletionDenied
    }
  }

  func wording(_ path: String) -> Wording {
    let insert = "Insert the missing object in the same save."
    return switch self {
    case .missing(let object): "There is no \(object.entity) with id \(object.id)."
    case .notAColumn(let property): "\(property) is not stored in a column."
    case .notManyToMany(let property): "\(property) is not a many-to-many relationship."
    case .unreadable(let object, let property, let found, let expected):
      "\(object) can't be read: \(property) has \(found) instead of \(expected). Another program wrote"
        + " this value.\nCorrect the value with the sqlite3 shell."
    case .missingValue(let object, let properties):
      "\(object) can't be saved because \(properties.joined(separator: " and ")) must have a value."
    case .invalidValue(let object, let detail):
      "\(object) can't be saved because a value does not have the type of the property: \(detail)."
    case .duplicateID(let object):
      "\(object) can't be inserted because an object with this id exists."
    case .duplicate(let object, let properties, let other):
      "\(object) can't be saved because \(other?.description ?? "another object") has the same"
        + " \(properties.isEmpty ? "unique values" : properties.joined(separator: " and "))."
        + "\nThese values must be unique. Change one of the values, or update the existing object."
    case .danglingReference: "A relationship refers to an object that does not exist.\n\(insert)"
    case .danglingLink(let table, let destination):
      "A link in \(table) refers to a \(destination) that does not exist.\n\(insert)"
    case .dangling(let object, let property, let destination):
      "\(object) refers through \(property) to a \(destination) that does not exist.\n\(insert)"
    case .deletion(let object, let obstacle, let property, let others):
      "\(object) can't be deleted: \(words(obstacle, property: property)) \(names(others))."
        + (obstacle == .denyRuleOfTargets
          ? "\nDelete these objects too, or remove them from \(property) first."
          : "\nDelete these objects too, or set their \(property) to another object.")
    case .noIDsLeft(let table, let last):
      "The table \(table) has no ids left: another program gave a row the id \(last)."
        + "\nGive this row a smaller id with the sqlite3 shell, and set the table's seq in"
        + " sqlite_sequence to the highest id."
    }
  }

  private func words(_ obstacle: Obstacle, property: String) -> String {
    switch obstacle {
    case .denyRuleOfTargets:
      "its relationship \(property) has the delete rule deny, and refers to"
    case .denyRule:
      "its delete rule is deny, and these objects refer to it in their \(property):"
    case .requiredValue:
      "\(property) must have a value, but would have none in these objects:"
    case .noActionRule:
      "its delete rule is noAction, and these objects refer to it in their \(property):"
    }
  }

  fileprivate var objects: [ObjectName] {
    switch self {
    case .duplicateID(let object), .dangling(let object, _, _): [object]
    case .duplicate(_, _, let other): other.map { [$0] } ?? []
    case .deletion(_, _, _, let others): others
    default: []
    }
  }
}

private func names(_ objects: [ObjectName]) -> String { listText(objects.map(\.description)) }

extension StoreError {
  package var objects: [ObjectName] {
    (reason as? ObjectFailure)?.objects ?? (reason as? MigrationFailure)?.objects ?? []
  }
}
