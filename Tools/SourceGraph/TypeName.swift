import SwiftSyntax

/// A type as far as it is needed to find its members: a name and its generic arguments.
///
/// Optionals are left out: a member of `T?` that the graph can find is a member of `T`.
struct TypeName: Equatable {
  var name: String
  var arguments: [TypeName] = []
  /// Whether the expression is the type itself, as in `Store.open`.
  var isMetatype = false

  /// The type of the elements, if the type is a known container.
  var element: TypeName? {
    switch name {
    case "Array", "ArraySlice", "Set", "ContiguousArray": arguments.first
    default: nil
    }
  }

  /// The type of a subscript's result, if the type is a known container.
  var subscripted: TypeName? {
    name == "Dictionary" ? arguments.last : element
  }

  var instance: TypeName {
    var copy = self
    copy.isMetatype = false
    return copy
  }

  var metatype: TypeName {
    var copy = self
    copy.isMetatype = true
    return copy
  }
}

extension TypeName {
  /// The type that is written, or nil for a type without a name, such as a tuple.
  init?(_ syntax: TypeSyntax) {
    if let type = syntax.as(IdentifierTypeSyntax.self) {
      self.init(name: type.name.text, arguments: Self.arguments(type.genericArgumentClause))
    } else if let type = syntax.as(MemberTypeSyntax.self), let base = TypeName(type.baseType) {
      self.init(
        name: base.name + "." + type.name.text,
        arguments: Self.arguments(type.genericArgumentClause)
      )
    } else if let type = syntax.as(OptionalTypeSyntax.self) {
      self.init(type.wrappedType)
    } else if let type = syntax.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      self.init(type.wrappedType)
    } else if let type = syntax.as(ArrayTypeSyntax.self) {
      self.init(name: "Array", arguments: [TypeName(type.element)].compactMap { $0 })
    } else if let type = syntax.as(DictionaryTypeSyntax.self) {
      self.init(name: "Dictionary", arguments: [TypeName(type.value)].compactMap { $0 })
    } else if let type = syntax.as(AttributedTypeSyntax.self) {
      self.init(type.baseType)
    } else if let type = syntax.as(SomeOrAnyTypeSyntax.self) {
      self.init(type.constraint)
    } else if let type = syntax.as(FunctionTypeSyntax.self) {
      self.init(type.returnClause.type)
    } else if let type = syntax.as(TupleTypeSyntax.self), type.elements.count == 1,
      let only = type.elements.first
    {
      self.init(only.type)
    } else {
      return nil
    }
  }

  private static func arguments(_ clause: GenericArgumentClauseSyntax?) -> [TypeName] {
    clause?.arguments.compactMap { argument in
      if case .type(let type) = argument.argument { TypeName(type) } else { nil }
    } ?? []
  }
}
