import Changes
import SQLite

/// Reverts changes through the writer, and finds the later changes that depend on them.
final class Undo {
  private(set) var conflicts: [UndoConflict] = []
  private let writer: Writer
  private let format: ChangeFormat
  private let values: ChangeValues
  /// The objects with conflicts, whose other changes are not reverted.
  private var left: Set<RowKey> = []
  /// The objects that the undo deletes and does not insert again.
  private var removed: Set<RowKey> = []
  /// The references and links that the undo sets, by object.
  private var targets: [RowKey: [Lead]] = [:]

  /// A target of a reference or a link.
  private struct Lead {
    let property: String
    /// The column of the reference; nil for a link.
    let column: ColumnIndex?
    let join: JoinIndex?
    let target: RowKey
  }

  init(_ writer: Writer) throws {
    self.writer = writer
    format = ChangeFormat(writer.layouts)
    values = ChangeValues(decoders: format.decoders, blobs: writer.blobs) {
      try writer.blobs.content($0)
    }
  }

  func run(_ range: ClosedRange<Int64>) throws {
    let rows = HistoryRows(writer.connection)
    try checkSchema(range, rows: rows)
    try rows.inverses(of: range) { transaction, change in
      do {
        try apply(change)
      } catch let error as CanonicalEncodingError {
        throw rows.damaged(.unreadable(transaction, error.message))
      }
    }
    for key in removed.sorted() { try findReferences(to: key) }
    for (key, list) in targets.sorted(by: { $0.key < $1.key }) {
      try findMissing(key, leads: list)
    }
  }

  /// Throws if the schema changed since the first transaction of the range.
  private func checkSchema(_ range: ClosedRange<Int64>, rows: HistoryRows) throws {
    let head = try rows.range().head.transaction
    guard range.upperBound <= head, range.lowerBound > 0 else {
      throw HistoryFailure.noTransactions(range, head: head).at(rows.path)
    }
    let migration = try writer.connection.integer(
      """
      SELECT id FROM \(writer.connection.tables.transaction)
        WHERE id >= ?1 AND op = 'migration' ORDER BY id LIMIT 1
      """,
      values: [.integer(range.lowerBound)]
    )
    guard let migration else { return }
    throw HistoryFailure.migrated(range.lowerBound, by: migration).at(rows.path)
  }

  func refusal(_ range: ClosedRange<Int64>) throws -> StoreError {
    let later = try HistoryRows(writer.connection)
      .transactions(after: range.upperBound, changing: conflicts.map(\.object))
      // The open transaction is the undo itself, which is not a later change.
      .filter { $0.id < writer.recorder.transaction }
    return HistoryFailure.undoConflict(range, conflicts, later).at(writer.connection.path)
  }

  // MARK: Changes

  private func apply(_ change: Change) throws {
    guard let entity = format.entity(of: change) else {
      throw CanonicalEncodingError(message: "the schema has no such entity")
    }
    let key = RowKey(entity: entity, id: ObjectID(change.object))
    guard !left.contains(key) else { return }
    try format.split(change, of: entity)
    let count = conflicts.count
    switch change.kind {
    case .insert: try insert(key, change: change)
    case .delete: try delete(key, change: change)
    case .update: try update(key, change: change)
    }
    if conflicts.count > count { left.insert(key) }
  }

  /// Splits the values of a change into values of columns and links.
  private func parts(
    _ members: [ObjectDecoder.Member],
    key: RowKey
  ) -> (columns: ArraySlice<ObjectDecoder.Member>, links: ArraySlice<ObjectDecoder.Member>) {
    let columns = format.decoders[key.entity].columnCount
    let end = members.firstIndex { $0.index >= columns } ?? members.count
    return (members[..<end], members[end...])
  }

