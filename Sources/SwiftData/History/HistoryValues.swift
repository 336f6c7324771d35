/// Values of one object on one side of a change, by key path and by name.
///
/// A reference is the identifier of its object. In a relationship to many that both sides have, the
/// values of an update are the objects that came, and the previous ones those that went; each is a
/// list of identifiers.
///
/// ```swift
/// for change in transaction.changes {
///   guard case .update(let update as DefaultHistoryUpdate<Trip>) = change else { continue }
///   print(update.previousValues[\.destination], update.values[\.destination])
/// }
/// ```
public struct HistoryValues<Model: PersistentModel>: Sendable {
  enum Contents: Sendable {
    case recorded(RecordedSide)
    case given([String: any Sendable])
  }

  let contents: Contents

  init(_ side: RecordedSide) { contents = .recorded(side) }

  /// Puts values together by the names of their properties, for a custom store's changes.
  public init(_ values: [String: any Sendable]) { contents = .given(values) }

  /// The names of the properties whose values are told, nil included.
  public var names: [String] {
    switch contents {
    case .recorded(let side): side.names
    case .given(let values): values.keys.sorted()
    }
  }

  /// The value of a property; nil if it is nil, or is not told.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    name(of: keyPath).flatMap { self[$0] }
  }

  /// The value of a property by its name; nil if it is nil, or is not told.
  ///
  /// So values of properties can be read that the class does not have any more. Their types are
  /// those of the store: `Int64` for integers, `String` with JSON for `Codable` values.
  public subscript(name: String) -> (any Sendable)? {
    do { return try value(named: name) } catch {
      FetchLog.note("a value in history can't be read: \(error)")
      return nil
    }
  }

  /// The value of a property; nil if it is nil, or is not told.
  ///
  /// - Throws: An error where it is told and can't be read: the type of the property has no such
  ///   value any more, or the file that holds a large value is gone.
  public func value(for keyPath: PartialKeyPath<Model>) throws -> (any Sendable)? {
    try name(of: keyPath).flatMap { try value(named: $0) }
  }

  /// The value of a property by its name; nil if it is nil, or is not told.
  public func value(named name: String) throws -> (any Sendable)? {
    switch contents {
    case .recorded(let side): try side.value(named: name)
    case .given(let values): values[name]
    }
  }

  /// The values that are not nil, by the names of their properties.
  var byName: [String: any Sendable] {
    var result: [String: any Sendable] = [:]
    for name in names { result[name] = self[name] }
    return result
  }

  private func name(of keyPath: AnyKeyPath) -> String? {
    _ModelDescription.of(Model.self).property(for: keyPath)?.name
  }
}

extension HistoryValues: Sequence {
  /// Goes through the names and values, in the order of the properties; a value may be nil.
  public func makeIterator() -> AnyIterator<(name: String, value: (any Sendable)?)> {
    var names = names.makeIterator()
    return AnyIterator { names.next().map { (name: $0, value: self[$0]) } }
  }
}
