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
/// The value is a text, or JSON as logs have it.
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
  var filter = AuditFilter()
  filter.entity = entity
  filter.attribute = property
  try filter.resolve(history.outline)
  guard let range = history.range else { return [] }
  let vocabulary = Vocabulary(history.outline.schema)
  var quoted: [UInt8] = []
  appendJSONString(text, to: &quoted)
  let texts = [quoted, Array(text.utf8)]
  var found: [FoundObject] = []
  var progress = Progress(total: Int64(range.count))
  try history.source.read(
    range,
    wants: { _ in true },
    change: { change, _ in
      progress.changes += 1
      if progress.changes & 0xfff == 0 { try tick(progress) }
      guard found.count < limit, filter.matches(change) else { return }
      let difference = ObjectDifference(change, vocabulary)
      let object = FoundObject(entity: difference.entity, id: difference.id)
      guard !found.contains(object),
        difference.properties.contains(where: { candidate in
          candidate.name == property
            && [candidate.before, candidate.after].contains { value in
              value.map { texts.contains($0.json) } ?? false
            }
        })
      else { return }
      found.append(object)
    },
    transaction: { _ in
      progress.transactions += 1
      try tick(progress)
    }
  )
  return found
}
