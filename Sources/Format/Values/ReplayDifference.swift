/// A difference between the value that a change expects and the value in the store.
package struct ReplayDifference: Hashable, Sendable, CustomStringConvertible {
  package let entity: String
  package let object: ObjectID
  /// The property; nil if the whole object is missing, or exists unexpectedly.
  package let property: String?
  /// The expected value as canonical text; nil if no value is expected.
  package let expected: String?
  /// The value in the store; nil if the store has no value.
  package let found: String?

  package init(
    entity: String,
    object: ObjectID,
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
      return found == nil ? "\(name) is missing" : "\(name) exists already"
    }
    return "\(name).\(property) is \(shown(found)) and should be \(shown(expected))"
  }

  /// The difference in words, as the result of a later change.
  var asChange: String {
    let name = "\(entity) \(object)"
    guard let property else {
      return found == nil ? "\(name) was deleted" : "\(name) was inserted again"
    }
    return "\(name).\(property) was changed: it was \(shown(expected)) and is \(shown(found)) now"
  }

  private func shown(_ value: String?) -> String { value.map(abbreviated) ?? "nothing" }
}
