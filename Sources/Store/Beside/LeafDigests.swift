import Pages
import SQLite

/// The digests of the leaves of a database's tables, in the history file, as they were last seen.
///
/// A leaf with the same digest has the same rows, so these rows need not be compared. A digest is
/// removed in the same transaction in which the rows of its leaf change in the history file.
struct LeafDigests {
  /// The page that stands for the whole tree, of a table whose leaves are not compared one by one.
  private static let wholeTree: UInt32 = 0

  private let connection: Connection
  private let table: String

  init(_ connection: Connection, named name: String? = nil) {
    self.connection = connection
    table = name ?? (connection.tablePrefix ?? "") + "leaf"
  }

  /// Creates the table, unless it is there.
  func create() throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(table) (
        "table" TEXT NOT NULL, "page" INTEGER NOT NULL, "digest" INTEGER NOT NULL,
        PRIMARY KEY ("table", "page")
      ) WITHOUT ROWID
      """
    )
  }

  func removeAll() throws { try connection.execute("DELETE FROM \(table)") }

  func isKnown(_ leaf: TableLeaf, of name: String) throws -> Bool {
    try digest(of: leaf.page, name) == leaf.digest
  }

  func set(_ leaf: TableLeaf, of name: String) throws {
    try set(leaf.digest, of: leaf.page, name)
  }

  func wholeTree(of name: String) throws -> PageDigest? { try digest(of: Self.wholeTree, name) }

  func setWholeTree(_ digest: PageDigest, of name: String) throws {
    try set(digest, of: Self.wholeTree, name)
  }

  private func digest(of page: UInt32, _ name: String) throws -> PageDigest? {
    let statement = try connection.cached(
      "SELECT digest FROM \(table) WHERE \"table\" = ?1 AND page = ?2"
    )
    defer { statement.reset() }
    try statement.bind(1, name)
    try statement.bind(2, Int64(page))
    guard try statement.step() else { return nil }
    return PageDigest(value: UInt64(bitPattern: statement.int64(at: 0)))
  }

  private func set(_ digest: PageDigest, of page: UInt32, _ name: String) throws {
    let statement = try connection.cached(
      "INSERT INTO \(table) VALUES (?1, ?2, ?3)"
        + " ON CONFLICT DO UPDATE SET digest = excluded.digest"
    )
    try statement.bind(1, name)
    try statement.bind(2, Int64(page))
    try statement.bind(3, Int64(bitPattern: digest.value))
    try statement.run()
  }

  /// Removes the digests of the pages of a table that do not belong to a set.
  func removeAll(of name: String, except pages: PageSet) throws {
    try remove(name) { !pages.contains($0) }
  }

  /// Removes the digests of the pages of a table that belong to a set, and that of its tree.
  func removeAll(of name: String, in pages: [UInt32]) throws {
    for page in pages + [Self.wholeTree] {
      try connection.run(
        "DELETE FROM \(table) WHERE \"table\" = ?1 AND page = ?2",
        values: [.text(name), .integer(Int64(page))]
      )
    }
  }

  private func remove(_ name: String, where isStale: (UInt32) -> Bool) throws {
    let stale = try connection.all(
      "SELECT page FROM \(table) WHERE \"table\" = ?1",
      values: [.text(name)]
    ) { UInt32(clamping: $0.int64(at: 0)) }.filter(isStale)
    try removeAll(of: name, in: stale)
  }
}
