/// The name of an object: its entity and its id.
package struct ObjectName: Hashable, Sendable, CustomStringConvertible {
  package let entity: String
  package let id: ObjectID

  package init(_ entity: String, id: ObjectID) {
    self.entity = entity
    self.id = id
  }

  @_disfavoredOverload
  package init(_ entity: String, id: Int64) { self.init(entity, id: ObjectID(id)) }

  package var description: String { "\(entity) \(id)" }
}
