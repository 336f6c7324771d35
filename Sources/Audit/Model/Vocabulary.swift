import Format

/// The attributes of a schema that name objects, and the attributes whose values are JSON.
package struct Vocabulary: Sendable {
  /// For each entity, the attribute that names its objects.
  package let labels: [String: String]
  /// For each entity, the attributes whose values are JSON.
  private let nested: [String: Set<String>]
  /// Whether values are texts that begin with SQLite's storage class, because they have no declared
  /// types, as in adopted files.
  package let isSpelled: Bool
  /// For each entity, the key of the attribute that names its objects.
  private let labelKeys: [(entity: [UInt8], key: [UInt8])]

  package init(_ schema: StoreSchema) {
    let isSpelled = !schema.hasValueTypes
    var labels: [String: String] = [:]
    var nested: [String: Set<String>] = [:]
    for entity in schema.entities {
      let texts = entity.attributes.filter { $0.type == .string || isSpelled }.map(\.name)
      let unique = texts.first { entity.uniques.contains([$0]) }
      // The first column of an adopted table need not contain texts.
      labels[entity.name] =
        ["name", "title"].first { texts.contains($0) } ?? unique
        ?? (isSpelled ? nil : texts.first)
      nested[entity.name] = Set(entity.attributes.filter { $0.type == .json }.map(\.name))
    }
    self.labels = labels
    self.isSpelled = isSpelled
    labelKeys = labels.map { (Array($0.key.utf8), memberKey($0.value)) }
    self.nested = nested
  }

  /// The key of the attribute that names the objects of an entity; nil if no attribute does.
  package func labelKey(of entity: UnsafeRawBufferPointer) -> [UInt8]? {
    labelKeys.first { isSame(entity, $0.entity) }?.key
  }

  /// The name that a value gives to an object; nil if the value is not a text, or is empty.
  package func label(in json: UnsafeRawBufferPointer) -> String? {
    guard var text = parseJSONString(json) else { return nil }
    if isSpelled {
      guard text.hasPrefix("text:") else { return nil }
      text.removeFirst("text:".count)
    }
    return text.isEmpty ? nil : text
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
      difference.label = (property.after ?? property.before)?.json.withUnsafeBytes { label(in: $0) }
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
