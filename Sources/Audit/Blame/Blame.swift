import Changes
import Pipeline
import Store

/// What is known of an object's values: for each, who set it to what it is.
package struct Blame: Sendable {
  /// One value, or one link to another object.
  package struct Line: Hashable, Sendable {
    package var name: String
    /// What it is, or was when the object went.
    package var value: PropertyValue
    /// Who set it; nil if that is before the history begins.
    package var touch: Touch?
    /// What it was before; nil if it came with the object.
    package var before: PropertyValue?
  }

  /// The name of the object's entity.
  package var entity: String
  package var id: Int64
  /// What a person would call it.
  package var label: String?
  /// Who made it; nil if that is before the history begins.
  package var inserted: Touch?
  /// Who deleted it; nil if it is there.
  package var deleted: Touch?
  /// How many changes there are of it.
  package var changes: Int64 = 0
  /// Its values that history tells of, in the order of its schema, then its links.
  package var lines: [Line] = []
}

/// Finds out who set each value of an object to what it is, up to the history's point.
///
/// Every change of the object is given to `each` on the way, the oldest first. All names are those
/// at the end of the history, also where they had others before a migration. Of a filter, author,
/// times and attribute leave out values and changes, but none that tells how a value came to be.
///
/// - Returns: What is known of its values.
/// - Throws: ``AuditError`` where there is no such entity or attribute, or history tells nothing of
///   the object.
package func blame(
  _ history: History,
  entity: String,
  id: Int64,
  filter: AuditFilter = AuditFilter(),
  tick: Tick = { _ in },
  each: (ObjectDifference, Transaction) throws -> Void = { _, _ in }
) throws -> Blame {
  let outline = history.outline
  let names = try PresentNames(history)
  let family = try names.family(of: entity)
  let meant = try names.changes(of: entity, family: family, property: nil)
  let wanted = try filter.attribute.map {
    try names.properties(called: $0, of: entity, family: family)
  }
  let isWanted = { (name: String) in wanted?.contains(name) ?? true }
  let vocabulary = Vocabulary(outline.schema)
  var blame = Blame(entity: entity, id: id)
  let stretches = try history.stretches(changing: id)
  var progress = Progress(total: stretches.reduce(0) { $0 + Int64($1.count) })
  var pending: [ObjectDifference] = []
  for stretch in stretches {
    try history.source.read(
      stretch,
      wants: { _ in true },
      change: { change, opening in
        progress.changes += 1
        if progress.changes & 0xfff == 0 { try tick(progress) }
        guard change.object == id, meant.contain(change, schema: opening.schema) else { return }
        var difference = ObjectDifference(change, vocabulary: vocabulary)
        names.translate(&difference, from: opening.schema, vocabulary: vocabulary)
        pending.append(difference)
      },
      transaction: { transaction in
        progress.transactions += 1
        try tick(progress)
        // Only a transaction's own line tells how it came into history.
        for difference in pending {
          blame.apply(difference, touch: Touch(transaction))
          guard filter.matches(transaction),
            wanted == nil || difference.properties.contains(where: { isWanted($0.name) })
          else { continue }
          try each(difference, transaction)
        }
        pending.removeAll()
      }
    )
  }
  guard blame.changes > 0 else {
    throw AuditError.unknownObject(
      entity: entity,
      id: id,
      history: history.name,
      base: outline.base
    )
  }
  blame.lines.removeAll { !isWanted($0.name) || !filter.matches($0.touch) }
  blame.sort(outline.schema)
  return blame
}

extension Blame {
  fileprivate mutating func apply(_ difference: ObjectDifference, touch: Touch) {
    changes += 1
    entity = difference.entity
    label = difference.label ?? label
    switch difference.kind {
    case .insert:
      lines = []
      inserted = touch
      deleted = nil
      for property in difference.properties { set(property, touch: touch) }
    case .update:
      for property in difference.properties { set(property, touch: touch) }
    case .delete:
      deleted = touch
      keep(difference.properties)
    }
  }

  private mutating func set(_ property: PropertyDifference, touch: Touch) {
    guard let after = property.after else { return }
    guard after.json.first != UInt8(ascii: "[") else {
      return setLinks(property, after: after, touch: touch)
    }
    let line = Line(name: property.name, value: after, touch: touch, before: property.before)
    if let index = lines.firstIndex(where: { $0.name == property.name }) {
      lines[index] = line
    } else {
      lines.append(line)
    }
  }

  /// Of links, a change tells which went and which came; each is a line of its own.
  private mutating func setLinks(
    _ property: PropertyDifference,
    after: PropertyValue,
    touch: Touch
  ) {
    var gone: [Int64: PropertyValue] = [:]
    for element in property.before.map({ CanonicalText($0.json).elements }) ?? [] {
      let value = PropertyValue(json: element)
      guard let link = PropertyValue.Link(element) else { continue }
      gone[link.id] = value
      lines.removeAll { $0.name == property.name && $0.value.links.first?.id == link.id }
    }
    for element in CanonicalText(after.json).elements {
      guard let link = PropertyValue.Link(element) else { continue }
      lines.append(
        Line(
          name: property.name,
          value: PropertyValue(json: element),
          touch: touch,
          before: gone[link.id]
        )
      )
    }
  }

  /// Of a deleted object, the tombstone tells what it was; who set it stays.
  private mutating func keep(_ properties: [PropertyDifference]) {
    for property in properties {
      guard let before = property.before, before.json.first != UInt8(ascii: "[") else { continue }
      if let index = lines.firstIndex(where: { $0.name == property.name }) {
        lines[index].value = before
      } else {
        // It was set before the history begins; that it was there is all that is known.
        lines.append(Line(name: property.name, value: before, touch: nil, before: nil))
      }
    }
  }

  fileprivate mutating func sort(_ schema: StoreSchema) {
    guard let entity = schema[entity] else { return }
    let order = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    func place(_ line: Line) -> (Int, Int64) {
      (order.firstIndex(of: line.name) ?? order.count, line.value.links.first?.id ?? 0)
    }
    lines.sort { place($0) < place($1) }
  }
}
