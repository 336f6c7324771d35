import Format
import SQLite

/// A table of a store as it was at an earlier point, with the names and columns of that point.
///
/// Its rows are the rows that exist now and have not changed since, and the rows that changed, which
/// ``PastRows`` keeps in a temporary table.
package final class PastTable: ComputedTable {
  package struct Column: Sendable {
    package let name: String
    /// The type to which SQLite converts values of the column: its affinity.
    package let affinity: String
    /// The sort order in the definition; only the orders that SQLite itself has are used.
    let collation: String
    /// Whether SQLite computes the value.
    package let isGenerated: Bool
    /// Whether history leaves out the values, which are then NULL here.
    package internal(set) var isLeftOut = false
  }

  /// How a row that changed is found among the rows that exist now.
  enum Key {
    /// By an integer, with this name of the row ID.
    case number(String)
    /// By the name of the row in history; rows that exist now have a row ID with this name.
    case name(rowid: String)
    /// By the name of the row in history; the table has no row IDs.
    case columns([String])
    /// By both columns, because the table has links.
    case pair
  }

  /// The table that now has the rows.
  struct Present {
    /// The quoted name.
    var table: String
    /// For each column, the quoted name in this table; nil if the column was removed.
    var columns: [String?]
    /// Whether the definition is the same, so that values are compared in the same way.
    var isSame: Bool
  }

  package let name: String
  /// The place of the table in ``PastState/tables``.
  let number: Int
  /// The statement that created the table.
  package let definition: String
  package internal(set) var columns: [Column]
  let key: Key
  /// The number of the column with the integer that finds a row; nil if there is none.
  let numbered: Int?
  /// The numbers of the columns whose values name a row in history; empty if an integer finds it.
  let named: [Int]
  /// The columns with an index, as sets of column numbers; the first of each is its first column.
  let indexed: [(columns: [Int], isUnique: Bool)]
  /// The quoted name of the temporary table with the rows that changed.
  let changed: String
  /// The quoted name of the temporary table with the rows that exist now and changed.
  let hidden: String
  var present: Present?
  /// Whether the temporary table may have rows.
  var hasChanges = false
  /// Reads the changes of the table's rows, or only those of the row with a name, before a row is
  /// read.
  var readChanges: (_ name: ObjectID?) throws -> Void = { _ in }
  /// Whether a statement uses the table.
  package private(set) var isUsed = false
  private let connection: Connection
  private var searched: Set<Int> = []

  init(
    _ name: String,
    number: Int,
    definition: String,
    columns: [Column],
    key: Key,
    numbered: Int?,
    named: [Int] = [],
    indexed: [(columns: [Int], isUnique: Bool)],
    present: Present?,
    on connection: Connection
  ) {
    (self.name, self.number, self.definition) = (name, number, definition)
    (self.columns, self.key) = (columns, key)
    (self.numbered, self.named) = (numbered, named)
    (self.indexed, self.present) = (indexed, present)
    self.connection = connection
    changed = "temp.travelog_past_\(number)"
    hidden = "temp.travelog_hidden_\(number)"
  }

  /// The statement for the keys of all rows that changed after the point, of links for their owners;
  /// nil if the table that now has the rows has another name or definition.
  var changedKeys: String? {
    guard let present, present.isSame, present.table == quoted(name),
      zip(columns, present.columns).allSatisfy({ $0.isLeftOut || $1 == quoted($0.name) })
    else { return nil }
    let column = if case .pair = key { "c0" } else { "object" }
    return "SELECT \(column) FROM \(changed)"
  }

  func column(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }

  /// Whether the row ID of a row is known.
  private var hasRowID: Bool { if case .number = key { true } else { false } }

  /// The quoted name of the row ID, if nothing else identifies a row.
  var rowIDName: String? {
    guard numbered == nil, case .number(let rowid) = key else { return nil }
    return rowid
  }

  // MARK: Reading

  /// Notes that a statement will read the table.
  func use() { isUsed = true }

  /// All rows in the order of the table, with their row IDs after the columns.
  func rows() throws -> Statement {
    try readChanges(nil)
    let hasPlaces = try preparePlaces()
    let rows = try selection(of: Set(columns.indices), withPlaces: hasPlaces)
    let isSorted = if case .number = key { true } else { hasPlaces }
    // The row IDs, or the places after them, are the last column.
    let last = columns.count + (hasPlaces ? 2 : 1)
    return try connection.prepare(rows + (isSorted ? " ORDER BY \(last)" : ""))
  }

  /// Prepares the places of rows that have row IDs but are found by their names; false if the table
  /// has no such rows.
  ///
  /// Rows that changed have the places of the rows that have their keys now. The rows that were
  /// deleted since are the last ones, because their places are not known.
  private func preparePlaces() throws -> Bool {
    guard case .name = key, present != nil, hasChanges else { return false }
    let table = hidden.dropFirst("temp.".count)
    try connection.execute(
      "CREATE INDEX IF NOT EXISTS temp.\(table)_name ON \(table) (name, object)"
    )
    return true
  }

  package var declaration: String {
    columns.map { column in
      let collation = column.collation == "BINARY" ? "" : " COLLATE \(quoted(column.collation))"
      return "\(quoted(column.name)) \(column.affinity)\(collation)"
    }.joined(separator: ", ")
  }

  package func reading(
    _ terms: [ComputedTerm],
    of columns: ComputedColumns
  ) -> ComputedReading {
    isUsed = true
    var places: [Int] = []
    var found: [Int] = []
    for (place, term) in terms.enumerated() {
      guard let column = term.column ?? numbered ?? (hasRowID ? -1 : nil), !found.contains(column),
        column < 0 || canCompare(column, collation: term.collation)
      else { continue }
      places.append(place)
      found.append(column)
    }
    let used = self.columns.indices.filter { columns.contain($0) }
    let text = [used, found].map { $0.map(String.init).joined(separator: ",") }
      .joined(separator: ";")
    let isOne = found.contains { $0 < 0 || $0 == numbered && hasRowID }
    let index = indexed.filter { $0.columns.allSatisfy(found.contains) && $0.isUnique }.first
    let isNear = indexed.contains { found.contains($0.columns[0]) }
    let (rows, cost): (Int64, Double) =
      isOne || index != nil
      ? (1, 10)
      : isNear
        ? (100, 200)
        : found.isEmpty
          ? (1 << 20, 2e6)
          : (1 << 14, 1e6)
    return ComputedReading(text: text, terms: places, rows: rows, cost: cost, isUnique: isOne)
  }

  /// Whether the tables compare a column with a value as the statement does.
  ///
  /// The value may come from a column of another type, to which SQLite would convert this column. So
  /// only columns with a type are compared here, and columns with texts only with texts.
  private func canCompare(_ column: Int, collation: String) -> Bool {
    guard present?.isSame != false, columns[column].affinity != "BLOB" else { return false }
    return collation == columns[column].collation && Self.knows(collation)
  }

  /// The columns that a reading uses, and those whose values it has.
  private func parts(of reading: String) -> (used: Set<Int>, found: [Int]) {
    let parts = reading.split(separator: ";", omittingEmptySubsequences: false)
      .map { $0.split(separator: ",").compactMap { Int($0) } }
    return (Set(parts[0]), parts[1])
  }

  package func prepare(_ reading: String, values: [ComputedValue?]) throws {
    let found = parts(of: reading).found
    if let place = found.firstIndex(where: { $0 < 0 || $0 == numbered && hasRowID }) {
      guard case .integer(let number) = values[place] else { return try readChanges(nil) }
      return try readChanges(ObjectID(number))
    }
    let key = named.map { column in found.firstIndex(of: column).flatMap { values[$0] } }
    try readChanges(name(ofKey: key).map { ObjectID($0) })
  }

  /// The name of the only row whose key can equal some values; nil if several rows can.
  ///
  /// SQLite converts a text to a number, or a number to a text, before it compares some values, and
  /// the texts of some sort orders are equal although their bytes differ.
  private func name(ofKey key: [ComputedValue?]) -> RowName? {
    guard !key.isEmpty, connection.encoding == "UTF-8" else { return nil }
    var values: [Value] = []
    for (column, value) in zip(named, key) {
      switch (value, columns[column].affinity) {
      case (.integer(let number), "INTEGER"): values.append(.integer(number))
      case (.text(let text), "TEXT") where columns[column].collation == "BINARY":
        values.append(.text(text))
      default: return nil
      }
    }
    return RowName(key: values, rowid: nil)
  }

  package func statement(for reading: String, numbers: [Bool]) throws -> Statement {
    let (used, found) = parts(of: reading)
    let compared = zip(found, numbers).enumerated().filter { _, term in
      term.0 < 0 || columns[term.0].affinity != "TEXT" || !term.1
    }.map { (column: $1.0, parameter: "?\($0 + 1)") }
    return try connection.prepare(selection(of: used, where: compared))
  }

  /// The text of a statement for some columns, with the row ID after all columns; columns that are
  /// not used are NULL.
  private func selection(
    of used: Set<Int>,
    where compared: [(column: Int, parameter: String)] = [],
    withRowID: Bool = true,
    withPlaces: Bool = false
  ) throws -> String {
    var selects: [String] = []
    if let present {
      var conditions = compared.compactMap { term in
        name(of: term.column, in: present).map { "t.\($0) = \(term.parameter)" }
      }
      if hasChanges { conditions.append(isUnchanged) }
      let list = columns.indices.map { index in
        used.contains(index) ? present.columns[index].map { "t.\($0)" } ?? "NULL" : "NULL"
      }
      let last = (withRowID ? [rowID(of: "t")] : []) + (withPlaces ? [rowID(of: "t")] : [])
      selects.append(
        "SELECT " + (list + last).joined(separator: ", ")
          + " FROM main.\(present.table) AS t" + clause(conditions)
      )
    }
    if hasChanges || present == nil {
      var conditions = ["p.state > 0"]
      for (column, parameter) in compared {
        let isNumber = column < 0 || column == numbered
        conditions.append("p.\(isNumber && hasRowID ? "object" : "c\(column)") = \(parameter)")
        if column >= 0, !isNumber { try index(column) }
      }
      let list = columns.indices.map { column in
        !used.contains(column)
          ? "NULL" : column == numbered && hasRowID ? "p.object" : "p.c\(column)"
      }
      let rowID =
        switch key {
        case .number: "p.object"
        case .name, .columns: Self.rowIDInName
        case .pair: "NULL"
        }
      var last = withRowID ? [rowID] : []
      if withPlaces { last.append(place) }
      selects.append(
        "SELECT " + (list + last).joined(separator: ", ")
          + " FROM \(changed) AS p" + clause(conditions)
      )
    }
    return selects.joined(separator: " UNION ALL ")
  }

  private func clause(_ conditions: [String]) -> String {
    conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
  }

  private func name(of column: Int, in present: Present) -> String? {
    guard column < 0 else { return present.columns[column] }
    return if case .number(let rowid) = key { rowid } else { nil }
  }

  private func rowID(of alias: String) -> String {
    switch key {
    case .number(let rowid), .name(let rowid): "\(alias).\(rowid)"
    case .columns, .pair: "NULL"
    }
  }

  /// The condition that a row that exists now has not changed since.
  ///
  /// For numbers, NOT IN takes half as long as NOT EXISTS, because SQLite looks into the table without
  /// a subquery for each row.
  private var isUnchanged: String {
    let condition: String
    switch key {
    case .number(let rowid): return "t.\(rowid) NOT IN (SELECT object FROM \(changed))"
    case .name(let rowid): return "t.\(rowid) NOT IN (SELECT object FROM \(hidden))"
    case .columns(let names):
      let terms = names.enumerated().map { "h.k\($0) = t.\($1) COLLATE BINARY" }
      condition = "\(hidden) AS h WHERE \(terms.joined(separator: " AND "))"
    case .pair:
      let names = present?.columns.compactMap { $0 } ?? []
      let terms = names.enumerated().map { "h.c\($0) = t.\($1)" }
      condition = "\(changed) AS h WHERE \(terms.joined(separator: " AND "))"
    }
    return "NOT EXISTS (SELECT 1 FROM \(condition))"
  }

  /// The row ID of a changed row whose key has NULL, which is its name then; NULL for other rows.
  private static let rowIDInName =
    "CASE WHEN p.object GLOB '[[]\"rowid:*' THEN CAST(substr(p.object, 9) AS INTEGER) END"

  /// Makes an index of the changed rows for a column in which a statement looks for values.
  private func index(_ column: Int) throws {
    guard indexed.contains(where: { $0.columns[0] == column }), searched.insert(column).inserted
    else { return }
    let table = changed.dropFirst("temp.".count)
    try connection.execute("CREATE INDEX temp.\(table)_\(column) ON \(table) (c\(column))")
  }

  /// The place of a changed row among the rows that exist now; NULL if there is no order.
  private var place: String {
    guard case .name = key, present != nil else { return "NULL" }
    return "coalesce((SELECT h.object FROM \(hidden) AS h WHERE h.name = p.object), \(Int64.max))"
  }

  /// Creates a temporary view with the rows, which statements read instead of the table.
  ///
  /// The view has the row IDs too if they identify rows, under the name that `identity` gives them.
  ///
  /// - Returns: The quoted column with the order of the rows; nil if they are in no order, or in that
  ///   of the row IDs.
  func createView(identity: RowIdentity?) throws -> String? {
    let names = columns.map { quoted($0.name) }
    var rowid = identity?.rowid.map(quoted)
    if identity?.columns.isEmpty == true { rowid = rowid ?? "rowid" }
    if rowid.map(names.contains) == true { rowid = nil }
    for columns in indexed { try index(columns.columns[0]) }
    var places: String?
    if try preparePlaces() {
      var word = "place"
      while column(word) != nil || rowid == quoted(word) { word += "_" }
      places = quoted(word)
    }
    let list = (names + [rowid, places].compactMap(\.self)).joined(separator: ", ")
    let rows = try selection(
      of: Set(columns.indices),
      withRowID: rowid != nil,
      withPlaces: places != nil
    )
    try connection.execute("CREATE TEMP VIEW \(quoted(name)) (\(list)) AS \(rows)")
    return places ?? numbered.map { names[$0] }
  }

  // MARK: The changed rows

  func create() throws {
    let list = columns.indices.map {
      let collation = columns[$0].collation
      return ", c\($0) \(columns[$0].affinity)"
        + (collation == "BINARY" || !Self.knows(collation) ? "" : " COLLATE \(collation)")
    }.joined()
    switch key {
    case .number:
      try connection.execute(
        "CREATE TABLE \(changed) (object INTEGER PRIMARY KEY, state INTEGER, known BLOB\(list))"
      )
    case .name, .columns:
      try connection.execute(
        "CREATE TABLE \(changed) (object PRIMARY KEY, state INTEGER, known BLOB\(list))"
          + " WITHOUT ROWID"
      )
    case .pair:
      try connection.execute(
        "CREATE TABLE \(changed) (c0 INTEGER, c1 INTEGER, state INTEGER, PRIMARY KEY (c0, c1))"
          + " WITHOUT ROWID"
      )
    }
    switch key {
    case .name:
      try connection.execute("CREATE TABLE \(hidden) (object INTEGER PRIMARY KEY, name)")
    case .columns(let names):
      let keys = names.indices.map { "k\($0) \(affinity(ofPresent: names[$0]))" }
      let list = names.indices.map { "k\($0)" }.joined(separator: ", ")
      try connection.execute(
        "CREATE TABLE \(hidden) (\(keys.joined(separator: ", ")), PRIMARY KEY (\(list)))"
          + " WITHOUT ROWID"
      )
    case .number, .pair: break
    }
  }

  private func affinity(ofPresent name: String) -> String {
    let index = present?.columns.firstIndex(of: name)
    return index.map { columns[$0].affinity } ?? "BLOB"
  }

  /// Whether SQLite itself has a sort order.
  private static func knows(_ collation: String) -> Bool {
    ["BINARY", "NOCASE", "RTRIM"].contains(collation.uppercased())
  }
}

/// The affinity of a declared type.
func affinity(ofType type: String, isStrict: Bool) -> String {
  let type = type.uppercased()
  if isStrict, type == "ANY" { return "BLOB" }
  if type.contains("INT") { return "INTEGER" }
  if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "TEXT" }
  if type.contains("BLOB") || type.isEmpty { return "BLOB" }
  if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return "REAL" }
  return "NUMERIC"
}
