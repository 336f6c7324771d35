/// An object by its entity and its id.
package struct ObjectName: Hashable, Sendable, CustomStringConvertible {
  package let entity: String
  package let id: Int64

  package init(_ entity: String, id: Int64) {
    self.entity = entity
    self.id = id
  }

  package var description: String { "\(entity) \(id)" }
}
