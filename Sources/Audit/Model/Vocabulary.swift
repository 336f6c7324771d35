import Changes

/// The attributes of a schema that name objects, and the attributes whose values are JSON.
package struct Vocabulary: Sendable {
  /// For each entity, the attribute that names its objects.
  package let labels: [String: String]
  /// For each entity, the attributes whose values are JSON.
  private let nested: [String: Set<String>]
  /// Whether values are texts that begin with SQLite's storage class, because they have no declared
  /// types, as in adopted files.
  private let isSpelled: Bool

  package init(_ schema: StoreSchema) {
    var labels: [String: String] = [:]
    var nested: [String: Set<String>] = [:]
    for entity in schema.entities {
      let texts = entity.attributes.filter { $0.type == .string }.map(\.name)
      let unique = texts.first { entity.uniques.contains([$0]) }
      labels[entity.name] =
        ["name", "title"].first { texts.contains($0) } ?? unique ?? texts.first
      nested[entity.name] = Set(entity.attributes.filter { $0.type == .json }.map(\.name))
    }
    self.labels = labels
    isSpelled = schema.isAdopted
    self.nested = nested
  }

  /// Adds the object's name to a difference, if its values contain the name, and adds the
  /// differences inside JSON values.
  package func explain(_ difference: inout ObjectDifference) {
    if isSpelled {
      for index in difference.properties.indices {
        difference.properties[index].before?.isSpelled = true
        difference.properties[index].after?.isSpelled = true
      }
    }
    if difference.label == nil, let name = labels[difference.entity],
      let property = difference.properties.first(where: { $0.name == name })
    {
      difference.label = (property.after ?? property.before)?.text.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard difference.kind == .update, let names = nested[difference.entity], !names.isEmpty else {
      return
    }
    for index in difference.properties.indices
    where names.contains(difference.properties[index].name) {
      difference.properties[index].lookInside()
    }
  }
}

extension PropertyDifference {
  /// Adds the differences inside two values that are JSON.
  fileprivate mutating func lookInside() {
    guard let before = before?.text, let after = after?.text else { return }
    inside = insideDifferences(Array(before.utf8), Array(after.utf8))
  }
}
