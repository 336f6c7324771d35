import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class.
///
/// The members that the protocol requires are `nonisolated`, so that a class with an actor conforms
/// too.
struct ModelMembers {
  let model: ModelClass
  let isRoot: Bool
  /// Whether the class has an error.
  ///
  /// The members of a class with an error only need to compile. The compiler then reports no
  /// further errors.
  let isBroken: Bool
  let module: String?

  var all: [DeclSyntax] {
    var members: [DeclSyntax] = [ownState, description, state, registrar, access, withMutation]
    if isRoot { members.append(root) }
    let metadata = MetadataSource(model: model, isRoot: isRoot, isBroken: isBroken)
    members += [metadata.list, metadata.requirement, initializer]
    if model.getsInitializer { members.append("init() {}") }
    return members
  }

  private var name: String { model.reference }

  private var ownState: DeclSyntax {
    """
    @exclusivity(unchecked)
    nonisolated(unsafe) private var _$own = SwiftData._OwnState(\(raw: name)._$description)
    """
  }

  private var description: DeclSyntax {
    """
    nonisolated private static let _$description = SwiftData._ModelDescription.of(\(raw: name).self)
    """
  }

  private var state: DeclSyntax {
    if isRoot {
      return """
        nonisolated \(raw: model.access.overridablePrefix)var _$state: SwiftData._ModelState {
          get {
            _$own.state
          }
          set {
            _$own = SwiftData._OwnState(newValue)
          }
        }
        """
    }
    return """
      nonisolated \(raw: model.access.overridablePrefix)override var _$state: SwiftData._ModelState {
        get {
          let own = _$own.state
          if own !== super._$state {
            own.adopt(super._$state)
            super._$state = own
          }
          return own
        }
        set {
          _$own = SwiftData._OwnState(newValue)
          super._$state = newValue
        }
      }
      """
  }

  /// The registrar of the object's state.
  ///
  /// All classes of a family share this registrar, because the state also notifies observers of
  /// changes that come from inverse relationships.
  private var registrar: DeclSyntax {
    """
    nonisolated private var _$observationRegistrar: SwiftData._ObservationRegistrar {
      _$state.registrar
    }
    """
  }

  private var access: DeclSyntax {
    """
    nonisolated func access<_M>(keyPath: Swift.KeyPath<\(raw: name), _M>) {
      _$observationRegistrar.access(self, keyPath: keyPath)
    }
    """
  }

  private var withMutation: DeclSyntax {
    """
    nonisolated func withMutation<_M, _R>(
      keyPath: Swift.KeyPath<\(raw: name), _M>,
      _ mutation: () throws -> _R
    ) rethrows -> _R {
      try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
    }
    """
  }

  /// The class whose backing data all classes of the family use.
  private var root: DeclSyntax {
    "\(raw: model.access.prefix)typealias Root = \(raw: qualifiedName)"
  }

  /// The name of the class with its module.
  ///
  /// Without the module, the alias `Root` in a class named `Root` would refer to itself.
  private var qualifiedName: String {
    guard model.name == "Root", let module else { return name }
    return "\(module).\(name)"
  }

  private var statements: [String] {
    var lines = model.persisted.map { property in
      "\(storageName(of: property.name)) = SwiftData._SwiftDataNoType()"
    }
    lines.append(
      "_$own = SwiftData._OwnState("
        + "SwiftData._ModelState._of(backingData, description: \(name)._$description))"
    )
    if !isRoot { lines.append("super.init(backingData: backingData)") }
    return lines
  }

  private var initializer: DeclSyntax {
    let lines = isBroken ? [neverRuns] : statements
    let parameter = isRoot ? qualifiedName : "Root"
    return """
      nonisolated \(raw: model.access.prefix)required init(
        backingData: any SwiftData.BackingData<\(raw: parameter)>
      ) {
        \(raw: lines.joined(separator: "\n  "))
      }
      """
  }
}

/// The name of the empty variable that belongs to a persisted property.
func storageName(of name: String) -> String {
  spelled("_\(name)")
}

/// The body of functions in a class with errors.
///
/// This code is compiled and never runs, so it needs no values.
let neverRuns = #"Swift.preconditionFailure("The class is not a model.")"#
