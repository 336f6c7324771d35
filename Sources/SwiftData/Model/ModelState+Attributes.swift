import Format
import Store

// Generated code chooses one of these overloads by the type of the property. `place` is the
// description of the class that declares the property, and `own` is the index of the property among
// those that the class declares.

extension _ModelState {
  /// Sets the initial value of a property with a column form.
  public func initialize<T: _AttributeValue>(_ place: _ModelDescription, at own: Int, to value: T) {
    slots[place.offset &+ own] = .value(value._stored)
  }

  /// Reads a property whose value is stored in a column.
  public func get<T: _AttributeValue>(_ place: _ModelDescription, at own: Int) -> T {
    let index = place.offset &+ own
    if case .value(let stored) = slots[index], let value = T._load(stored) { return value }
    return absent(index)
  }

  /// Writes a property with a column form.
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

  /// Sets the initial value of an enumeration, which is stored as its raw value.
  public func initialize<T: RawRepresentable>(
    _ place: _ModelDescription,
    at own: Int,
    to value: T?
  ) where T.RawValue: _AttributeValue {
    slots[place.offset &+ own] = .value(value?.rawValue._stored ?? .null)
  }

  /// Reads an enumeration, which is stored as its raw value.
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

  /// Reads an optional enumeration, which is stored as its raw value.
  public func get<T: RawRepresentable>(_ place: _ModelDescription, at own: Int) -> T?
  where T.RawValue: _AttributeValue {
    let index = place.offset &+ own
    if case .value(let stored) = slots[index] {
      if case .null = stored { return nil }
      if let raw = T.RawValue._load(stored), let value = T(rawValue: raw) { return value }
    }
    return absent(index)
  }

  /// Writes an enumeration, which is stored as its raw value.
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

  /// Sets the initial value of a `Codable` property, which is stored as JSON.
  @_disfavoredOverload
  public func initialize<T: Codable>(_ place: _ModelDescription, at own: Int, to value: T) {
    slots[place.offset &+ own] = .decoded(DecodedValue(value))
  }

  /// Reads a `Codable` property, which is stored as JSON.
  @_disfavoredOverload
  public func get<T: Codable>(_ place: _ModelDescription, at own: Int) -> T {
    decoded(place.offset &+ own)
  }

  /// Writes a `Codable` property, which is stored as JSON.
  @_disfavoredOverload
  public func set<T: Codable>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T
  ) {
    setDecoded(place.offset &+ own, to: value)
  }

  // The last overloads accept every type. If `initialize` returns this type, the compiler reports an
  // error, so the three functions never run.

  /// Stands for setting the initial value of a property whose type can't be stored; never runs.
  @_disfavoredOverload
  public func initialize<T>(
    _ place: _ModelDescription,
    at own: Int,
    to value: T
  ) -> _NotStorable {
    preconditionFailure(notStorable(place, at: own))
  }

  /// Stands for reading a property whose type can't be stored; never runs.
  @_disfavoredOverload
  public func get<T>(_ place: _ModelDescription, at own: Int) -> T {
    preconditionFailure(notStorable(place, at: own))
  }

  /// Stands for writing a property whose type can't be stored; never runs.
  @_disfavoredOverload
  public func set<T>(
    _ owner: some PersistentModel,
    in place: _ModelDescription,
    at own: Int,
    to value: T
  ) {
    preconditionFailure(notStorable(place, at: own))
  }

  private func notStorable(_ place: _ModelDescription, at own: Int) -> String {
    "\(place.name).\(place.properties[place.offset &+ own].name) has a type that can't be stored."
  }

  /// Sets the initial value of a transformable property.
  public func initializeTransformable<T>(_ place: _ModelDescription, at own: Int, to value: T) {
    slots[place.offset &+ own] = .decoded(DecodedValue(value))
  }

  /// Reads a transformable property.
  public func getTransformable<T>(_ place: _ModelDescription, at own: Int) -> T {
    decoded(place.offset &+ own)
  }

  /// Writes a transformable property.
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
      // Rows are checked when they are read, so decoding fails only if the type's `Codable`
      // conformance is wrong.
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

  /// The value of an empty slot.
  ///
  /// If the object was fetched without the value, the value is read from the store. For other
  /// objects, the value is the default of the property, or nil.
  func absent<T>(_ index: Int) -> T {
    var isRead = false
    if case .empty = slots[index], phase == .stored, let registry {
      registry.fill(self)
      if case .empty = slots[index] {} else { isRead = true }
    }
    let property = description.properties[index]
    // External values are handled first, because their slots contain a digest, which an optional
    // type would load as nil.
    if case .value(.text(let digest)) = slots[index], property.isExternal,
      let data = registry?.readExternal(digest, of: self)
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
        ? "\(description.name).\(property.name) was read, but its object is not in the store: "
          + "it was deleted, or its identifier never belonged to an object. Fetch the object to "
          + "find out whether it exists; model(for:) does not check this."
        : "\(description.name).\(property.name) was read before it had a value of its type, "
          + "\(T.self). Set it in every init."
    )
  }

  /// Whether reading a property would stop the program.
  func lacksValue(of property: PropertyDescription) -> Bool {
    guard case .empty = slots[property.index], phase != .stored || registry == nil else {
      return false
    }
    return property.defaultValue == nil && !property.isOptional && !property.isToMany
  }

  /// The value of a slot with its declared type; nil if the slot is empty.
  func valueAny(at index: Int) -> Any? {
    switch slots[index] {
    case .empty: return nil
    case .value(let stored):
      guard case .attribute(let codec) = description.properties[index].kind else { return nil }
      // A stored form that the property's type can't load is treated as a missing value; see
      // `decoded`.
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
        // The value has the property's declared type; otherwise its encoding would have failed.
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

/// The result of initializing a property whose type can't be stored.
public enum _NotStorable {}
