import Changes
import Store

/// Which changes are meant, by the names that the schema of their transaction has for entities and
/// properties.
struct MeantChanges: Sendable {
  private struct Part: Sendable {
    let entity: [UInt8]
    /// Nil if any property will do.
    let properties: Set<String>?
  }

  private var parts: [String: [Part]] = [:]

  /// Adds what is meant under one schema.
  mutating func add(_ entities: [(name: String, properties: Set<String>?)], under schema: String) {
    parts[schema] = entities.map { Part(entity: Array($0.name.utf8), properties: $0.properties) }
  }

  private func part(of change: Change, schema: String) -> Part? {
    parts[schema]?.first { change.entity.elementsEqual($0.entity) }
  }

  /// What the properties that are meant are called in a change; none where it is not meant, or any
  /// will do.
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
