/// The type and constraints after a column's name in `CREATE TABLE`.
///
/// A column with several storage classes is `ANY` with a `CHECK`, which refuses values that readers
/// do not understand.
package func columnDeclaration(of attribute: Attribute, isRequired: Bool) -> String {
  let name = quoted(attribute.column)
  let null = isRequired ? " NOT NULL" : ""
  if attribute.isExternal {
    return "ANY\(null) CHECK (\(name) IS NULL OR typeof(\(name)) = 'blob'"
      + " OR (typeof(\(name)) = 'text' AND length(\(name)) = 64"
      + " AND \(name) NOT GLOB '*[^0-9a-f]*'))"
  }
  switch attribute.type {
  case .bool: return "INTEGER\(null) CHECK (\(name) IN (0, 1))"
  case .int8: return "INTEGER\(null) CHECK (\(name) BETWEEN -128 AND 127)"
  case .int16: return "INTEGER\(null) CHECK (\(name) BETWEEN -32768 AND 32767)"
  case .int32: return "INTEGER\(null) CHECK (\(name) BETWEEN -2147483648 AND 2147483647)"
  case .int64: return "INTEGER\(null)"
  case .uint8: return "INTEGER\(null) CHECK (\(name) BETWEEN 0 AND 255)"
  case .uint16: return "INTEGER\(null) CHECK (\(name) BETWEEN 0 AND 65535)"
  case .uint32: return "INTEGER\(null) CHECK (\(name) BETWEEN 0 AND 4294967295)"
  case .uint64:
    return "ANY\(null) CHECK (\(name) IS NULL OR (typeof(\(name)) = 'integer' AND \(name) >= 0)"
      + " OR (typeof(\(name)) = 'text' AND length(\(name)) = 20 AND \(name) NOT GLOB '*[^0-9]*'"
      + " AND \(name) BETWEEN '09223372036854775808' AND '18446744073709551615'))"
  case .float16, .float, .double, .date:
    return "ANY\(null) CHECK (\(name) IS NULL OR typeof(\(name)) IN ('real', 'integer')"
      + " OR \(name) = 'NaN')"
  case .decimal, .string, .uuid, .url, .json: return "TEXT\(null)"
  case .data, .transformed: return "BLOB\(null)"
  case .any: return "ANY\(null)"
  }
}
