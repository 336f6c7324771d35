import Format
import Pipeline

/// The values of an object, with the transactions that last set them.
package struct Blame: Sendable {
  /// A value of an object, or a link to another object.
  package struct Line: Hashable, Sendable {
    package var name: String
    /// The present value; if the object was deleted, its last value.
    package var value: PropertyValue
    /// The transaction that set the value; nil if the value was set before the history begins.
    package var touch: Touch?
    /// The previous value; nil if the value was inserted with the object.
    package var before: PropertyValue?
  }

  package var entity: String
  package var id: ObjectID
  package var label: String?
  /// The transaction that inserted the object; nil if the object was inserted before the history
  /// begins.
  package var inserted: Touch?
  /// The transaction that deleted the object; nil if the object exists.
  package var deleted: Touch?
  package var changes: Int64 = 0
  /// The values that the history contains, in the order of the schema, and the links after them.
  package var lines: [Line] = []
}

/// Finds the transaction that last set each value of an object, up to the history's point.
///
/// `each` is called with every change, the oldest first. The result contains the names that
/// entities and attributes have at the end of the history. The author, the times and the attribute
/// of the filter select the values and changes that are returned.
///
/// - Throws: ``PipelineError`` if the history does not contain the entity, the attribute or the
///   object.
package func blame(
  _ history: History,
  entity: String,
  id: ObjectID,
  filter: AuditFilter = AuditFilter(),
  tick: Tick = { _ in },
  each: (ObjectDifference, Transaction) throws -> Void = { _, _ in }
) throws -> Blame {
  let outline = history.outline
  var filter = filter
  try filter.resolveToken(history)
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
        try progress.countChange(tick)
        guard change.isOf(id), meant.contain(change, schema: opening.schema) else { return }
        var difference = ObjectDifference(change, vocabulary: vocabulary)
        names.translate(&difference, from: opening.schema, vocabulary: vocabulary)
        pending.append(difference)
      },
      transaction: { transaction in
        try progress.countTransaction(tick)
        // The op of a transaction is in its closing line, so the changes are kept until that line
        // is read.
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
  if blame.changes == 0 {
    try history.source.row(of: entity, id: id, after: history.last) { change in
      blame.applyUnchanged(ObjectDifference(change, vocabulary: vocabulary))
    }
  }
  guard blame.changes > 0 || !blame.lines.isEmpty else {
    let (name, base) = (history.name, outline.base)
    let isStore = (try? history.source.state()) == .store
    throw PipelineError(.missing) {
      base == 0
        ? "The history of \(name) does not have \(entity) \(id)."
          + "\nFind the id by a value: travelog blame \(name) \(entity) --where NAME=VALUE"
        : "\(name) keeps history from transaction \(base + 1) on, and \(entity) \(id) has not"
          + " changed since then.\nFor earlier changes: travelog blame \(isStore ? "LOGS" : "STORE")"
          + " \(entity) \(id)"
    }
  }
  try blame.addInitialValues(names, history: history)
  blame.lines.removeAll { !isWanted($0.name) || !filter.matches($0.touch) }
  blame.sort(outline.schema)
  return blame
}

extension Blame {
  /// Takes the values of a row that was there before the history began, and has not changed since.
  fileprivate mutating func applyUnchanged(_ row: ObjectDifference) {
    label = row.label
    lines = row.properties.compactMap { property in
      property.after.map { Line(name: property.name, value: $0, touch: nil, before: nil) }
    }
  }

  fileprivate mutating func apply(_ difference: ObjectDifference, touch: Touch) {
    changes += 1
    entity = difference.entity
    label = difference.label ?? label
    switch difference.kind {
    case .insert
    where inserted != nil && deleted == nil && [.difference, .migration].contains(touch.operation):
      // The row existed before. The transaction recorded it again, so only values that differ from
      // the known values were set since.
      let known = Dictionary(lines.map { ($0.name, $0.value) }) { first, _ in first }
      for property in difference.properties where property.after != known[property.name] {
        var property = property
        property.before = known[property.name]
        set(property, touch: touch)
      }
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

  /// Records the links that a change removed or added, with one entry for each link.
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

  /// Keeps the last values of a deleted object; the deletion contains these values, but did not set
  /// them.
  ///
  /// For a deleted object, a blame shows the transactions that set the last values of the object.
  private mutating func keep(_ properties: [PropertyDifference]) {
    for property in properties {
      guard let before = property.before, before.json.first != UInt8(ascii: "[") else { continue }
      if let index = lines.firstIndex(where: { $0.name == property.name }) {
        lines[index].value = before
      } else {
        // The history does not contain the transaction that set this value, so the entry has only
        // the value.
        lines.append(Line(name: property.name, value: before, touch: nil, before: nil))
      }
    }
  }

  /// Adds the initial values of columns that were added to the table of a row, unless a transaction
  /// set another value later.
  fileprivate mutating func addInitialValues(_ names: PresentNames, history: History) throws {
    let added = names.addedColumns(of: entity).filter { column in
      !lines.contains { $0.name == column.name && $0.touch != nil }
    }
    guard !added.isEmpty else { return }
    var first: [String: Touch] = [:]
    for stretch in history.stretches {
      try history.source.read(
        stretch,
        wants: { _ in false },
        change: { _, _ in },
        transaction: { transaction in
          if first[transaction.schema] == nil { first[transaction.schema] = Touch(transaction) }
        }
      )
    }
    for (name, initial, schema) in added {
      guard let touch = first[schema] else { continue }
      lines.removeAll { $0.name == name }
      lines.append(Line(name: name, value: initial, touch: touch, before: nil))
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
