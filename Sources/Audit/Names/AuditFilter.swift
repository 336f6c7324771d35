import Changes
import Pipeline
import Store

/// Which transactions and changes are looked at; the same in all questions about a history.
package struct AuditFilter: Sendable {
  /// The entity; its heirs are meant too.
  package var entity: String?
  package var id: Int64?
  /// The author; an empty text for those that have none.
  package var author: String?
  /// The property that changed.
  package var attribute: String?
  /// Nothing before this time, as history writes it.
  package var since: String?
  /// Nothing from this time on, as history writes it.
  package var until: String?
  /// What the entity and the attribute were called at any time; nil if neither is given.
  private var meant: MeantChanges?

  /// Lets everything through.
  package init() {}

  /// Whether changes are told apart, and not only transactions.
  package var isAboutChanges: Bool { entity != nil || id != nil || attribute != nil }

  /// Looks up the names that were given, and refuses those that the history never had.
  ///
  /// An entity or attribute that a migration renamed is found by each of its names, and so are its
  /// changes under all of them.
  package mutating func resolve(_ history: History) throws {
    try resolve(history.source.schemas(), of: history.outline.path)
  }

  /// Looks up the names that were given in all schemas of a store, the oldest first.
  package mutating func resolve(
    _ schemas: @autoclosure () throws -> [StoreSchema],
    of path: String
  )
    throws
  {
    meant = nil
    guard entity != nil || attribute != nil else { return }
    let names = try PresentNames(schemas(), of: path)
    let family = try entity.map { try names.family(of: $0) }
    meant = try names.changes(of: entity, family: family, property: attribute)
  }

  /// Whether a transaction may be looked at.
  package func matches(_ transaction: Transaction) -> Bool {
    matches(author: transaction.author, time: transaction.time)
  }

  /// Whether what was done may be looked at; of what is nil is known that history began later.
  func matches(_ touch: Touch?) -> Bool {
    guard let touch else { return author == nil && since == nil }
    return matches(author: touch.author, time: touch.time)
  }

  private func matches(author: String?, time: String) -> Bool {
    if let wanted = self.author, (author ?? "") != wanted { return false }
    if let since, time < since { return false }
    if let until, time >= until { return false }
    return true
  }

  /// Whether a change may be looked at, in a transaction that tells its schema.
  package func matches(_ change: Change, transaction: Transaction) -> Bool {
    matches(change, schema: transaction.schema)
  }

  /// Whether a change may be looked at that has the names of some schema, told by its digest.
  package func matches(_ change: Change, schema: String) -> Bool {
    if let id, change.object != id { return false }
    return meant?.contain(change, schema: schema) ?? true
  }
}
