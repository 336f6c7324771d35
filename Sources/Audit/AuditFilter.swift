public import Pipeline
public import Store

/// Which transactions and changes are looked at; the same in all questions about a history.
public struct AuditFilter: Sendable {
  /// The entity; its heirs are meant too.
  public var entity: String?
  /// The object.
  public var id: Int64?
  /// The author; an empty text for those that have none.
  public var author: String?
  /// The property that changed.
  public var attribute: String?
  /// Nothing before this time, as history writes it.
  public var since: String?
  /// Nothing from this time on, as history writes it.
  public var until: String?
  /// The names of the entity and its heirs, as bytes.
  private var names: [[UInt8]] = []

  /// Lets everything through.
  public init() {}

  /// True where changes are told apart, and not only transactions.
  public var isAboutChanges: Bool { entity != nil || id != nil || attribute != nil }

  /// Looks up the names that were given, and refuses those that the history never had.
  public mutating func resolve(_ outline: HistoryOutline) throws {
    names = []
    if let entity { names = try family(of: entity, outline).map { Array($0.utf8) } }
    guard let attribute else { return }
    try checkAttribute(attribute, of: entity, outline) { candidate in
      names.isEmpty || names.contains(Array(candidate.utf8))
    }
  }

  /// True where a transaction may be looked at.
  public func matches(_ transaction: Transaction) -> Bool {
    if let author, (transaction.author ?? "") != author { return false }
    if let since, transaction.time < since { return false }
    if let until, transaction.time >= until { return false }
    return true
  }

  /// True where a change may be looked at.
  public func matches(_ change: Change) -> Bool {
    if let id, change.object != id { return false }
    if !names.isEmpty, !names.contains(where: { change.entity.elementsEqual($0) }) { return false }
    guard let attribute else { return true }
    let object = change.after.isEmpty ? change.before : change.after
    return members(of: Array(object)).contains { member in
      member.key.dropLast().withUnsafeBytes { parseJSONString($0) }.map(propertyName) == attribute
    }
  }
}

/// Refuses an attribute that no entity of those that are meant ever had.
func checkAttribute(
  _ attribute: String,
  of entity: String?,
  _ outline: HistoryOutline,
  isMeant: (String) -> Bool
) throws {
  let entities = outline.schemas.flatMap(\.entities).filter { isMeant($0.name) }
  let properties = Set(
    entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
  )
  guard !properties.contains(attribute) else { return }
  throw AuditError(
    .unknownName,
    "\(entity ?? "No entity of \(outline.path)") has"
      + (entity == nil ? " an attribute “\(attribute)”." : " no attribute “\(attribute)”."),
    hint: "There are \(properties.sorted().joined(separator: ", "))."
  )
}

/// The names of an entity and of all that inherit from it.
///
/// - Throws: ``AuditError`` where no schema of the history has the entity.
func family(of entity: String, _ outline: HistoryOutline) throws -> Set<String> {
  let all = outline.schemas.flatMap(\.entities)
  guard all.contains(where: { $0.name == entity }) else {
    throw AuditError(
      .unknownName,
      "There is no entity “\(entity)” in \(outline.path).",
      hint: "There are \(Set(all.map(\.name)).sorted().joined(separator: ", "))."
    )
  }
  var names: Set<String> = [entity]
  var count = 0
  while count < names.count {
    count = names.count
    for entity in all where entity.parent.map(names.contains) ?? false { names.insert(entity.name) }
  }
  return names
}
