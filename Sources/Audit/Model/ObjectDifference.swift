import Changes
import Store

/// How one object differs between two states: what a change did to it, or what sets two stores apart.
///
/// This is the one model that all formats are made of.
package struct ObjectDifference: Hashable, Sendable {
  /// What happened to the object on the way from the first state to the second.
  package var kind: ChangeKind
  /// The name of its entity.
  package var entity: String
  /// Its id.
  package var id: Int64
  /// What a person would call it; nil where nothing tells.
  package var label: String?
  /// What differs: all properties where the object came or went.
  package var properties: [PropertyDifference]

  /// Makes a difference.
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
  /// The value in the first state, of links those that went; nil where the object was not there.
  package var before: PropertyValue?
  /// The value in the second state, of links those that came; nil where the object is not there.
  package var after: PropertyValue?
  /// What differs inside of values that have an inside.
  package var inside: [InsideDifference]

  /// Makes a difference.
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
  package init(_ change: Change, _ vocabulary: Vocabulary) {
    let special = sides(of: change.special)
    let large = sides(of: change.large)
    let before = values(of: change.before, special.before, large.before)
    let after = values(of: change.after, special.after, large.after)
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

/// The notes on both sides of a change, by the bytes of their keys.
private func sides(
  of object: UnsafeRawBufferPointer
) -> (before: [[UInt8]: [UInt8]], after: [[UInt8]: [UInt8]]) {
  guard !object.isEmpty else { return ([:], [:]) }
  var result: (before: [[UInt8]: [UInt8]], after: [[UInt8]: [UInt8]]) = ([:], [:])
  for side in members(of: Array(object)) {
    let notes = Dictionary(members(of: side.value).map { ($0.key, $0.value) }) { first, _ in first }
    if side.key.elementsEqual(#""before":"#.utf8) {
      result.before = notes
    } else {
      result.after = notes
    }
  }
  return result
}

private func values(
  of object: UnsafeRawBufferPointer,
  _ special: [[UInt8]: [UInt8]],
  _ large: [[UInt8]: [UInt8]]
) -> [(name: String, value: PropertyValue)] {
  guard !object.isEmpty else { return [] }
  return members(of: Array(object)).map { member in
    let name = member.key.dropLast().withUnsafeBytes { parseJSONString($0) } ?? ""
    return (
      propertyName(name),
      PropertyValue(
        json: member.value,
        special: special[member.key].flatMap { $0.withUnsafeBytes { parseJSONString($0) } },
        large: large[member.key]
      )
    )
  }
}

/// The name in the model of what history calls `Entity.property` where it has to tell two apart.
func propertyName(_ name: String) -> String {
  name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
}
