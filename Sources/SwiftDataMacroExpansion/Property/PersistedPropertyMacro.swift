import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty(index)`: generates accessors that read and write a slot of the object's
/// state.
///
/// `@Model` adds this attribute to each persisted property.
public enum PersistedPropertyMacro {
  private static func property(_ declaration: some DeclSyntaxProtocol) -> ModelProperty? {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1
    else { return nil }
    return ModelProperty.all(in: variable).first
  }

  private static func className(_ context: some MacroExpansionContext) -> String? {
    context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.trimmed.text
  }
}

extension PersistedPropertyMacro: PeerMacro {
  /// Adds the empty variable that belongs to the property.
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = property(declaration) else { return [] }
    var peers: [DeclSyntax] = [
      "nonisolated(unsafe) private var \(raw: storageName(of: property.name)): SwiftData._SwiftDataNoType"
    ]
    if let observers = PropertyObservers(property) { peers.append(observers.flag) }
    return peers
  }
}

extension PersistedPropertyMacro: AccessorMacro {
  /// Adds the accessors of the property.
  public static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = property(declaration), let type = className(context),
      let index = node.labeledArguments.first?.expression.trimmed
    else { return [] }
    let place = "\(type)._$description, at: \(index)"
    let suffix = property.isTransformable ? "Transformable" : ""
    let storage = storageName(of: property.name)
    let initialize: AccessorDeclSyntax = """
      @storageRestrictions(accesses: _$own, initializes: \(raw: storage))
      init(initialValue) {
        \(raw: StorableCheck(property).around("_$own.state.initialize\(suffix)(\(place), to: initialValue)"))
        \(raw: storage) = SwiftData._SwiftDataNoType()
      }
      """
    let get: AccessorDeclSyntax = """
      get {
        let state = _$state
        state.registrar.access(self, keyPath: \\.\(raw: property.reference))
        return state.get\(raw: suffix)(\(raw: place))
      }
      """
    if property.isConstant { return [initialize, get] }
    let write = """
      let state = _$state
      state.registrar.withMutation(of: self, keyPath: \\.\(property.reference)) {
        state.set\(suffix)(self, in: \(place), to: newValue)
      }
      """
    if let observers = PropertyObservers(property) {
      return [initialize, get, observers.setter(writing: write)]
    }
    let set: AccessorDeclSyntax = """
      set {
        \(raw: write)
      }
      """
    guard property.isArray else { return [initialize, get, set] }
    // The state releases its array before the change, so that appending to the array makes no copy.
    let modify: AccessorDeclSyntax = """
      _modify {
        var value = self.\(raw: property.reference)
        _$state.lend(\(raw: place))
        defer {
          self.\(raw: property.reference) = value
        }
        yield &value
      }
      """
    return [initialize, get, set, modify]
  }
}
