extension _ModelDescription {
  /// Finds the inverse of a relationship: the inverse that the relationship names, or the
  /// relationship that names this one as its inverse, or the only possible candidate.
  func findInverse(of property: PropertyDescription) -> PropertyReference? {
    guard let destination = property.destination.map(_ModelDescription.of) else { return nil }
    if let keyPath = property.relationship?.inverseKeyPath {
      return destination.property(for: keyPath).map { PropertyReference(destination, property: $0) }
    }
    let back = destination.properties.filter { leadsHere($0) }
    if let named = back.first(where: { isNamed(property, asInverseOf: $0) }) {
      return PropertyReference(destination, property: named)
    }
    // If a class has a relationship to itself, this relationship would be a candidate for its own
    // inverse. So such an inverse must be named.
    guard destination !== self else { return nil }
    let free = back.filter { candidate in
      candidate.relationship?.inverseKeyPath == nil
        && !properties.contains { destination.isNamed(candidate, asInverseOf: $0) }
    }
    let rivals = properties.filter { rival in
      rival.destination.map(_ModelDescription.of) === destination
        && rival.relationship?.inverseKeyPath == nil
        && !destination.properties.contains { isNamed(rival, asInverseOf: $0) }
    }
    guard free.count == 1, rivals.count == 1 else { return nil }
    return PropertyReference(destination, property: free[0])
  }

  private func leadsHere(_ property: PropertyDescription) -> Bool {
    guard let type = property.destination else { return false }
    let target = _ModelDescription.of(type)
    return isKind(of: target) || target.isKind(of: self)
  }

  /// Whether `other`, a property of the destination's class, names `property` as its inverse.
  private func isNamed(
    _ property: PropertyDescription,
    asInverseOf other: PropertyDescription
  ) -> Bool {
    guard let keyPath = other.relationship?.inverseKeyPath else { return false }
    return self.property(for: keyPath)?.index == property.index
  }
}

extension PropertyReference {
  init(_ owner: _ModelDescription, property: PropertyDescription) {
    self.init(owner: owner, property: property)
  }
}
