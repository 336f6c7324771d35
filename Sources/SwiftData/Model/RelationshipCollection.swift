/// A type that a to-many relationship may have: an array or a set, which may be optional.
public protocol RelationshipCollection {
  /// The class of the members, never an optional.
  associatedtype PersistentElement: PersistentModel

  /// Creates the collection with the objects of an array.
  static func _make(from elements: [PersistentElement]?) -> Self
  /// The members as an array; nil if the collection is nil.
  var _elements: [PersistentElement]? { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the members, which is always the class of the elements.
  public typealias PersistentElement = Element

  /// The array itself; an empty array for nil.
  public static func _make(from elements: [Element]?) -> [Element] { elements ?? [] }
  /// The members, which are the array itself.
  public var _elements: [Element]? { self }
}

extension Set: RelationshipCollection where Element: PersistentModel {
  /// The class of the members, which is always the class of the elements.
  public typealias PersistentElement = Element

  /// A set of the objects; an empty set for nil.
  public static func _make(from elements: [Element]?) -> Set<Element> { Set(elements ?? []) }
  /// The members as an array, in no defined order.
  public var _elements: [Element]? { Array(self) }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  /// The class of the members, the same as in the wrapped collection.
  public typealias PersistentElement = Wrapped.PersistentElement

  /// The wrapped collection with the objects of an array; nil for nil.
  public static func _make(from elements: [Wrapped.PersistentElement]?) -> Wrapped? {
    elements.map { Wrapped._make(from: $0) }
  }
  /// The members of the wrapped collection; nil if the collection is nil.
  public var _elements: [Wrapped.PersistentElement]? { flatMap { $0._elements } }
}
