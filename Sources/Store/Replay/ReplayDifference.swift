/// Something that a change expected to find in the store, and that is otherwise.
public struct ReplayDifference: Hashable, Sendable, CustomStringConvertible {
  /// The entity of the object.
  public let entity: String
  /// The object's id.
  public let object: Int64
  /// The property; nil where the object as a whole is or is not there.
  public let property: String?
  /// What the change says was there, as canonical text; nil for nothing.
  public let expected: String?
  /// What is there; nil for nothing.
  public let found: String?

  /// The difference in words.
  public var description: String {
    let name = "\(entity) \(object)"
    guard let property else {
      return found == nil ? "\(name) is not there" : "\(name) is there already"
    }
    return "\(name).\(property) is \(found ?? "nothing") and should be \(expected ?? "nothing")"
  }
}
