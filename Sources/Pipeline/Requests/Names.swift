import Format
import Store

/// Throws if no schema of a history has an entity.
func checkEntity(_ name: String, schemas: [StoreSchema], path: String) throws {
  let names = Set(schemas.flatMap(\.entities).map(\.name))
  guard !names.contains(name) else { return }
  let known = names.sorted()
  throw PipelineError(.unknownName, names: (name, known)) {
    "There is no entity or table \(inQuotes(abbreviated(name))) in \(path)."
      + "\nThe known names are \(listText(known))."
  }
}

/// Throws if no entity in the family of an entity ever had a property.
func checkProperty(
  _ name: String,
  of entity: String,
  schemas: [StoreSchema],
  path: String
) throws {
  var names: Set<String> = []
  for layouts in try schemas.map({ try $0.layouts() }) {
    guard let layout = layouts.first(where: { $0.entity.name == entity }) else { continue }
    let root = layouts[layout.ancestors.last ?? layout.index]
    names.formUnion(root.family.flatMap { layouts[$0].columns.map(\.property) })
  }
  guard !names.contains(name) else { return }
  let known = names.sorted()
  throw PipelineError(.unknownName, names: (name, known)) {
    "\(entity) in \(path) does not have an attribute, a to-one relationship or a column"
      + " \(inQuotes(abbreviated(name))).\nThe known names are \(listText(known))."
  }
}

/// The columns of a table that SQLite computes from others, whose values they show.
func generatedColumns(of entity: String, in schemas: [StoreSchema]) -> [String] {
  let attributes = schemas.flatMap(\.entities).filter { $0.name == entity }.flatMap(\.attributes)
  return Set(attributes.filter { $0.isGenerated == true }.map(\.name)).sorted()
}

/// Throws if a column is a part of the key of its table, so that its value is in the ids of the rows.
func checkIsNotKey(
  _ name: String,
  of entity: String,
  schemas: [StoreSchema],
  flag: String
) throws {
  let isKey = schemas.contains { schema in
    schema.entities.contains {
      $0.name == entity && $0.identity?.columns.contains(name) == true
    }
  }
  guard isKey else { return }
  throw PipelineError(.misuse) {
    "\(name) is a part of the key of \(entity), so its value is in the id of the row, which the logs"
      + " keep.\nLeave out \(flag)."
  }
}

/// Throws if an entity, or one of its properties, has another name now.
func checkIsNotRenamed(
  _ entity: String,
  property: String? = nil,
  schemas: [StoreSchema],
  flag: (_ name: String) -> String
) throws {
  guard let present = try presentName(ofEntity: entity, property: property, schemas: schemas)
  else { return }
  let old = entity + (property.map { ".\($0)" } ?? "")
  let new = present.entity + (present.property.map { ".\($0)" } ?? "")
  guard new != old else { return }
  throw PipelineError(.missing) { "\(old) is named \(new) now.\nName it: \(flag(new))" }
}
