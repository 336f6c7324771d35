enum KeyPathComponent: Equatable {
  /// A computed property, as all properties of models are, by the identity that the compiler gives
  /// its declaration: the same through subclasses and in every module.
  case property(UInt)
  /// `?.`
  case optionalChain
  /// The conversion of a chain's result to an optional.
  case optionalWrap
  /// `!.`
  case forcedUnwrap
}

extension AnyKeyPath {
  /// The steps of the key path; nil if one is of another kind.
  ///
  /// Swift can't take a key path apart, and two key paths to the same property differ if one goes
  /// through a subclass. So this reads the runtime's layout of the object: after isa, reference
  /// counts and a name come the size of the rest and, for each step, a header with its kind, the
  /// step's words and, between two steps, a type. Foundation also reads it, to reject key paths of
  /// several steps in predicates.
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
      // The type after the step, unless it is the last one.
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
