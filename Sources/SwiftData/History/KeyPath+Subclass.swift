import CSwiftRuntime

extension AnyKeyPath {
  /// This key path as a key path of a subclass, to the same property; nil if there is none.
  ///
  /// A class lists the properties that it declares by key paths such as `\Trip.name`, and Swift
  /// can't create `\Business.name` from such a key path at run time. The objects of both key paths
  /// have the same contents but different classes, so this function creates an object of the right
  /// class and copies the contents. The copy is safe, because the key path of a property captures
  /// nothing and owns nothing.
  func through<Model: PersistentModel>(_: Model.Type) -> PartialKeyPath<Model>? {
    if let keyPath = self as? PartialKeyPath<Model> { return keyPath }
    guard let components, components.count == 1, case .property = components[0] else { return nil }
    func copy<Value>(_: Value.Type) -> PartialKeyPath<Model>? {
      let root = type(of: self).rootType
      guard root is any PersistentModel.Type else { return nil }
      let isWritable = "\(type(of: self))".hasPrefix("ReferenceWritableKeyPath")
      let made: AnyClass =
        isWritable ? ReferenceWritableKeyPath<Model, Value>.self : KeyPath<Model, Value>.self
      return copied(as: made) as? PartialKeyPath<Model>
    }
    let result = _openExistential(type(of: self).valueType, do: copy)
    return result?.components == components ? result : nil
  }

  private func copied(as type: AnyClass) -> AnyObject {
    let word = MemoryLayout<UInt>.size
    let source = unsafeBitCast(self, to: UnsafeRawPointer.self)
    // The layout of a key path object: isa, reference counts, a name, the size of the steps, the
    // steps, the size of the largest value.
    let steps = Int(source.load(fromByteOffset: 3 * word, as: UInt32.self) & 0x00ff_ffff)
    let size = 5 * word + steps
    let copy = swift_allocObject(unsafeBitCast(type, to: UnsafeRawPointer.self), size, word - 1)
    let head = 2 * word
    (copy + head).copyMemory(from: source + head, byteCount: size - head)
    return Unmanaged<AnyObject>.fromOpaque(copy).takeRetainedValue()
  }
}
