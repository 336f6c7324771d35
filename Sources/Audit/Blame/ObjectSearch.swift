public import Pipeline
import Store

/// An object as a search finds it.
public struct FoundObject: Hashable, Sendable {
  /// The name of its entity.
  public var entity: String
  /// Its id.
  public var id: Int64

  /// Names an object.
  public init(entity: String, id: Int64) {
    self.entity = entity
    self.id = id
  }
}

/// Finds the objects that ever had a value, those that were deleted too, up to a limit.
///
/// The value is a text, or JSON as logs have it. Entity and property may have their names of now, or
/// those from before a migration.
///
/// - Returns: The objects, in the order in which they got the value.
/// - Throws: ``AuditError`` where the entity has no such property.
public func findObjects(
  in history: History,
  entity: String,
  property: String,
  text: String,
  limit: Int = 20,
  tick: Tick = { _ in }
) throws -> [FoundObject] {
  var outline = history.outline
  outline.schemas = try history.source.schemas()
  let names = try PresentNames(outline.schemas)
  let family = try family(of: names.present(entity), outline)
  let past = names.past(of: family)
  try checkAttribute(property, of: entity, outline, isMeant: past.contains)
  guard let range = history.range else { return [] }
  let candidates = past.map { Array($0.utf8) }
  let vocabulary = Vocabulary(outline.schema)
  var quoted: [UInt8] = []
  appendJSONString(text, to: &quoted)
  let texts = [quoted, Array(text.utf8)]
  var found: [FoundObject] = []
  var pending: [ObjectDifference] = []
  func has(_ candidate: PropertyDifference) -> Bool {
    [candidate.before, candidate.after].contains { $0.map { texts.contains($0.json) } ?? false }
  }
  var progress = Progress(total: Int64(range.count))
  try history.source.read(
    range,
    wants: { _ in true },
    change: { change, _ in
      progress.changes += 1
      if progress.changes & 0xfff == 0 { try tick(progress) }
      guard found.count < limit, candidates.contains(where: { change.entity.elementsEqual($0) })
      else { return }
      let difference = ObjectDifference(change, vocabulary)
      if difference.properties.contains(where: has) { pending.append(difference) }
    },
    transaction: { transaction in
      progress.transactions += 1
      try tick(progress)
      // Only a transaction's own line tells its schema, by which its names are read.
      for var difference in pending where found.count < limit {
        let before = difference.properties
        names.translate(&difference, from: transaction.schema, vocabulary)
        let object = FoundObject(entity: difference.entity, id: difference.id)
        let isMeant = zip(before, difference.properties).contains { old, new in
          (old.name == property || new.name == property) && has(new)
        }
        if isMeant, family.contains(object.entity), !found.contains(object) {
          found.append(object)
        }
      }
      pending.removeAll()
    }
  )
  return found
}
