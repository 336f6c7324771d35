import AppleStores
import Format
import Pages
import SQLite

/// The beginning of a store's history as it was read, so that the next reading need not compare it
/// again.
///
/// Apps add to history, and delete from its beginning. So the pages before the last one of each
/// table stay the same until something is deleted.
struct AppleHistoryPart: Codable {
  /// The leaves of a table before the last one.
  private struct Beginning: Codable {
    var leaves = 0
    /// A digest of the leaves in their order.
    var digest: UInt64 = 0
    /// The last row ID; nil if there is no row.
    var last: Int64?
  }

  private var transactions = Beginning()
  private var changes = Beginning()
  /// A digest of the texts and of the numbers of entities.
  private var names = ""
  /// The highest number among these texts.
  private var highestText: Int64 = 0
  /// The first transaction that has a change behind these leaves; nil if there is none.
  private var next: Int64?

  /// The present beginning of history, and the last transaction that is the same as when `known`
  /// was made, with all transactions before it; nil if the tables can't be read by pages.
  static func read(
    _ apple: AppleDatabase,
    since known: AppleHistoryPart?
  ) throws -> (now: AppleHistoryPart, same: Int64?)? {
    let connection = apple.store.connection
    guard let transactions = try beginning("ATRANSACTION", apple, known?.transactions),
      let changes = try beginning("ACHANGE", apple, known?.changes)
    else { return nil }
    func next(after row: Int64?) throws -> Int64? {
      try connection.integer(
        "SELECT min(ZTRANSACTIONID) FROM ACHANGE WHERE Z_PK > ?1",
        values: [.integer(row ?? .min)]
      )
    }
    var now = AppleHistoryPart(transactions: transactions.now, changes: changes.now)
    now.next = try next(after: changes.now.last)
    now.highestText = try highestText(apple)
    now.names = try names(apple, through: now.highestText)
    guard let known, transactions.isSame, changes.isSame, let last = known.transactions.last,
      try names(apple, through: known.highestText) == known.names
    else { return (now, nil) }
    let changed = try [known.next, next(after: known.changes.last)].compactMap(\.self).min()
    return (now, min(last, changed.map { $0 - 1 } ?? last))
  }

  private init(transactions: Beginning, changes: Beginning) {
    (self.transactions, self.changes) = (transactions, changes)
  }

  private static func beginning(
    _ table: String,
    _ apple: AppleDatabase,
    _ known: Beginning?
  ) throws -> (now: Beginning, isSame: Bool)? {
    guard let root = apple.state.roots[table], try apple.state.view.hasRowIDs(tree: root) else {
      return nil
    }
    var (now, next) = (Beginning(), Beginning())
    var isSame = known?.leaves == 0
    try apple.state.view.forEachLeaf(ofTable: root) { leaf in
      now = next
      next.leaves += 1
      next.digest = PageDigest(value: next.digest).following(leaf.digest).value
      next.last = leaf.rows?.upperBound ?? next.last
      if next.leaves == known?.leaves { isSame = next.digest == known?.digest }
    }
    return (now, isSame)
  }

  private static func hasTexts(_ apple: AppleDatabase) -> Bool {
    ["Z_PK", "ZNAME"].allSatisfy { apple.store.tables.has($0, in: "ATRANSACTIONSTRING") }
  }

  private static func highestText(_ apple: AppleDatabase) throws -> Int64 {
    guard hasTexts(apple) else { return 0 }
    return try apple.store.connection.integer("SELECT max(Z_PK) FROM ATRANSACTIONSTRING") ?? 0
  }

  private static func names(_ apple: AppleDatabase, through last: Int64) throws -> String {
    var hash = SHA256()
    for key in apple.store.keys { hash.update(Array("\(key.number) \(key.name)\n".utf8)) }
    guard hasTexts(apple) else { return hash.finish().description }
    let texts = try apple.store.connection.prepare(
      "SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK <= ?1 ORDER BY Z_PK"
    )
    try texts.bind(1, last)
    while try texts.step() {
      hash.update(Array("\(texts.int64(at: 0)) \(texts.string(at: 1))\n".utf8))
    }
    return hash.finish().description
  }
}
