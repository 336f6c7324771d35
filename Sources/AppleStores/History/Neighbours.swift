import Format
import SQLite

/// The kinds of changes in one transaction, which tell which to-many relationships can have changed.
///
/// The changes are read in a second stream that is one transaction ahead, so that a transaction of any
/// size needs no list of its changes.
struct Neighbours {
  /// A transaction of a real store has a few dozen kinds of changes.
  private static let most = 10_000
  /// The number of changes in `Z_PRIMARYKEY`.
  private static let changeEntity: Int64 = 16_001

  private let model: AppleModel
  private let slots: [BitmapSlots]
  private let ahead: Statement
  private var hasRow: Bool
  private var number: Int64?
  /// The entities of which an object was inserted or deleted, and those with any change.
  private var replaced: Set<Int> = []
  private var touched: Set<Int> = []
  /// The to-one relationships that changed in an update of an object of the entity.
  private var changed: Set<AppleProperty> = []
  /// Whether all changes of the transaction are there, and could be read.
  ///
  /// A migration removes the changes of removed entities, which leaves gaps in the numbers.
  private(set) var isComplete = true
  /// The number of the change before the next one, and of the last change that was ever written.
  private var last: Int64 = 0
  private let highest: Int64

  init(_ store: AppleStore, _ slots: [BitmapSlots], after number: Int64?) throws {
    model = store.model
    self.slots = slots
    ahead = try store.connection.prepare(
      """
      SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZCOLUMNS, Z_PK FROM ACHANGE
      \(number == nil ? "" : "WHERE ZTRANSACTIONID > ?1") ORDER BY ZTRANSACTIONID, Z_PK
      """
    )
    highest = store.keys.first { $0.number == Self.changeEntity }?.highest ?? 0
    if let number {
      try ahead.bind(1, number)
      let before = try store.connection.prepare(
        """
        SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID <= ?1
        ORDER BY ZTRANSACTIONID DESC, Z_PK DESC LIMIT 1
        """
      )
      try before.bind(1, number)
      if try before.step() { last = before.int64(at: 0) }
    }
    hasRow = try ahead.step()
  }

  /// Reads the changes of a transaction, whose number is higher than that of the one before.
  mutating func move(to transaction: Int64) throws {
    guard number != transaction else { return }
    number = transaction
    replaced.removeAll(keepingCapacity: true)
    touched.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    isComplete = true
    while hasRow, ahead.int64(at: 0) <= transaction {
      let number = ahead.int64(at: 4)
      if ahead.int64(at: 0) == transaction {
        if number != last + 1 { isComplete = false }
        note()
      }
      last = number
      hasRow = try ahead.step()
    }
    if last + 1 < (hasRow ? ahead.int64(at: 4) : highest + 1) { isComplete = false }
  }

  private mutating func note() {
    guard let entity = model.index(numbered: ahead.int64(at: 2)),
      let kind = AppleChange.Kind(rawValue: ahead.int64(at: 1)), changed.count < Self.most
    else {
      isComplete = false
      return
    }
    touched.insert(entity)
    guard kind == .update else {
      replaced.insert(entity)
      return
    }
    guard case .success(let named) = slots[entity].decode(ahead.bytes(at: 3)) else {
      isComplete = false
      return
    }
    for name in named.properties { changed.insert(AppleProperty(entity, name)) }
  }

  /// Whether a to-many relationship of an object can have changed in the transaction.
  func canChange(_ name: String, of entity: Int) -> Bool {
    guard let relationship = model.relationship(name, of: entity)?.relationship,
      let destination = model.index(named: relationship.destination)
    else { return true }
    // Without an inverse, the members have no change of their own.
    guard let inverse = model.inverse(of: relationship)?.relationship else { return true }
    return touched.contains { member in
      guard model.isKind(member, of: destination) else { return false }
      return inverse.isToMany || replaced.contains(member)
        || changed.contains(AppleProperty(member, inverse.name))
    }
  }
}
