import Format
import Pipeline

/// Finds at most `limit` objects that ever had a value, including deleted objects.
///
/// The value is a text, or JSON as in logs. The names of the entity and of the property may be
/// present or earlier names.
///
/// - Returns: The objects, in the order in which the value was set in them.
/// - Throws: ``PipelineError`` if the entity does not have the property.
package func findObjects(
  in history: History,
  entity: String,
  property: String,
  text: String,
  limit: Int = 20,
  tick: Tick = { _ in }
) throws -> [ObjectName] {
  let names = try PresentNames(history)
  let meant = try names.changes(of: entity, family: names.family(of: entity), property: property)
  guard let range = history.range else { return [] }
  let vocabulary = Vocabulary(history.outline.schema)
  var quoted: [UInt8] = []
  appendJSONString(text, to: &quoted)
  let texts =
    [quoted, Array(text.utf8)] + (vocabulary.isSpelled ? spellings(of: text) : [])
  var found: [ObjectName] = []
  func has(_ candidate: PropertyDifference) -> Bool {
    [candidate.before, candidate.after].contains { $0.map { texts.contains($0.json) } ?? false }
  }
  var progress = Progress(total: Int64(range.count))
  try history.source.read(
    range,
    wants: { _ in true },
    change: { change, opening in
      try progress.countChange(tick)
      guard found.count < limit else { return }
      let called = meant.properties(of: change, schema: opening.schema)
      guard !called.isEmpty else { return }
      var difference = ObjectDifference(change, vocabulary: vocabulary)
      guard difference.properties.contains(where: { called.contains($0.name) && has($0) }) else {
        return
      }
      names.translate(&difference, from: opening.schema, vocabulary: vocabulary)
      let object = ObjectName(difference.entity, id: difference.id)
      if !found.contains(object) { found.append(object) }
    },
    transaction: { _ in
      try progress.countTransaction(tick)
    }
  )
  return found
}

/// The forms that a value typed by a person can have in the log of an adopted file.
private func spellings(of text: String) -> [[UInt8]] {
  let values: [Value?] = [
    .text(text), Int64(text).map { Value.integer($0) }, Double(text).map { Value.real($0) },
  ]
  return values.compactMap(\.self).map { value in
    var json: [UInt8] = []
    appendCanonical(value, as: .any, to: &json)
    return json
  }
}
