import AppleStores
import Format
import Pages

/// The objects that a commit of the write-ahead log may have changed, found from its pages.
struct AppleCommit {
  /// The ids by the topmost entity of a table.
  private(set) var ids: [Int: Set<Int64>] = [:]
  /// Changed rows of the tables of links.
  private var linkRows: [(links: AppleLinks, root: Int, rows: [Int64])] = []
  /// The numbers of changed transactions, and how many changes of history differ.
  private let transactions: [Int64]
  private let changeCount: Int

  var isEmpty: Bool { ids.isEmpty && transactions.isEmpty && changeCount == 0 }

  /// Compares the shown state with the next one.
  init(_ apple: AppleDatabase, _ next: AppleDatabase.State, _ objects: AppleObjects) throws {
    let (old, new) = (apple.state, next)
    let pages = try Pages.Comparison(old.view, new.view)
    func changed(_ table: String) throws -> [Int64] {
      guard let root = old.roots[table], let newRoot = new.roots[table] else { return [] }
      var result: [Int64] = []
      _ = try pages.forEachChangedRow(ofTable: root, newRoot: newRoot) { result.append($0) }
      return result
    }
    for root in objects.roots {
      guard let table = apple.store.layout.table(of: root) else { continue }
      let found = try changed(table.name)
      if !found.isEmpty { ids[root] = Set(found) }
    }
    for table in objects.linkTables {
      let rows = try changed(table.name)
      if !rows.isEmpty { linkRows.append((table.links, table.root, rows)) }
    }
    transactions = try changed("ATRANSACTION")
    changeCount = try changed("ACHANGE").count
    try finish(objects)
  }

  /// Whether the commit only added to history, which the shown state has after it.
  func onlyAddsHistory(after newest: Int64?, _ apple: AppleDatabase) throws -> Bool {
    guard let newest else { return true }
    guard transactions.allSatisfy({ $0 > newest }) else { return false }
    guard changeCount > 0 else { return true }
    let added = try apple.store.connection.integer(
      "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID > ?1",
      values: [.integer(newest)]
    )
    return added == Int64(changeCount)
  }

  /// Adds the owners of changed links, as the shown state has them.
  mutating func finish(_ objects: AppleObjects) throws {
    for (links, root, rows) in linkRows {
      for row in rows {
        if let owner = try links.owner(ofRow: row) { ids[root, default: []].insert(owner) }
      }
    }
  }
}
