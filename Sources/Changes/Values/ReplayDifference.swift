/// A difference between the value that a change expects and the value in the store.
package struct ReplayDifference: Hashable, Sendable, CustomStringConvertible {
  package let entity: String
  package let object: Int64
  /// The property; nil if the whole object exists or is missing unexpectedly.
  package let property: String?
  /// The expected value as canonical text; nil for none.
  package let expected: String?
  /// The value in the store; nil for none.
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

  package var description: String {
    let name = "\(entity) \(object)"
    guard let property else {
      return found == nil ? "\(name) is not there" : "\(name) is there already"
    }
    return "\(name).\(property) is \(found.map(abbreviated) ?? "nothing") and should be"
      + " \(expected.map(abbreviated) ?? "nothing")"
  }
}
