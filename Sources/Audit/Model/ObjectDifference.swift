import Changes
import Store

/// How one object differs between two states: what a change did to it, or what sets two stores apart.
///
/// This is the one model that all formats are made of.
package struct ObjectDifference: Hashable, Sendable {
  /// What happened to the object on the way from the first state to the second.
  package var kind: ChangeKind
  package var entity: String
  package var id: Int64
  /// What a person would call it; nil if nothing tells.
  package var label: String?
  /// What differs: all properties where the object came or went.
  package var properties: [PropertyDifference]

  package init(
    kind: ChangeKind,
    entity: String,
    id: Int64,
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

/// How one property of an object differs.
package struct PropertyDifference: Hashable, Sendable {
  /// The property's name in the model.
  package var name: String
  /// The value in the first state, of links those that went; nil if the object was not there.
  package var before: PropertyValue?
  /// The value in the second state, of links those that came; nil if the object is not there.
  package var after: PropertyValue?
  /// What differs inside of values that have an inside.
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
  /// Reads a change of history, with the words that its schema gives.
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
    self.init(kind: change.kind, entity: entity, id: change.object, properties: properties)
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

/// The name in the model of what history calls `Entity.property` where it has to tell two apart.
func propertyName(_ name: String) -> String {
  name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
}
