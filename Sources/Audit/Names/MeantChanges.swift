import Format

/// The selected entities and properties, with their names under each schema.
struct MeantChanges: Sendable {
  private struct Part: Sendable {
    let entity: [UInt8]
    /// The selected properties of the entity; nil for all properties.
    let properties: Set<String>?
  }

  private var parts: [String: [Part]] = [:]

  /// Adds the entities and properties that are selected under a schema.
  mutating func add(_ entities: [(name: String, properties: Set<String>?)], under schema: String) {
    parts[schema] = entities.map { Part(entity: Array($0.name.utf8), properties: $0.properties) }
  }

  private func part(of change: Change, schema: String) -> Part? {
    parts[schema]?.first { change.entity.elementsEqual($0.entity) }
  }

  /// The names of the selected properties of a change.
  ///
  /// The result is empty in two cases: the change is not selected, or all of its properties are
  /// selected.
  func properties(of change: Change, schema: String) -> Set<String> {
    part(of: change, schema: schema)?.properties ?? []
  }

  func contain(_ change: Change, schema: String) -> Bool {
    guard let part = part(of: change, schema: schema) else { return false }
    guard let properties = part.properties else { return true }
    let object = change.after.isEmpty ? change.before : change.after
    return CanonicalText(object).members.contains { member in
      memberName(member.key).map { properties.contains(propertyName($0)) } ?? false
    }
  }
}
