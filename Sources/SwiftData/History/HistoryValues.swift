/// The values of one object before or after a change, by key path and by name.
///
/// A reference is the identifier of the referenced object. If both sides declare a to-many
/// relationship, the values of an update contain the identifiers of added objects, and the previous
/// values contain the identifiers of removed objects.
///
/// ```swift
/// guard case .update(let update as DefaultHistoryUpdate<Trip>) = change else { continue }
/// let old: HistoryValues = update.previousValues
/// print(old[\.name] ?? "", update.values[\.name] ?? "")
/// ```
public struct HistoryValues<Model: PersistentModel>: Sendable {
  enum Contents: Sendable {
    case recorded(RecordedSide)
    case given([String: any Sendable])
  }

  let contents: Contents

  init(_ side: RecordedSide) { contents = .recorded(side) }

  /// Creates values from a dictionary with the names of properties as keys; only custom stores need
  /// this initializer.
  public init(_ values: [String: any Sendable]) { contents = .given(values) }

  /// The names of the properties whose values are known, including values that are nil.
  public var names: [String] {
    switch contents {
    case .recorded(let side): side.names
    case .given(let values): values.keys.sorted()
    }
  }

  /// The value of a property; nil if the value is nil or unknown.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    name(of: keyPath).flatMap { self[$0] }
  }

  /// The value of a property by its name; nil if the value is nil or unknown.
  ///
  /// The property may be one that the class no longer has. Its value then has the type in which the
  /// store keeps it: `Int64` for integers, `String` with JSON for `Codable` values.
  public subscript(name: String) -> (any Sendable)? {
    do { return try value(named: name) } catch {
      FetchLog.note("a value in history can't be read: \(error)")
      return nil
    }
  }

  /// The value of a property; nil if the value is nil or unknown.
  ///
  /// - Throws: An error if the value can't be read, because the property's type no longer has such
  /// a value, or because the file of a large value is missing.
  public func value(for keyPath: PartialKeyPath<Model>) throws -> (any Sendable)? {
    try name(of: keyPath).flatMap { try value(named: $0) }
  }

  /// The value of a property by its name; nil if the value is nil or unknown.
  public func value(named name: String) throws -> (any Sendable)? {
    switch contents {
    case .recorded(let side): try side.value(named: name)
    case .given(let values): values[name]
    }
  }

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
  /// An iterator over names and values in the order of the properties; a value may be nil.
  public func makeIterator() -> AnyIterator<(name: String, value: (any Sendable)?)> {
    var names = names.makeIterator()
    return AnyIterator { names.next().map { (name: $0, value: self[$0]) } }
  }
}
