/// A collection type of to-many relationships: an array or a set, which may be optional.
public protocol RelationshipCollection {
  /// The class of the objects, never an optional.
  associatedtype PersistentElement: PersistentModel

  /// Makes the collection of an array.
  static func _make(from elements: [PersistentElement]?) -> Self
  /// The objects as an array; nil if there is no collection.
  var _elements: [PersistentElement]? { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// Always the class of the elements.
  public typealias PersistentElement = Element

  /// The array; empty for nil.
  public static func _make(from elements: [Element]?) -> [Element] { elements ?? [] }
  /// The array itself.
  public var _elements: [Element]? { self }
}

extension Set: RelationshipCollection where Element: PersistentModel {
  /// Always the class of the elements.
  public typealias PersistentElement = Element

  /// The elements as a set; empty for nil.
  public static func _make(from elements: [Element]?) -> Set<Element> { Set(elements ?? []) }
  /// The elements in no defined order.
  public var _elements: [Element]? { Array(self) }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  /// The same class as in the wrapped collection.
  public typealias PersistentElement = Wrapped.PersistentElement

  /// The wrapped collection, or nil.
  public static func _make(from elements: [Wrapped.PersistentElement]?) -> Wrapped? {
    elements.map { Wrapped._make(from: $0) }
  }
  /// The elements of the wrapped collection, or nil.
  public var _elements: [Wrapped.PersistentElement]? { flatMap { $0._elements } }
}
