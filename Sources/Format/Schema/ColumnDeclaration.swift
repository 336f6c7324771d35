/// The type and constraints after a column's name in `CREATE TABLE`.
package func columnDeclaration(of attribute: Attribute, isRequired: Bool) -> String {
  let name = quoted(attribute.column)
  let null = isRequired ? " NOT NULL" : ""
  if attribute.isExternal {
    return "ANY\(null) CHECK (\(name) IS NULL OR typeof(\(name)) = 'blob'"
      + " OR (typeof(\(name)) = 'text' AND length(\(name)) = 64"
      + " AND \(name) NOT GLOB '*[^0-9a-f]*'))"
  }
  return attribute.type.form.declaration(of: name, null: null)
}
