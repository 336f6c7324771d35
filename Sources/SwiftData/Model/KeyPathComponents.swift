enum KeyPathComponent: Equatable {
  /// A computed property, identified by the value that the compiler assigns to its declaration: the
  /// same in subclasses and in every module. All properties of models are computed.
  case property(UInt)
  /// The step `?.`.
  case optionalChain
  /// The last step of a chain with `?.`; this step makes the chain's result optional.
  case optionalWrap
  /// The step `!.`.
  case forcedUnwrap
}

extension AnyKeyPath {
  /// The steps of the key path; nil if a step is of a kind that `KeyPathComponent` does not
  /// represent.
  ///
  /// Swift does not give access to the steps of a key path, and two key paths to the same property
  /// differ if one of them begins at a subclass. So this property reads the runtime's layout of the
  /// key path object: isa, reference counts and a name are followed by the size of the rest. For
  /// each step there is a header with the kind of the step, the data of the step and, between two
  /// steps, a type. Foundation reads the same layout to reject key paths of several steps in
  /// predicates.
  var components: [KeyPathComponent]? {
    let word = MemoryLayout<UInt>.size
    let object = unsafeBitCast(self, to: UnsafeRawPointer.self)
    let size = Int(object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0x00ff_ffff)
    let buffer = object + 4 * word
    var components: [KeyPathComponent] = []
    var offset = 0
    while offset + 4 <= size {
      let header = buffer.load(fromByteOffset: offset, as: UInt32.self)
      offset += word
      switch (header & 0x7f00_0000) >> 24 {
      case 2:
        guard offset + 2 * word <= size else { return nil }
        components.append(.property(buffer.load(fromByteOffset: offset, as: UInt.self)))
        let isSettable = header & 0x0040_0000 != 0
        let hasArguments = header & 0x0008_0000 != 0
        offset += (isSettable ? 3 : 2) * word
        if hasArguments {
          guard offset + 2 * word <= size else { return nil }
          offset += 2 * word + Int(buffer.load(fromByteOffset: offset, as: UInt.self))
        }
      case 4: components.append(.init(optional: header & 0x00ff_ffff))
      default: return nil
      }
      // A type follows each step except the last.
      offset = (offset + word - 1) / word * word + word
    }
    return components.isEmpty ? nil : components
  }
}

extension KeyPathComponent {
  fileprivate init(optional payload: UInt32) {
    switch payload {
    case 0: self = .optionalChain
    case 1: self = .optionalWrap
    default: self = .forcedUnwrap
    }
  }
}

extension _ModelDescription {
  func property(for component: KeyPathComponent) -> PropertyDescription? {
    properties.first { $0.keyPath.components == [component] }
  }
}
