import Format
import FoundationEssentials
import SQLite

/// The transactions of a store with their changes, as a stream.
///
/// Transactions have the order of their numbers, and changes the order of theirs.
package final class AppleHistory {
  private let store: AppleStore
  private let slots: [BitmapSlots]
  /// The preserved attributes of each entity, by the number of their column.
  private let preserved: [[String]]
  private let tombstones: Range<Int32>
  private let transactions: Statement
  private let changes: Statement
  private var hasChange: Bool
  /// The transaction whose changes are read next; the highest number after the last one.
  private var current: Int64?
  /// Whether there are no more transactions.
  private var isAtEnd = false
  /// What the current transaction changes, if a to-many relationship needs it.
  private var neighbours: Neighbours?

  /// Starts to read; nil if the store has no history.
  package init?(_ store: AppleStore, after number: Int64? = nil) throws {
    guard store.tables.has("ZTIMESTAMP", in: "ATRANSACTION"),
      store.tables.has("ZTRANSACTIONID", in: "ACHANGE")
    else { return nil }
    let columns = ["Z_PK", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"]
    try store.tables.require(columns, in: "ACHANGE")
    try store.tables.require(["Z_PK"], in: "ATRANSACTION")
    self.store = store
    slots = store.model.entities.indices.map { BitmapSlots($0, of: store.model, in: store.layout) }
    preserved = store.model.entities.indices.map { index in
      store.model.lineage(of: index).flatMap { level in
        store.model.entities[level].attributes.filter {
          $0.preservesValueOnDeletion && !$0.isTransient
        }.map(\.name)
      }
    }
    let connection = store.connection
    transactions = try connection.prepare(Self.transactionQuery(store.tables, after: number))
    if let number { try transactions.bind(1, number) }
    let kept = store.tables.columns["ACHANGE", default: []].count { $0.hasPrefix("ZTOMBSTONE") }
    let names = (0..<kept).map { "ZTOMBSTONE\($0)" }
      .filter { store.tables.has($0, in: "ACHANGE") }
    tombstones = 6..<6 + Int32(names.count)
    // An index gives this order without sorting.
    changes = try connection.prepare(
      """
      SELECT \((columns + names).joined(separator: ", ")) FROM ACHANGE
      \(number == nil ? "" : "WHERE ZTRANSACTIONID > ?1") ORDER BY ZTRANSACTIONID, Z_PK
      """
    )
    if let number { try changes.bind(1, number) }
    hasChange = try changes.step()
    if slots.contains(where: { $0.toMany.count > 1 }), !store.model.isGuess {
      neighbours = try Neighbours(store, slots, after: number)
    }
  }

  private static func transactionQuery(_ tables: FileTables, after number: Int64?) -> String {
    var columns = ["t.Z_PK", "t.ZTIMESTAMP"]
    var joins = ""
    for name in ["ZAUTHOR", "ZCONTEXTNAME", "ZPROCESSID", "ZBUNDLEID"] {
      let plain = tables.has(name, in: "ATRANSACTION") ? "t.\(name)" : "NULL"
      if tables.has("\(name)TS", in: "ATRANSACTION"),
        ["Z_PK", "ZNAME"].allSatisfy({ tables.has($0, in: "ATRANSACTIONSTRING") })
      {
        // Newer frameworks keep each text once, and write no plain text.
        joins += " LEFT JOIN ATRANSACTIONSTRING \(name)S ON \(name)S.Z_PK = t.\(name)TS"
        columns.append("coalesce(\(name)S.ZNAME, \(plain))")
      } else {
        columns.append(plain)
      }
    }
    return "SELECT \(columns.joined(separator: ", ")) FROM ATRANSACTION t\(joins)"
      + (number == nil ? "" : " WHERE t.Z_PK > ?1") + " ORDER BY t.Z_PK"
  }

  /// The next transaction; nil after the last one.
  ///
  /// Changes of the last transaction that were not read are skipped.
  package func next() throws -> AppleTransaction? {
    if current != nil { while try nextChange() != nil {} }
    guard try transactions.step() else {
      (current, isAtEnd) = (.max, true)
      return nil
    }
    func text(_ column: Int32) -> String? {
      transactions.isNull(at: column) ? nil : transactions.string(at: column)
    }
    let transaction = AppleTransaction(
      number: transactions.int64(at: 0),
      time: transactions.value(at: 1),
      author: text(2),
      context: text(3),
      process: text(4),
      bundle: text(5)
    )
    current = transaction.number
    return transaction
  }

  /// The next change of the transaction; nil after its last one.
  ///
  /// Changes whose own transaction is missing precede the changes of the next transaction, or follow
  /// after the last transaction.
  package func nextChange() throws -> AppleChange? {
    guard let current, hasChange, changes.int64(at: 1) <= current else { return nil }
    let number = changes.int64(at: 1)
    try neighbours?.move(to: number)
    var change = read()
    if number < current || isAtEnd || changes.type(at: 1) != .integer {
      change.unread.append(.missingTransaction)
    }
    hasChange = try changes.step()
    return change
  }

  private func read() -> AppleChange {
    let number = changes.int64(at: 2)
    let kind = changes.type(at: 2) == .integer ? AppleChange.Kind(rawValue: number) : nil
    let entity = store.model.index(numbered: changes.int64(at: 3))
    var change = AppleChange(
      number: changes.int64(at: 0),
      transaction: changes.int64(at: 1),
      kind: kind,
      entity: entity,
      id: changes.int64(at: 4)
    )
    if kind == nil { change.unread.append(.unknownKind(number)) }
    if let entity {
      readBitmap(of: entity, into: &change)
      readTombstone(of: entity, into: &change)
    } else {
      change.unread.append(.unknownEntity(changes.int64(at: 3)))
    }
    return change
  }

  private func readBitmap(of entity: Int, into change: inout AppleChange) {
    let hasBitmap = changes.type(at: 5) == .blob
    guard change.kind == .update else {
      if hasBitmap { change.unread.append(.unexpectedBitmap) }
      return
    }
    guard hasBitmap else { return change.unread.append(.missingBitmap) }
    guard !store.model.isGuess else { return change.unread.append(.guessedModel) }
    switch slots[entity].decode(changes.bytes(at: 5)) {
    case .failure(let error): change.unread.append(.bitmap(error.reason))
    case .success(let named):
      change.properties = named.properties
      change.toMany = toMany(of: entity, count: named.toManyCount)
    }
  }

  /// The to-many relationships of an update that has this number of bits for them.
  private func toMany(of entity: Int, count: Int) -> AppleChange.ToMany {
    let all = slots[entity].toMany
    if count == 0 { return .known([]) }
    if count == all.count { return .known(all) }
    guard let neighbours, neighbours.isComplete else { return .candidates(all, count: count) }
    let possible = all.filter { neighbours.canChange($0, of: entity) }
    if possible.count == count { return .known(possible) }
    return .candidates(possible.count > count ? possible : all, count: count)
  }

  private func readTombstone(of entity: Int, into change: inout AppleChange) {
    for (index, column) in tombstones.enumerated() where !changes.isNull(at: column) {
      guard change.kind == .delete, index < preserved[entity].count else {
        change.unread.append(.unexpectedTombstone(index))
        continue
      }
      change.tombstone.append(
        AppleChange.KeptValue(attribute: preserved[entity][index], value: changes.value(at: column))
      )
    }
  }
}

extension AppleChange.ToMany {
  package var count: Int {
    switch self {
    case .known(let names): names.count
    case .candidates(_, let count): count
    }
  }
}

extension Statement {
  /// The value of a column with its storage class.
  func value(at column: Int32) -> Value {
    switch type(at: column) {
    case .null: .null
    case .integer: .integer(int64(at: column))
    case .real: .real(double(at: column))
    case .text: withText(at: column) { Value(text: $0) }
    case .blob: .blob(data(at: column))
    }
  }
}
