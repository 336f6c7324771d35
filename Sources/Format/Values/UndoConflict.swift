/// A reason why changes can't be undone: a later change depends on them.
package enum UndoConflict: Hashable, Sendable, CustomStringConvertible {
  /// After the change that the undo would revert, the value or the object was changed again.
  case changed(ReplayDifference)
  /// Another object refers to an object that the undo would delete.
  case referenced(
    entity: String,
    object: Int64,
    byEntity: String,
    byObject: Int64,
    property: String
  )
  /// The undo would restore a reference to a missing object.
  case missingTarget(
    entity: String,
    object: Int64,
    property: String,
    toEntity: String,
    toObject: Int64
  )
  /// The undo would restore unique values that another object has now.
  case taken(
    entity: String,
    object: Int64,
    properties: [String],
    byEntity: String,
    byObject: Int64
  )

  package var description: String {
    switch self {
    case .changed(let difference): difference.asChange
    case .referenced(let entity, let object, let byEntity, let byObject, let property):
      "\(byEntity) \(byObject) refers by '\(property)' to \(entity) \(object), which the undo would delete"
    case .missingTarget(let entity, let object, let property, let toEntity, let toObject):
      "the undo would restore a reference of \(entity) \(object) by '\(property)' to"
        + " \(toEntity) \(toObject), which does not exist"
    case .taken(let entity, let object, let properties, let byEntity, let byObject):
      "\(byEntity) \(byObject) has the unique \(properties.map { "'\($0)'" }.joined(separator: " and "))"
        + " that the undo would restore in \(entity) \(object)"
    }
  }

  package var object: (entity: String, id: ObjectID) {
    switch self {
    case .changed(let difference): (difference.entity, difference.object)
    case .referenced(_, _, let entity, let object, _): (entity, ObjectID(object))
    case .missingTarget(_, _, _, let entity, let object): (entity, ObjectID(object))
    case .taken(_, _, _, let entity, let object): (entity, ObjectID(object))
    }
  }
}
