/// A row of the table `sqlite_schema`, whose root is the first page.
package struct SchemaEntry: Hashable, Sendable {
  /// Such as `table` or `index`.
  package let type: String
  package let name: String
  package let table: String
  /// The root page of the b-tree; zero for a view, a trigger or a virtual table.
  package let root: UInt32
  /// The statement that created the object; nil for the index of a constraint.
  package let sql: String?
}

extension DatabaseView {
  /// Calls the closure with each table, index, view and trigger of the schema.
  package func forEachSchemaEntry(
    _ body: (SchemaEntry) throws(PageError) -> Void
  ) throws(PageError) {
    guard let header else { return }
    var rows = try Cursor(self, root: 1)
    while try rows.next() {
      var texts: [String?] = []
      for column in [0, 1, 2, 4] {
        guard case .text(let bytes)? = try rows.value(at: column) else {
          texts.append(nil)
          continue
        }
        texts.append(header.encoding.string(bytes))
      }
      guard let type = texts[0], let name = texts[1], let table = texts[2] else {
        throw .corrupt(page: rows.page, "a row of the schema has values of other types")
      }
      var root: UInt32 = 0
      if case .integer(let number)? = try rows.value(at: 3) { root = UInt32(clamping: number) }
      try body(
        SchemaEntry(type: type, name: name, table: table, root: root, sql: texts[3])
      )
    }
  }
}

extension DatabaseHeader.Encoding {
  /// A text of the database, where bytes that are not text become U+FFFD.
  package func string(_ bytes: UnsafeRawBufferPointer) -> String {
    guard self != .utf8 else { return String(decoding: bytes, as: UTF8.self) }
    let units = (0..<bytes.count / 2).map { index in
      let unit = bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
      return self == .utf16BigEndian ? UInt16(bigEndian: unit) : UInt16(littleEndian: unit)
    }
    return String(decoding: units, as: UTF16.self)
  }
}
