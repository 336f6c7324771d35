import Format

/// A row of `Z_PRIMARYKEY`.
package struct PrimaryKey: Hashable, Sendable {
  package let number: Int64
  package let name: String
  /// The number of the parent; zero if there is none.
  package let parent: Int64
  /// The highest id that was assigned in the table of a topmost entity.
  package let highest: Int64
}

extension AppleModel {
  /// Connects entities with their parents and gives them numbers.
  ///
  /// Numbers follow from the model: depth first, and siblings by name without regard to case. The names
  /// in `Z_PRIMARYKEY` can be older than the model, so they only decide between two ways of ignoring
  /// case, which differ for characters between `Z` and `a`.
  init(
    _ descriptions: [ModelArchive.Description],
    keys: [PrimaryKey],
    findings: [String]
  ) throws(StoreError) {
    var findings = findings
    var parents: [String: String] = [:]
    for description in descriptions { parents[description.entity.name] = description.parent }
    let names = Set(descriptions.map(\.entity.name))
    for (name, parent) in parents where !names.contains(parent) {
      throw damaged(cachedModel, "the parent \(parent) of \(name) is missing")
    }
    for name in names {
      var (next, rest) = (parents[name], StoreSchema.mostAncestors)
      while let current = next {
        rest -= 1
        guard rest > 0, current != name else {
          throw damaged(cachedModel, "\(name) is its own ancestor, or has too many")
        }
        next = parents[current]
      }
    }
    let known = Dictionary(keys.map { ($0.number, $0.name) }, uniquingKeysWith: { one, _ in one })
    func isKnown(_ order: [String]) -> Bool {
      order.enumerated().allSatisfy { known[Int64($0 + 1)] == $1 }
    }
    var order = Self.order(names, parents) { $0.lowercased() }
    if !known.isEmpty, !isKnown(order) {
      let other = Self.order(names, parents) { $0.uppercased() }
      if isKnown(other) {
        order = other
      } else {
        for (index, name) in order.enumerated() {
          guard let old = known[Int64(index + 1)], old != name else { continue }
          findings.append(
            "Entity \(index + 1) is \(name) in the model, and \(old) in Z_PRIMARYKEY."
          )
        }
      }
    }
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    let properties = Dictionary(
      uniqueKeysWithValues: descriptions.map { ($0.entity.name, $0.names) }
    )
    var entities = descriptions.map { description in
      var entity = description.entity
      let inherited = description.parent.flatMap { properties[$0] } ?? []
      entity.attributes.removeAll { inherited.contains($0.name) }
      entity.attributes.sort { precedes($0.name, $1.name) }
      entity.relationships.removeAll { inherited.contains($0.name) }
      entity.relationships.sort { precedes($0.name, $1.name) }
      entity.parent = description.parent.flatMap { places[$0] }
      entity.number = Int64((places[entity.name] ?? 0) + 1)
      return entity
    }
    entities.sort { $0.number < $1.number }
    // What all entities have, inherited or not, is kept several times.
    var counts: [Int] = []
    for entity in entities {
      let own = entity.attributes.reduce(0) { $0 + $1.leaves.count } + entity.relationships.count
      counts.append(own + (entity.parent.map { counts[$0] } ?? 0))
    }
    guard counts.reduce(0, +) < 200_000 else { throw tooLarge(cachedModel) }
    // A parent has a lower number than its children.
    for index in entities.indices {
      entities[index].root = entities[index].parent.map { entities[$0].root } ?? index
    }
    for index in entities.indices {
      let name = entities[index].name
      entities[index].relationships.removeAll { relationship in
        guard places[relationship.destination] == nil else { return false }
        findings.append(
          "\(name).\(relationship.name) refers to \(relationship.destination),"
            + " which is not in the model."
        )
        return true
      }
    }
    self.init(entities, findings: findings)
  }

  private static func order(
    _ names: Set<String>,
    _ parents: [String: String],
    folding: (String) -> String
  ) -> [String] {
    var children: [String: [String]] = [:]
    for name in names { children[parents[name] ?? "", default: []].append(name) }
    let folded = Dictionary(uniqueKeysWithValues: names.map { ($0, folding($0)) })
    var result: [String] = []
    var waiting: [String] = []
    func push(_ parent: String) {
      let sorted = (children[parent] ?? []).sorted { one, other in
        let (first, second) = (folded[one] ?? one, folded[other] ?? other)
        return first == second ? precedes(one, other) : precedes(first, second)
      }
      waiting += sorted.reversed()
    }
    push("")
    while let next = waiting.popLast() {
      result.append(next)
      push(next)
    }
    return result
  }
}
