import Format

/// The difference between two states of an object: before and after a change, or in two stores.
///
/// Every output format of differences is written from this type.
package struct ObjectDifference: Hashable, Sendable {
  /// The kind of change that turns the first state into the second.
  package var kind: ChangeKind
  package var entity: String
  package var id: ObjectID
  /// The readable name of the object; nil if the name is not known.
  package var label: String?
  /// The properties that differ; if the object was inserted or deleted, all its properties.
  package var properties: [PropertyDifference]

  package init(
    kind: ChangeKind,
    entity: String,
    id: ObjectID,
    label: String? = nil,
    properties: [PropertyDifference]
  ) {
    self.kind = kind
    self.entity = entity
    self.id = id
    self.label = label
    self.properties = properties
  }
}

package struct PropertyDifference: Hashable, Sendable {
  package var name: String
  /// The value before, or the links that were removed; nil if the object did not exist.
  package var before: PropertyValue?
  /// The value after, or the links that were added; nil if the object no longer exists.
  package var after: PropertyValue?
  /// The differences inside the two values, if the values are JSON.
  package var inside: [InsideDifference]

  package init(
    name: String,
    before: PropertyValue?,
    after: PropertyValue?,
    inside: [InsideDifference] = []
  ) {
    self.name = name
    self.before = before
    self.after = after
    self.inside = inside
  }
}

extension ObjectDifference {
  package init(_ change: Change, vocabulary: Vocabulary) {
    let before = values(.before, of: change)
    let after = values(.after, of: change)
    let entity = String(decoding: change.entity, as: UTF8.self)
    var properties = before.map {
      PropertyDifference(name: $0.name, before: $0.value, after: nil)
    }
    for (index, value) in after.enumerated() {
      if change.kind == .update, index < properties.count, properties[index].name == value.name {
        properties[index].after = value.value
      } else {
        properties.append(PropertyDifference(name: value.name, before: nil, after: value.value))
      }
    }
    self.init(kind: change.kind, entity: entity, id: change.id, properties: properties)
    vocabulary.explain(&self)
  }
}

private func values(
  _ side: Change.Side,
  of change: Change
) -> [(name: String, value: PropertyValue)] {
  change.values(side).map { key, value in
    (
      propertyName(memberName(key) ?? ""),
      PropertyValue(
        json: value.json,
        special: value.specialName,
        large: value.large.isEmpty ? nil : value.large
      )
    )
  }
}

/// The property's name in the model.
///
/// If two properties have the same name, the history calls each of them `Entity.property`.
func propertyName(_ name: String) -> String {
  name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
}