  private func insert(_ key: RowKey, change: Change) throws {
    let (columns, links) = parts(format.after, key: key)
    let row = try values.values(columns, side: .after, change: change, of: key.entity).compactMap {
      $0
    }
    guard try writer.entity(of: key) == nil else {
      return note(key, property: nil, expected: nil, found: "there")
    }
    try writer.adoptNames(key, values: row)
    try writer.insert(key.entity, id: key.id.integer, values: row)
    removed.remove(key)
    for (index, value) in row.enumerated() { noteTarget(key, at: ColumnIndex(index), value: value) }
    for member in links { try setLinks(key, member: member) }
  }

  private func update(_ key: RowKey, change: Change) throws {
    let (before, linksBefore) = parts(format.before, key: key)
    let (after, linksAfter) = parts(format.after, key: key)
    guard let row = try current(key) else {
      return note(key, property: nil, expected: "there", found: nil)
    }
    try compare(key, row: row, members: before, change: change)
    for member in linksBefore { try compareLinks(key, member: member) }
    let gone = Set(try linksBefore.flatMap { try targets(of: $0, key: key) })
    for member in linksAfter {
      for target in try targets(of: member, key: key) where !gone.contains(target) {
        guard try join(member, key: key).isLinked(key.id.integer, target: target.target) else {
          continue
        }
        note(
          key,
          property: property(member, key: key),
          expected: nil,
          found: "linked to \(target.target)"
        )
      }
    }
    guard !conflicts.contains(where: { isOf($0, key: key) }) else { return }
    let new = try values.values(after, side: .after, change: change, of: key.entity).compactMap {
      $0
    }
    for (member, value) in zip(after, new) {
      noteTarget(key, at: ColumnIndex(member.index), value: value)
    }
    if !new.isEmpty {
      try writer.adoptNames(key, values: new)
      let columns = after.map { ColumnIndex($0.index) }
      try writer.update(key.entity, id: key.id.integer, columns: columns, values: new)
    }
    for member in linksBefore { try removeLinks(key, member: member) }
    for member in linksAfter { try setLinks(key, member: member) }
  }

  private func delete(_ key: RowKey, change: Change) throws {
    let (before, links) = parts(format.before, key: key)
    guard let row = try current(key) else {
      return note(key, property: nil, expected: "there", found: nil)
    }
    try compare(key, row: row, members: before, change: change)
    let decoder = format.decoders[key.entity]
    for (offset, index) in decoder.joins.enumerated() {
      let member = links.first { $0.index == decoder.columnCount + offset }
      let expected = try member.map { try decoder.links($0) } ?? []
      let found = try writer.joins[index].targets(of: key.id.integer)
      guard found != expected else { continue }
      let name = writer.joins[index].table.logName(writer.layouts)
      note(
        key,
        property: name,
        expected: "linked to \(Self.list(expected))",
        found: "linked to \(Self.list(found))"
      )
    }
    guard !conflicts.contains(where: { isOf($0, key: key) }) else { return }
    try writer.removeAlone(key, values: row)
    removed.insert(key)
    targets[key] = nil
  }

  private static func list(_ targets: [Int64]) -> String {
    targets.isEmpty ? "nothing" : targets.map(String.init).joined(separator: ", ")
  }

  /// The present values of an object; nil if it does not exist or has another entity.
  private func current(_ key: RowKey) throws -> [Value]? {
    guard try writer.entity(of: key) == key.entity else { return nil }
    return try writer.current(key)
  }

  private func compare(
    _ key: RowKey,
    row: [Value],
    members: ArraySlice<ObjectDecoder.Member>,
    change: Change
  ) throws {
    let expected = try values.values(members, side: .before, change: change, of: key.entity)
    conflicts += try writer.differences(of: row, from: expected, members: members, key: key)
      .map { .changed($0) }
  }

  // MARK: Links

  private func join(_ member: ObjectDecoder.Member, key: RowKey) -> JoinStatements {
    let decoder = format.decoders[key.entity]
    return writer.joins[decoder.joins[member.index - decoder.columnCount]]
  }

  private func property(_ member: ObjectDecoder.Member, key: RowKey) -> String {
    join(member, key: key).table.logName(writer.layouts)
  }

  private struct Target: Hashable {
    let member: Int
    let target: Int64
  }

