extension StoreSchema {
  /// The names of properties in history and logs, by entity and property.
  ///
  /// A reader may put all objects into one table, so each name must have one encoding. Readers that
  /// ignore case must not find two names that differ only in case. Properties whose names break one
  /// of these rules are written as `Entity.property`, with the topmost entity that has the
  /// property. The names depend only on the schema, never on a value.
  ///
  /// `ancestors` are the ancestors of each entity, the nearest first.
  func logNames(ancestors: [[EntityIndex]]) -> [[String: String]] {
    var spellings: [String: Set<String>] = [:]
    var encodings: [String: Set<LogEncoding>] = [:]
    for property in entities.flatMap(\.loggedProperties) {
      spellings[property.name.lowercased(), default: []].insert(property.name)
      encodings[property.name.lowercased(), default: []].insert(property.encoding)
    }
    let properties = entities.map { Set($0.loggedProperties.lazy.map(\.name)) }
    return entities.indices.map { index in
      let entity = entities[index]
      func topmost(with property: String) -> String {
        let last = ancestors[index].prefix { properties[$0].contains(property) }.last
        return last.map { entities[$0].name } ?? entity.name
      }
      var names: [String: String] = [:]
      for property in entity.loggedProperties {
        let folded = property.name.lowercased()
        let isAlone = spellings[folded]?.count == 1 && encodings[folded]?.count == 1
        names[property.name] =
          isAlone ? property.name : "\(topmost(with: property.name)).\(property.name)"
      }
      return names
    }
  }
}

extension Entity {
  fileprivate var loggedProperties: [(name: String, encoding: LogEncoding)] {
    attributes.map { ($0.name, $0.type.form.encoding) }
      + relationships.compactMap { relationship in
        switch relationship.storage {
        case .column: (relationship.name, .reference)
        case .joinTable: (relationship.name, .links)
        case .inverseColumn: nil
        }
      }
  }
}
