import CZlib
import Foundation
import SQLite

extension AppleFile {
  /// Creates the tables of entities and of many-to-many relationships.
  func createTables() throws {
    for root in layout.columns.keys.sorted() {
      let columns = (layout.columns[root] ?? []).map { ", \($0.name) \($0.type)" }.joined()
      try connection.execute(
        """
        CREATE TABLE \(FileLayout.table(root)) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER,
        Z_OPT INTEGER\(columns) )
        """
      )
    }
    for join in layout.joins.values.sorted(by: { $0.table < $1.table }) {
      let columns = (join.columns + join.orders).map { "\($0) INTEGER, " }.joined()
      let key = join.columns.joined(separator: ", ")
      try connection.execute("CREATE TABLE \(join.table) ( \(columns)PRIMARY KEY (\(key)) )")
    }
    for entity in model.entities {
      for unique in entity.uniques {
        let columns = layout.columns(of: entity.name).filter { column in
          switch column.source {
          case .attribute(let place, _), .reference(let place): unique.contains(place.name)
          default: false
          }
        }.map { "\($0.name) COLLATE BINARY ASC" }
        let name = "Z_\(entity.name)_UNIQUE_\(unique.joined(separator: "_"))"
        try connection.execute(
          """
          CREATE UNIQUE INDEX \(name) ON \(FileLayout.table(model.root(of: entity.name)))
          (\(columns.joined(separator: ", ")))
          """
        )
      }
    }
  }

  func createBookkeeping() throws {
    try connection.execute(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      """
    )
    try writeModel()
    guard history != .none else { return }
    let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
    let interned = history == .interned ? names.map { "Z\($0)TS INTEGER, " }.joined() : ""
    let kept = (0..<keptCount).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    try connection.execute(
      """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
        ZCOLUMNS BLOB\(kept) );
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        \(interned)ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
        ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
      CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
      """
    )
    guard history == .interned else { return }
    try connection.execute(
      """
      CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZNAME VARCHAR );
      CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME);
      """
    )
  }

  /// How many columns for kept values the history has.
  var keptCount: Int { model.entities.map { model.preserved(of: $0.name).count }.max() ?? 0 }

  /// Writes the metadata and the archived model.
  func writeModel() throws {
    let list: Plist = .dictionary([
      ("NSStoreType", .text("SQLite")),
      ("NSPersistenceFrameworkVersion", .integer(history == .inline ? 851 : 1414)),
      ("NSStoreModelVersionIdentifiers", .array([.text(version)])),
      (
        "NSStoreModelVersionHashes",
        .dictionary(model.entities.map { ($0.name, .data([1, 2, 3])) })
      ),
      ("NSStoreModelVersionHashesDigest", .text(digest)),
      ("NSPersistentHistoryTrackingKey", .bool(history != .none)),
    ])
    try connection.execute("DELETE FROM Z_METADATA; DELETE FROM Z_MODELCACHE")
    try execute(
      "INSERT INTO Z_METADATA VALUES (1, ?1, ?2)",
      values: [.text(uuid), .blob(list.bytes)]
    )
    try execute("INSERT INTO Z_MODELCACHE VALUES (?1)", values: [.blob(deflated(model.archive()))])
  }

  /// Reserves the ids of new objects in these tables, in the first save for all tables.
  func writeKeys(_ roots: [String]) throws {
    if keyNames.isEmpty {
      for name in model.numbered { keyNames[name] = name }
      try insertKeys()
    }
    for root in roots {
      try execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2",
        [highest[root, default: 0], layout.numbers[root] ?? 0]
      )
    }
  }

  func insertKeys() throws {
    var all = layout.numbers.map { name, number in
      let parent = model[name]?.parent
      let last = parent == nil ? highest[name, default: 0] : 0
      return (number, keyNames[name] ?? name, parent.flatMap { layout.numbers[$0] } ?? 0, last)
    }
    if history != .none {
      all.append((16_001, "CHANGE", 0, highestChange))
      all.append((16_002, "TRANSACTION", 0, highestTransaction))
    }
    // More numbers than texts are reserved.
    if history == .interned { all.append((16_003, "TRANSACTIONSTRING", 0, 100)) }
    for (number, name, parent, last) in all {
      try execute(
        "INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, ?4)",
        values: [.integer(number), .text(name), .integer(parent), .integer(last)]
      )
    }
  }
}

/// DEFLATE without a header.
package func deflated(_ bytes: [UInt8]) -> [UInt8] {
  var size = compressBound(UInt(bytes.count))
  var result = [UInt8](repeating: 0, count: Int(size))
  compress2(&result, &size, bytes, UInt(bytes.count), 6)
  // Without the header of zlib and its checksum.
  return Array(result[2..<Int(size) - 4])
}
