import Changes
import Store

// Generated code chooses an overload by the type of the property. `place` is the description of the
// class that declares the property, and `own` is the property's index in that class.

extension _ModelState {
  /// Sets a value during initialization.
  public func initialize<T: _AttributeValue>(_ place: _ModelDescription, at own: Int, to value: T) {
    slots[place.offset &+ own] = .value(value._stored)
  }

  /// Reads a value.
  public func get<T: _AttributeValue>(_ place: _ModelDescription, at own: Int) -> T {
    let index = place.offset &+ own
    if case .value(let stored) = slots[index], let value = T._load(stored) { return value }
    return absent(index)
  }

  /// Writes a value.
  public func set<T: _AttributeValue>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T
  ) {
    let index = place.offset &+ own
    willChange(index)
    slots[index] = .value(value._stored)
  }

  /// Sets a value during initialization.
  public func initialize<T: RawRepresentable>(
    _ place: _ModelDescription,
    at own: Int,
    to value: T?
  ) where T.RawValue: _AttributeValue {
    slots[place.offset &+ own] = .value(value?.rawValue._stored ?? .null)
  }

  /// Reads a value.
  public func get<T: RawRepresentable>(_ place: _ModelDescription, at own: Int) -> T
  where T.RawValue: _AttributeValue {
    let index = place.offset &+ own
    if case .value(let stored) = slots[index], let raw = T.RawValue._load(stored),
      let value = T(rawValue: raw)
    {
      return value
    }
    return absent(index)
  }

  /// Reads a value.
  public func get<T: RawRepresentable>(_ place: _ModelDescription, at own: Int) -> T?
  where T.RawValue: _AttributeValue {
    let index = place.offset &+ own
    if case .value(let stored) = slots[index] {
      if case .null = stored { return nil }
      if let raw = T.RawValue._load(stored), let value = T(rawValue: raw) { return value }
    }
    return absent(index)
  }

  /// Writes a value.
  public func set<T: RawRepresentable>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T?
  ) where T.RawValue: _AttributeValue {
    let index = place.offset &+ own
    willChange(index)
    slots[index] = .value(value?.rawValue._stored ?? .null)
  }

  /// Sets a value during initialization.
  @_disfavoredOverload
  public func initialize<T: Codable>(_ place: _ModelDescription, at own: Int, to value: T) {
    slots[place.offset &+ own] = .decoded(DecodedValue(value))
  }

  /// Reads a value.
  @_disfavoredOverload
  public func get<T: Codable>(_ place: _ModelDescription, at own: Int) -> T {
    decoded(place.offset &+ own)
  }

  /// Writes a value.
  @_disfavoredOverload
  public func set<T: Codable>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T
  ) {
    setDecoded(place.offset &+ own, to: value)
  }

  /// Sets a value during initialization.
  public func initializeTransformable<T>(_ place: _ModelDescription, at own: Int, to value: T) {
    slots[place.offset &+ own] = .decoded(DecodedValue(value))
  }

  /// Reads a value.
  public func getTransformable<T>(_ place: _ModelDescription, at own: Int) -> T {
    decoded(place.offset &+ own)
  }

  /// Writes a value.
  public func setTransformable<T>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T
  ) {
    setDecoded(place.offset &+ own, to: value)
  }

  private func decoded<T>(_ index: Int) -> T {
    if case .decoded(let box) = slots[index], let value = box.value as? T { return value }
    if case .value(let stored) = slots[index],
      case .attribute(let codec) = description.properties[index].kind,
      // Rows are checked when they are read, so only a wrong `Codable` can fail here.
      let value = try? codec.decode(stored), let typed = value as? T
    {
      slots[index] = .decoded(DecodedValue(typed, stored: stored))
      return typed
    }
    return absent(index)
  }

  private func setDecoded<T>(_ index: Int, to value: T) {
    willChange(index)
    slots[index] = .decoded(DecodedValue(value))
  }

  /// The value of a slot without one: read from the store if the object was fetched without it, or
  /// else the property's default, or nil.
  func absent<T>(_ index: Int) -> T {
    var isRead = false
    if case .empty = slots[index], phase == .stored, let context {
      context.fill(self)
      if case .empty = slots[index] {} else { isRead = true }
    }
    let property = description.properties[index]
    // First of all, because an optional would accept the digest as nil.
    if case .value(.text(let digest)) = slots[index], property.isExternal,
      let data = context?.readExternal(digest, of: self)
    {
      slots[index] = .value(.blob(data))
      isRead = true
    }
    if isRead, let value = valueAny(at: index) as? T { return value }
    if let value = property.defaultValue as? T { return value }
    if let optional = T.self as? any OptionalType.Type, let value = optional.nothing as? T {
      return value
    }
    preconditionFailure(
      phase == .deleted
        ? "\(description.name).\(property.name) was read of an object that the store does not have: "
          + "it was deleted, or its identifier led to nothing. Fetch the object to see whether it is "
          + "there; model(for:) does not look."
        : "\(description.name).\(property.name) was read before it had a value of its type, "
          + "\(T.self). Set it in every init."
    )
  }

  /// The value of a slot as its declared type; nil if it has none.
  func valueAny(at index: Int) -> Any? {
    switch slots[index] {
    case .empty: return nil
    case .value(let stored):
      guard case .attribute(let codec) = description.properties[index].kind else { return nil }
      // A stored form that the type does not accept has no value; see `decoded`.
      return try? codec.decode(stored)
    case .decoded(let box): return box.value
    case .toOne: return toOne(index)
    case .toMany(let many): return many.models
    }
  }

  /// Writes a value whose type is known only at run time.
  func setAny(_ value: Any, at index: Int) {
    let property = description.properties[index]
    switch property.kind {
    case .attribute(let codec):
      willChange(index)
      if codec.type != .json, codec.type != .transformed, let stored = try? codec.encode(value) {
        // A value of another type than the declared one can't be encoded.
        slots[index] = .value(stored)
      } else {
        slots[index] = .decoded(DecodedValue(value))
      }
    case .toOne:
      setToOne(index, to: unwrapped(value) as? any PersistentModel, owner: model)
    case .toMany:
      setToMany(index, to: unwrapped(value) as? [any PersistentModel], owner: model)
    case .unsupported: slots[index] = .decoded(DecodedValue(value))
    }
  }

  func columnValue(at index: Int) throws -> Value {
    guard description.properties[index].destination != nil else { return try stored(at: index) }
    return toOneRow(index).map { .integer($0) } ?? .null
  }

  func stored(at index: Int) throws -> Value {
    let property = description.properties[index]
    switch slots[index] {
    case .value(let stored): return stored
    case .decoded(let box):
      guard case .attribute(let codec) = property.kind else { return .null }
      return try box.stored(by: codec)
    case .empty:
      guard case .attribute(let codec) = property.kind, let value = property.defaultValue else {
        return .null
      }
      return try codec.encode(value)
    case .toOne, .toMany: return .null
    }
  }
}
