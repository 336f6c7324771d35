import Format
import Pipeline

/// The transactions and changes that a question selects from a history.
package struct AuditFilter: Sendable {
  /// The name of an entity; entities that inherit from this entity are selected too.
  package var entity: String?
  package var id: ObjectID?
  /// The name of an author; empty to select transactions without an author.
  package var author: String?
  /// A reason; empty to select transactions without a reason.
  package var reason: String?
  /// A request; empty to select transactions without a request.
  package var request: String?
  /// The selected kinds of changes; empty to select all kinds.
  package var kinds: Set<ChangeKind> = []
  /// The property that a change must set to be selected.
  package var attribute: String?
  /// The earliest selected time, in the form of times in the history.
  package var since: String?
  /// A history token of Core Data or SwiftData, after which transactions are selected: the last
  /// transaction of each store.
  package var token: [String: Int64]?
  /// The last transaction that the token covers; nil without a token.
  private var covered: Int64?
  /// The time before which transactions are selected, in the form of times in the history.
  package var until: String?
  /// The selected names under each schema; nil if neither an entity nor an attribute is given.
  private var meant: MeantChanges?

  package init() {}

  /// Whether the filter selects single changes, instead of only whole transactions.
  package var isAboutChanges: Bool {
    entity != nil || id != nil || attribute != nil || !kinds.isEmpty
  }

  /// Looks up the given names; throws if a name never occurs in the history.
  ///
  /// A renamed entity or attribute is found by each of its names, and all its changes are selected.
  package mutating func resolve(_ history: History) throws {
    try resolveToken(history)
    try resolve(history.source.schemas(), of: history.outline.path)
  }

  /// Finds the transactions that the token covers.
  mutating func resolveToken(_ history: History) throws {
    covered = try token.map { try history.last(coveredBy: $0) }
  }

  /// Looks up the given names in all schemas of a store; the oldest schema is first.
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

  /// Returns a copy of this filter for each history, with the names of entities and attributes in
  /// it.
  ///
  /// - Throws: ``PipelineError`` if none of the histories ever had the names.
  package func resolved(for histories: [History]) throws -> [AuditFilter] {
    var unknown: PipelineError?
    var isKnown = histories.isEmpty
    let filters = try histories.map { history in
      var filter = self
      do {
        try filter.resolve(history)
        isKnown = true
      } catch let error as PipelineError where error.code == .unknownName {
        // This history never had the names, so none of its changes are selected. But another
        // history may have them.
        filter.meant = MeantChanges()
        unknown = unknown ?? error
      }
      return filter
    }
    if let unknown, !isKnown { throw unknown }
    return filters
  }

  /// Whether the filter can select a transaction whose closing line is not read yet.
  ///
  /// Only the closing line in a log has the reason and the request of a transaction.
  package func mayMatch(_ opening: Transaction) -> Bool {
    isAfterToken(opening.id) && matches(author: opening.author, time: opening.time)
  }

  private func isAfterToken(_ transaction: Int64) -> Bool {
    covered.map { transaction > $0 } ?? true
  }

  /// Whether only the closing line of a transaction shows whether the filter selects it.
  var needsClosingLine: Bool { reason != nil || request != nil }

  package func matches(_ transaction: Transaction) -> Bool {
    mayMatch(transaction)
      && matches(reason: transaction.reason, request: transaction.request)
  }

  /// Whether the filter selects a value that a transaction set.
  ///
  /// `touch` is nil if the value was set before the history begins.
  func matches(_ touch: Touch?) -> Bool {
    guard let touch else {
      return author == nil && !needsClosingLine && since == nil && token == nil
    }
    return isAfterToken(touch.transaction)
      && matches(author: touch.author, time: touch.time)
      && matches(reason: touch.reason, request: touch.request)
  }

  private func matches(author: String?, time: String) -> Bool {
    if let wanted = self.author, (author ?? "") != wanted { return false }
    if let since, time < since { return false }
    if let until, time >= until { return false }
    return true
  }

  private func matches(reason: String?, request: String?) -> Bool {
    if let wanted = self.reason, (reason ?? "") != wanted { return false }
    if let wanted = self.request, (request ?? "") != wanted { return false }
    return true
  }

  package func matches(_ change: Change, transaction: Transaction) -> Bool {
    matches(change, schema: transaction.schema)
  }

  /// Whether the filter selects a change; `schema` is the digest of the schema of its transaction.
  package func matches(_ change: Change, schema: String) -> Bool {
    if !kinds.isEmpty, !kinds.contains(change.kind) { return false }
    if let id, !change.isOf(id) { return false }
    return meant?.contain(change, schema: schema) ?? true
  }
}
