/// A table, index, view or trigger of an adopted database.
package struct SchemaObject: Codable, Hashable, Sendable {
  package var type: String
  package var name: String
  /// The table that the index or trigger belongs to.
  package var table: String
  /// The statement that created the table, index, view or trigger, unchanged.
  package var sql: String

  package init(type: String, name: String, table: String, sql: String) {
    self.type = type
    self.name = name
    self.table = table
    self.sql = sql
  }
}

/// The encoding of the texts in an adopted database, if it is not UTF-8.
package enum TextEncoding: String, Codable, Hashable, Sendable {
  case utf16LittleEndian = "UTF-16le"
  case utf16BigEndian = "UTF-16be"
}

/// The highest id that SQLite ever gave to a row of an AUTOINCREMENT table.
package struct TableSequence: Codable, Hashable, Sendable {
  package var table: String
  package var last: Int64

  package init(table: String, last: Int64) {
    self.table = table
    self.last = last
  }
}

extension [TableSequence] {
  /// The text for ``Transaction/details`` of a snapshot; nil if the list is empty.
  package var details: String? { member.map { "{\($0)}" } }

  /// The member of such a text.
  package var member: String? {
    guard !isEmpty else { return nil }
    var json: [UInt8] = []
    json += #""sequences":["#.utf8
    for (index, sequence) in enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      json += #"{"table":"#.utf8
      appendJSONString(sequence.table, to: &json)
      json += #","last":\#(sequence.last)}"#.utf8
    }
    json.append(UInt8(ascii: "]"))
    return String(decoding: json, as: UTF8.self)
  }
}

extension TableSequence {
  /// The highest ids in the details of a snapshot.
  package static func list(in details: CanonicalText) -> [TableSequence] {
    guard let list = details.value(of: "sequences") else { return [] }
    return CanonicalText(list).elements.compactMap { element in
      let parts = CanonicalText(element)
      guard let table = parts.value(of: "table")?.withUnsafeBytes({ parseJSONString($0) }),
        let last = parts.value(of: "last")?.withUnsafeBytes({ parseInteger($0) })
      else { return nil }
      return TableSequence(table: table, last: last)
    }
  }
}

extension Transaction {
  /// The highest ids of AUTOINCREMENT tables in the details of a snapshot.
  package var sequences: [TableSequence] {
    guard operation == .snapshot, let details else { return [] }
    return TableSequence.list(in: CanonicalText(Array(details.utf8)))
  }
}

package struct RowIdentity: Codable, Hashable, Sendable {
  /// The columns of the key, in the order of the key; empty if only the rowid identifies a row.
  package var columns: [String]
  /// The name with which SQL reads the rowid; nil if the key identifies every row, because it can't
  /// have NULL.
  package var rowid: String?

  package init(columns: [String], rowid: String? = nil) {
    self.columns = columns
    self.rowid = rowid
  }
}
