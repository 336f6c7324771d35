import Format
import Store

struct SnapshotValues: Sendable {
  enum Content: Hashable, Sendable {
    case absent
    case attribute(Value)
    case toOne(PersistentIdentifier?)
    case toMany([PersistentIdentifier]?)
  }

  var identifier: PersistentIdentifier
  let description: _ModelDescription
  var contents: [Content]
}

extension SnapshotValues {
  /// Copies the present values of an object; changes that are not saved are included.
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
        if case .empty = state.slots[index], state.phase == .stored { state.registry?.fill(state) }
        contents.append(.attribute(try state.wholeValue(at: index)))
      case .toOne: contents.append(.toOne(state.toOneIdentifier(index)))
      case .toMany: contents.append(.toMany(try state.toManyIdentifiers(index)))
      case .unsupported: contents.append(.absent)
      }
    }
  }

  /// A copy with another identity and with remapped identities in references.
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
  /// The stored form of an attribute; if the value is in a file, the contents of the file.
  fileprivate func wholeValue(at index: Int) throws -> Value {
    let stored = try stored(at: index)
    guard case .text(let digest) = stored, description.properties[index].isExternal,
      case .attribute(let codec) = description.properties[index].kind,
      codec.type == .data || codec.type == .transformed,
      let data = registry?.readExternal(digest, of: self)
    else { return stored }
    return .blob(data)
  }

  /// The identity to which a to-one relationship refers.
  ///
  /// If the identity is known, the object is not read.
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
    guard let registry = registry as? Registry,
      let relationship = entity?.relationships[index],
      let destination = registry.container.map[relationship.destination],
      let known = registry.sessions[destination.storeIndex].identifier(of: row)
    else { return toOne(index)?._$state.livingIdentifier }
    return registry[destination, row].map(\._$state.livingIdentifier) ?? known
  }

  /// The identities to which a to-many relationship refers.
  ///
  /// If the identities are known, no object is read.
  func toManyIdentifiers(_ index: Int) throws -> [PersistentIdentifier]? {
    let many = knownToMany(index)
    if let known = many.knownIdentifiers { return many.isNil ? nil : known }
    let loaded = toMany(index)
    guard loaded.isLoaded else {
      throw SwiftDataError(.saveFailed) {
        "\(description.name).\(description.properties[index].name) of \(identifier.id) can't be"
          + " read from its store, so the object can't be saved."
          + "\nMake sure that the store can be read. Then save again, or call rollback()."
      }
    }
    return loaded.isNil ? nil : loaded.models.compactMap(\._$state.livingIdentifier)
  }
}
