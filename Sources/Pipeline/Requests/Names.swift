import Format

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
