import Changes
import Store

/// The values of one object on their way between a context and a store.
struct SnapshotValues: Sendable {
  enum Content: Hashable, Sendable {
    /// Not told.
    case absent
    /// An attribute, in its stored form.
    case attribute(Value)
    case toOne(PersistentIdentifier?)
    case toMany([PersistentIdentifier]?)
  }

  var identifier: PersistentIdentifier
  let description: _ModelDescription
  /// The values, in the order of the properties.
  var contents: [Content]
}

extension SnapshotValues {
  /// Takes the values of an object as they are now, saved or not.
  init(_ state: _ModelState) throws {
    identifier = state.identifier
    description = state.description
    contents = []
    contents.reserveCapacity(description.properties.count)
    for property in description.properties {
      let index = property.index
      guard !property.isEphemeral else {
        contents.append(.absent)
        continue
      }
      switch property.kind {
      case .attribute:
        if case .empty = state.slots[index], state.phase == .stored { state.context?.fill(state) }
        contents.append(.attribute(try state.wholeValue(at: index)))
      case .toOne: contents.append(.toOne(state.toOneIdentifier(index)))
      case .toMany: contents.append(.toMany(try state.toManyIdentifiers(index)))
      case .unsupported: contents.append(.absent)
      }
    }
  }

  /// The same under another identity, and with other identities in references.
  func copy(
    _ identifier: PersistentIdentifier,
    remapped: [PersistentIdentifier: PersistentIdentifier]
  ) -> SnapshotValues {
    var copy = self
    copy.identifier = identifier
    guard !remapped.isEmpty else { return copy }
    for index in contents.indices {
      switch contents[index] {
      case .toOne(let target?): copy.contents[index] = .toOne(remapped[target] ?? target)
      case .toMany(let targets?):
        copy.contents[index] = .toMany(targets.map { remapped[$0] ?? $0 })
      default: break
      }
    }
    return copy
  }
}

extension _ModelState {
  /// The stored form of an attribute, and not the name of a file that it is kept in.
  fileprivate func wholeValue(at index: Int) throws -> Value {
    let stored = try stored(at: index)
    guard case .text(let digest) = stored, description.properties[index].isExternal,
      case .attribute(let codec) = description.properties[index].kind,
      codec.type == .data || codec.type == .transformed,
      let data = context?.readExternal(digest, of: self)
    else { return stored }
    return .blob(data)
  }

  /// The identity that a to-one relationship leads to; reads nothing where the identity is known.
  func toOneIdentifier(_ index: Int) -> PersistentIdentifier? {
    guard case .toOne(let reference) = slots[index] else {
      return toOne(index)?._$state.livingIdentifier
    }
    switch reference {
    case .none: return nil
    case .object(let model): return model._$state.livingIdentifier
    case .companion(let weak, let row):
      return weak.model.map(\._$state.livingIdentifier) ?? rowIdentifier(row, index: index)
    case .row(let row): return rowIdentifier(row, index: index)
    }
  }

  private func rowIdentifier(_ row: Int64, index: Int) -> PersistentIdentifier? {
    guard let context, let relationship = entity?.relationships[index],
      let destination = context.container.map[relationship.destination],
      let known = context.container.store(of: destination).identifier(of: row, in: context)
    else { return toOne(index)?._$state.livingIdentifier }
    return context.registry[destination, row].map(\._$state.livingIdentifier) ?? known
  }

  /// The identities that a to-many relationship leads to; reads no objects where they are known.
  func toManyIdentifiers(_ index: Int) throws -> [PersistentIdentifier]? {
    let many = knownToMany(index)
    if let known = many.knownIdentifiers { return many.isNil ? nil : known }
    let loaded = toMany(index)
    guard loaded.isLoaded else {
      throw SwiftDataError(
        .unreadRelationship(
          "\(description.name).\(description.properties[index].name)",
          "\(identifier.id)"
        )
      )
    }
    return loaded.isNil ? nil : loaded.models.compactMap(\._$state.livingIdentifier)
  }
}
