/// The facts in a `CREATE VIRTUAL TABLE` statement.
struct VirtualTable: Hashable {
  /// The name of the module, in lower case.
  let module: String
  /// The value of FTS5's option `content`; nil if the table has its own content.
  let content: String?

  /// Reads a `CREATE VIRTUAL TABLE` statement.
  ///
  /// If a statement names no module, ``module`` is empty.
  init(sql: String) {
    let tokens = tokens(of: sql)
    let end = tokens.firstIndex { $0.isKeyword("using") } ?? tokens.endIndex
    let rest = tokens[end...].dropFirst()
    module = rest.first?.text?.lowercased() ?? ""
    content = Self.content(rest.dropFirst())
  }

  /// An option of a virtual table is at the beginning of an argument, after an opening parenthesis
  /// or a comma.
  private static func content(_ tokens: ArraySlice<SQLToken>) -> String? {
    for index in tokens.indices.dropFirst() where index + 2 < tokens.endIndex {
      guard tokens[index].isKeyword("content"), tokens[index + 1] == .symbol("="),
        tokens[index - 1] == .symbol("(") || tokens[index - 1] == .symbol(",")
      else { continue }
      // If a symbol follows instead of a value, the value is empty, and FTS5 creates a table
      // without content.
      return tokens[index + 2].text ?? ""
    }
    return nil
  }
}

/// Whether a statement creates a full-text index of FTS5.
package func isFullText(_ sql: String) -> Bool {
  let words = tokens(of: sql).prefix(2)
  guard words.count == 2, words[0].isKeyword("create"), words[1].isKeyword("virtual") else {
    return false
  }
  return VirtualTable(sql: sql).module == "fts5"
}

/// Whether a statement only creates a table, an index, a view or a trigger.
///
/// CREATE TABLE … AS also runs a query, which need not end. SQLite keeps the definition of such a table
/// without the query, so only a forged schema has it.
package func isCreation(_ sql: String) -> Bool {
  let tokens = tokens(of: sql)
  guard tokens.first?.isKeyword("create") == true else { return false }
  guard tokens.prefix(3).contains(where: { $0.isKeyword("table") }) else { return true }
  return !tokens.prefix { $0 != .symbol("(") }.contains { $0.isKeyword("as") }
}