  private func targets(of member: ObjectDecoder.Member, key: RowKey) throws -> [Target] {
    try format.decoders[key.entity].links(member)
      .map { Target(member: member.index, target: $0) }
  }

  private func compareLinks(_ key: RowKey, member: ObjectDecoder.Member) throws {
    for target in try format.decoders[key.entity].links(member)
    where try !join(member, key: key).isLinked(key.id.integer, target: target) {
      note(key, property: property(member, key: key), expected: "linked to \(target)", found: nil)
    }
  }

  private func removeLinks(_ key: RowKey, member: ObjectDecoder.Member) throws {
    let decoder = format.decoders[key.entity]
    let index = decoder.joins[member.index - decoder.columnCount]
    for target in try decoder.links(member) {
      try writer.setLink(index, owner: key.id.integer, other: target, isLinked: false)
    }
  }

  private func setLinks(_ key: RowKey, member: ObjectDecoder.Member) throws {
    let decoder = format.decoders[key.entity]
    let index = decoder.joins[member.index - decoder.columnCount]
    let table = writer.joins[index].table
    for target in try decoder.links(member) {
      try writer.setLink(index, owner: key.id.integer, other: target, isLinked: true)
      targets[key, default: []].append(
        Lead(
          property: table.logName(writer.layouts),
          column: nil,
          join: index,
          target: RowKey(entity: table.destination, id: ObjectID(target))
        )
      )
    }
  }

  // MARK: Conflicts

  private func noteTarget(_ key: RowKey, at index: ColumnIndex, value: Value) {
    let column = writer.layouts[key.entity].columns[index]
    guard let destination = column.destination, case .integer(let id) = value else { return }
    targets[key, default: []].append(
      Lead(
        property: column.property,
        column: index,
        join: nil,
        target: RowKey(entity: destination, id: ObjectID(id))
      )
    )
  }

  private func note(_ key: RowKey, property: String?, expected: String?, found: String?) {
    conflicts.append(
      .changed(writer.difference(key, property: property, expected: expected, found: found))
    )
  }

  private func isOf(_ conflict: UndoConflict, key: RowKey) -> Bool {
    guard case .changed(let difference) = conflict else { return false }
    return difference.object == key.id && difference.entity == name(key.entity)
  }

  private func name(_ entity: EntityIndex) -> String { writer.layouts[entity].entity.name }

  /// Finds objects that refer to a deleted object.
  private func findReferences(to key: RowKey) throws {
    func note(_ other: RowKey, property: String) {
      conflicts.append(
        .referenced(
          entity: name(key.entity),
          object: key.id.integer,
          byEntity: name(other.entity),
          byObject: other.id.integer,
          property: property
        )
      )
    }
    for reference in writer.references[key.entity] {
      let property = writer.layouts[reference.source].columns[reference.column].property
      for row in try writer.pointing(at: key.id, through: reference) {
        note(row, property: property)
      }
    }
    for join in writer.joins where writer.isKind(key.entity, of: join.table.destination) {
      for owner in try join.owners(of: key.id.integer) {
        let owner = RowKey(entity: join.table.owner, id: ObjectID(owner))
        let entity = try writer.entity(of: owner) ?? owner.entity
        note(RowKey(entity: entity, id: owner.id), property: join.table.logName(writer.layouts))
      }
    }
  }

  /// Finds the references and links of an object that have a missing target.
  private func findMissing(_ key: RowKey, leads: [Lead]) throws {
    guard let row = try current(key) else { return }
    for lead in leads
    where try writer.entity(of: lead.target) == nil {
      // The undo of an older transaction may have set another target.
      let target = lead.target.id.integer
      if let column = lead.column, !row[column].isSame(as: .integer(target)) { continue }
      if let join = lead.join, try !writer.joins[join].isLinked(key.id.integer, target: target) {
        continue
      }
      let conflict = UndoConflict.missingTarget(
        entity: name(key.entity),
        object: key.id.integer,
        property: lead.property,
        toEntity: name(lead.target.entity),
        toObject: target
      )
      if !conflicts.contains(conflict) { conflicts.append(conflict) }
    }
  }
}
