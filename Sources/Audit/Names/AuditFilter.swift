import Changes
import Pipeline

/// The transactions and changes that a question about a history selects.
package struct AuditFilter: Sendable {
  /// The entity, with its heirs.
  package var entity: String?
  package var id: Int64?
  /// Empty for transactions without an author.
  package var author: String?
  /// A property that changed.
  package var attribute: String?
  /// The first time, in the form of history.
  package var since: String?
  /// The time after the last one, in the form of history.
  package var until: String?
  /// The selected names at any time; nil if neither entity nor attribute is given.
  private var meant: MeantChanges?

  package init() {}

  /// Whether it selects changes, and not only transactions.
  package var isAboutChanges: Bool { entity != nil || id != nil || attribute != nil }

  /// Looks up the given names, and fails for those that the history never had.
  ///
  /// A renamed entity or attribute is found by each of its names, with all its changes.
  package mutating func resolve(_ history: History) throws {
    try resolve(history.source.schemas(), of: history.outline.path)
  }

  /// Looks up the given names in all schemas of a store, the oldest first.
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

  package func matches(_ transaction: Transaction) -> Bool {
    matches(author: transaction.author, time: transaction.time)
  }

  /// Whether a touch is selected; nil was before the history begins.
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

  package func matches(_ change: Change, transaction: Transaction) -> Bool {
    matches(change, schema: transaction.schema)
  }

  /// Whether a change under a schema with this digest is selected.
  package func matches(_ change: Change, schema: String) -> Bool {
    if let id, change.object != id { return false }
    return meant?.contain(change, schema: schema) ?? true
  }
}
