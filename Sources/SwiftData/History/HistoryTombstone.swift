/// The values of a deleted object that history keeps.
///
/// ```swift
/// let tombstone: HistoryTombstone<Trip> = delete.tombstone
/// let name = tombstone[\.name] as? String
/// ```
public struct HistoryTombstone<Model: PersistentModel>: Sendable {
  /// The values, by key path or name; values that history does not keep are missing.
  public let values: HistoryValues<Model>

  /// Creates a tombstone; only custom stores need this initializer.
  public init(_ values: HistoryValues<Model>) { self.values = values }

  /// The value that a property had when the object was deleted; nil if the value was nil, or if
  /// history does not keep the value.
  ///
  /// A reference is the identifier of the referenced object.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? { values[keyPath] }
}

extension HistoryTombstone: Sequence {
  /// Iterates over the values that history keeps and that are not nil, in the order of the
  /// properties.
  public struct Iterator: IteratorProtocol {
    fileprivate var values: AnyIterator<(name: String, value: (any Sendable)?)>

    /// The next value; nil at the end.
    public mutating func next() -> Any? {
      while let (_, value) = values.next() {
        if let value { return value }
      }
      return nil
    }
  }

  /// An iterator over the values that are not nil.
  public func makeIterator() -> Iterator { Iterator(values: values.makeIterator()) }
}
