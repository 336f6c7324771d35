/// The values that history keeps of a deleted object.
///
/// ```swift
/// let tombstone: HistoryTombstone<Trip> = delete.tombstone
/// let name = tombstone[\.name] as? String
/// ```
public struct HistoryTombstone<Model: PersistentModel>: Sendable {
  /// The values, by key path and by name; those that are not kept are missing.
  public let values: HistoryValues<Model>

  /// Creates a tombstone, which only custom stores need.
  public init(_ values: HistoryValues<Model>) { self.values = values }

  /// The value of a property at the deletion; nil if it was nil or is not kept.
  ///
  /// A reference is the identifier of its object.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? { values[keyPath] }
}

extension HistoryTombstone: Sequence {
  /// Iterates over the values that are kept and not nil, in the order of the properties.
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

  /// An iterator over the values, without nil ones.
  public func makeIterator() -> Iterator { Iterator(values: values.makeIterator()) }
}
