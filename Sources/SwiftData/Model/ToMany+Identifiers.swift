extension ToMany {
  /// The members' identities, from memory, or from the store with later changes applied; nil if
  /// neither is known.
  var knownIdentifiers: [PersistentIdentifier]? {
    if isLoaded { return models.compactMap(\._$state.livingIdentifier) }
    guard var known = storedIdentifiers else { return nil }
    if !removed.isEmpty {
      let gone = Set(removed.elements.map(\._$state.identifier))
      known.removeAll { gone.contains($0) }
    }
    if !added.isEmpty {
      let present = Set(known)
      known += added.elements.compactMap(\._$state.livingIdentifier).filter {
        !present.contains($0)
      }
    }
    return known
  }
}

extension _ModelState {
  /// The object's identity; nil if it is or will be deleted.
  var livingIdentifier: PersistentIdentifier? {
    phase == .deleting || phase == .deleted ? nil : identifier
  }
}
