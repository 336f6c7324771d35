extension ToMany {
  /// The identities of the members: those in memory, or those that a store told with what came and
  /// went since; nil if neither is known.
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
  /// The identity of an object that is not deleted, or about to be.
  var livingIdentifier: PersistentIdentifier? {
    phase == .deleting || phase == .deleted ? nil : identifier
  }
}
