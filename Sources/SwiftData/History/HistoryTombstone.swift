/// What history keeps of a deleted object.
///
/// ```swift
/// let name = delete.tombstone[\.name] as? String
/// ```
public struct HistoryTombstone<Model: PersistentModel>: Sendable {
  /// The values, by key path and by name.
  public let values: HistoryValues<Model>

  /// Makes a tombstone, for a custom store's changes.
  public init(_ values: HistoryValues<Model>) { self.values = values }

  /// The value that a property had when the object was deleted; nil if it was nil, or is not
  /// kept.
  ///
  /// A reference is the identifier of its object.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? { values[keyPath] }
}

extension HistoryTombstone: Sequence {
  /// Goes through the values that are kept and not nil, in the order of the properties.
  public struct Iterator: IteratorProtocol {
    fileprivate var values: AnyIterator<(name: String, value: (any Sendable)?)>

    /// The next value.
    public mutating func next() -> Any? {
      while let (_, value) = values.next() {
        if let value { return value }
      }
      return nil
    }
  }

  /// Makes an iterator over the values.
  public func makeIterator() -> Iterator { Iterator(values: values.makeIterator()) }
}
