/// Something that a change expected to find in the store, and that is otherwise.
package struct ReplayDifference: Hashable, Sendable, CustomStringConvertible {
  /// The entity of the object.
  package let entity: String
  /// The object's id.
  package let object: Int64
  /// The property; nil if the object as a whole is or is not there.
  package let property: String?
  /// What the change says was there, as canonical text; nil for nothing.
  package let expected: String?
  /// What is there; nil for nothing.
  package let found: String?

  package init(
    entity: String,
    object: Int64,
    property: String?,
    expected: String?,
    found: String?
  ) {
    self.entity = entity
    self.object = object
    self.property = property
    self.expected = expected
    self.found = found
  }

  /// The difference in words.
  package var description: String {
    let name = "\(entity) \(object)"
    guard let property else {
      return found == nil ? "\(name) is not there" : "\(name) is there already"
    }
    return "\(name).\(property) is \(found.map(abbreviated) ?? "nothing") and should be"
      + " \(expected.map(abbreviated) ?? "nothing")"
  }
}
