import Foundation
import SQLite

/// A file in the layout of Core Data and SwiftData, which a test changes as a program does.
///
/// The properties of this class are the record of what the program did; they are not read from the
/// file.
package final class AppleFile {
  package enum HistoryLayout: CaseIterable, Sendable {
    /// Without history.
    case none
    /// Texts in the rows of transactions, as in macOS 10.13.
    case inline
    /// Texts in a table of their own.
    case interned
  }

  package struct Object: Hashable, Sendable {
    /// The topmost entity, in whose table the object is.
    package let root: String
    package let id: Int64

    package init(root: String, id: Int64) {
      self.root = root
      self.id = id
    }
  }

  package struct Row: Hashable, Sendable {
    package var entity: String
    /// Attributes and to-one relationships by name.
    ///
    /// `_Owner_relationship` is the owner of a member without an inverse, and `_relationship_order`
    /// the place of a member.
    package var values: [String: FileValue]
    var saves: Int64 = 0
  }

  package struct Link: Hashable, Sendable {
    package let owner: Int64
    package let target: Int64

    package init(owner: Int64, target: Int64) {
      self.owner = owner
      self.target = target
    }
  }

  package struct Transaction: Sendable {
    package let number: Int64
    package let time: Double
    package let author: String?
    package let context: String?
    /// The digest of the model before a migration.
    package var migratedFrom: String?
    package var changes: [Change] = []
  }

  package struct Change: Hashable, Sendable {
    /// The number in the file.
    package let number: Int64
    /// 0 for an insert, 1 for an update, 2 for a delete.
    package let kind: Int64
    package var entity: String
    package let id: Int64
    /// What an update changed; parts of a property have a slash.
    package var slots: Set<String> = []
    /// The values that history keeps of a deleted object.
    package var tombstone: [String: FileValue] = [:]
    /// The properties that an update names.
    package var properties: Set<String> {
      Set(slots.map { String($0.prefix { $0 != "/" }) })
    }
  }

  private enum Kind: Int64 { case insert, update, delete }

  private struct Edit {
    var kind: Kind
    /// The row before the first change since the last save.
    var original: Row?
    var slots: Set<String> = []
    /// Those that a to-many relationship has got or lost since the last save.
    var members: [String: Set<Int64>] = [:]
  }

  package let url: URL
  package let history: HistoryLayout
  package let uuid: String
  /// The version of the model that the program declares.
  package let version: String
  package let connection: Connection
  package internal(set) var model: FileModel
  package internal(set) var rows: [Object: Row] = [:]
  package internal(set) var transactions: [Transaction] = []
  package internal(set) var digest = "model-1=="
  var layout: FileLayout
  /// The places in an order by link, by the relationship that names the join table.
  var links: [Property: [Link: Int64]] = [:]
  var highest: [String: Int64] = [:]
  var highestChange: Int64 = 0
  var highestTransaction: Int64 = 0
  /// The names of entities in `Z_PRIMARYKEY`, which a migration does not change.
  var keyNames: [String: String] = [:]
  private var edits: [Object: Edit] = [:]
  /// The join rows to write, with nil for those to remove.
  private var linkEdits: [Property: [Link: Int64?]] = [:]
  private var strings: [String: Int64] = [:]
  /// The names of the files of large values.
  private var externalNames: [[UInt8]: String] = [:]
  private var places: Int64 = 0
  private var pin: Connection?

  package static let bundle = "org.example.music"
  package static let process = "Music"

  /// Creates a file with a write-ahead log that is never checkpointed by itself.
  package init(
    _ url: URL,
    _ model: FileModel,
    history: HistoryLayout = .interned,
    uuid: String = "8F2C1F6E-3C0A-4B53-9A6B-0D6A7F8C1E11",
    version: String = "2.1.0",
    journal: String = "WAL"
  ) throws {
    (self.url, self.model, self.history, self.uuid) = (url, model, history, uuid)
    self.version = version
    layout = FileLayout(model)
    connection = try Connection(path: url.path, mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA auto_vacuum = 2; PRAGMA journal_mode = \(journal); PRAGMA synchronous = OFF;
      PRAGMA wal_autocheckpoint = 0;
      """
    )
    try connection.inTransaction {
      try createTables()
      try createBookkeeping()
    }
    try checkpoint()
  }

  // MARK: Objects

  package func insert(_ entity: String, _ values: [String: FileValue] = [:]) -> Object {
    let root = model.root(of: entity)
    highest[root, default: 0] += 1
    let object = Object(root: root, id: highest[root, default: 0])
    rows[object] = Row(entity: entity, values: [:])
    edits[object] = Edit(kind: .insert)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { set(object, name, value) }
    return object
  }

  private func change(_ object: Object, _ slots: String...) {
    guard let row = rows[object] else { return }
    edits[object, default: Edit(kind: .update, original: row)].slots.formUnion(slots)
  }

  /// Notes that a to-many relationship gets or loses an object, or the contrary of what it was noted.
  private func toggle(_ owner: Object, _ name: String, _ member: Object) {
    change(owner)
    edits[owner]?.members[name, default: []].formSymmetricDifference([member.id])
  }

  /// Saves an object again without a change, which history does not have.
  package func touch(_ object: Object) { change(object) }

  /// Sets an attribute or, by the id of its destination, a to-one relationship.
  package func set(_ object: Object, _ name: String, _ value: FileValue) {
    guard let row = rows[object] else { return }
    if let (_, relationship) = model.relationship(name, of: row.entity) {
      refer(object, relationship, to: value.id)
      return
    }
    guard row.values[name] != value else { return }
    change(object)
    if model.leavesHaveBits, case .leaves(let leaves) = value {
      for (index, leaf) in leaves.enumerated() {
        guard case .leaves(let before)? = row.values[name], before[index] == leaf else {
          change(object, "\(name)/\(index)")
          continue
        }
      }
    } else {
      change(object, name)
    }
    rows[object]?.values[name] = value
  }

  private func refer(_ object: Object, _ relationship: FileModel.Relationship, to id: Int64?) {
    let name = relationship.name
    guard let row = rows[object], row.values[name]?.id != id else { return }
    let root = model.root(of: relationship.destination)
    let before = row.values[name]?.id.map { Object(root: root, id: $0) }
    let after = id.map { Object(root: root, id: $0) }
    let inverse = model.inverse(of: relationship)?.relationship
    change(object, name)
    if layout.hasEntityColumn(relationship), before.map(entity) != after.map(entity) {
      change(object, "\(name)/entity")
    }
    rows[object]?.values[name] = id.map { .integer($0) } ?? .null
    guard let inverse else { return }
    guard inverse.isToMany else {
      // Both sides have a column.
      if let before, rows[before]?.values[inverse.name]?.id == object.id {
        refer(before, inverse, to: nil)
      }
      if let after { refer(after, inverse, to: object.id) }
      return
    }
    for other in [before, after] {
      if let other { toggle(other, inverse.name, object) }
    }
    if inverse.isOrdered {
      change(object, "\(name)/order")
      rows[object]?.values["_\(inverse.name)_order"] = after == nil ? .null : nextPlace()
    }
  }

  private func entity(_ object: Object) -> String { rows[object]?.entity ?? "" }

  private func nextPlace() -> FileValue {
    places += 1024
    return .integer(places)
  }

  /// Adds an object to a to-many relationship, or removes it.
  package func link(_ owner: Object, _ name: String, _ member: Object, isMember: Bool = true) {
    guard let row = rows[owner],
      let (declaring, relationship) = model.relationship(name, of: row.entity)
    else { return }
    guard let inverse = model.inverse(of: relationship)?.relationship else {
      let hidden = "_\(declaring)_\(name)"
      let before = rows[member]?.values[hidden]?.id
      guard (before == owner.id) != isMember else { return }
      let owners = Set([before, isMember ? owner.id : nil].compactMap { $0 })
      for id in owners { toggle(Object(root: owner.root, id: id), name, member) }
      // The member is saved, but no property of it has changed.
      change(member)
      rows[member]?.values[hidden] = isMember ? .integer(owner.id) : .null
      if relationship.isOrdered {
        rows[member]?.values["_\(name)_order"] = isMember ? nextPlace() : .null
      }
      return
    }
    guard inverse.isToMany else {
      let isNow = rows[member]?.values[inverse.name]?.id == owner.id
      if isNow != isMember { refer(member, inverse, to: isMember ? owner.id : nil) }
      return
    }
    guard let (join, isOwner) = layout.join(of: Property(declaring, name)) else { return }
    var all = [isOwner ? Link(owner: owner.id, target: member.id) : nil].compactMap { $0 }
    if !isOwner || join.isSymmetric { all.append(Link(owner: member.id, target: owner.id)) }
    guard (links[join.owner]?[all[0]] != nil) != isMember else { return }
    toggle(owner, name, member)
    if owner != member || !join.isSymmetric { toggle(member, inverse.name, owner) }
    for link in all {
      let place = nextPlace().id ?? 0
      links[join.owner, default: [:]][link] = isMember ? place : nil
      linkEdits[join.owner, default: [:]].updateValue(isMember ? place : nil, forKey: link)
    }
  }

  /// Moves a member of an ordered relationship to the end.
  package func moveToEnd(_ member: Object, _ toOne: String) {
    guard let row = rows[member], let id = row.values[toOne]?.id,
      let relationship = model.relationship(toOne, of: row.entity)?.relationship,
      let inverse = model.inverse(of: relationship)?.relationship, inverse.isOrdered
    else { return }
    change(member, "\(toOne)/order")
    change(Object(root: model.root(of: relationship.destination), id: id), inverse.name)
    rows[member]?.values["_\(inverse.name)_order"] = nextPlace()
  }

  /// The members of a to-many relationship.
  package func members(_ owner: Object, _ name: String) -> Set<Int64> {
    guard let row = rows[owner],
      let (declaring, relationship) = model.relationship(name, of: row.entity)
    else { return [] }
    let inverse = model.inverse(of: relationship)?.relationship
    if inverse?.isToMany == true {
      return Set(links(declaring, name).filter { $0.owner == owner.id }.map(\.target))
    }
    let key = inverse?.name ?? "_\(declaring)_\(name)"
    let family = Set(model.family(of: relationship.destination))
    return Set(
      rows.filter { family.contains($1.entity) && $1.values[key]?.id == owner.id }.map(\.key.id)
    )
  }

  /// The links of a many-to-many relationship that an entity declares.
  package func links(_ entity: String, _ name: String) -> Set<Link> {
    guard let (join, isOwner) = layout.join(of: Property(entity, name)) else { return [] }
    let all = links[join.owner, default: [:]].keys
    return isOwner ? Set(all) : Set(all.map { Link(owner: $0.target, target: $0.owner) })
  }

  /// Deletes an object and those to which its delete rules cascade; other objects then refer to none.
  package func delete(_ object: Object) {
    guard let row = rows[object] else { return }
    change(object)
    if edits[object]?.kind == .update { edits[object]?.kind = .delete }
    var others: [Object] = []
    for (_, relationship) in model.relationships(of: row.entity) {
      let root = model.root(of: relationship.destination)
      let ids =
        relationship.isToMany
        ? members(object, relationship.name).sorted()
        : [row.values[relationship.name]?.id].compactMap { $0 }
      for id in ids {
        let other = Object(root: root, id: id)
        if relationship.isToMany {
          link(object, relationship.name, other, isMember: false)
        } else {
          refer(object, relationship, to: nil)
        }
        if relationship.deleteRule == 2 { others.append(other) }
      }
    }
    for (other, row) in rows {
      for (_, relationship) in model.relationships(of: row.entity)
      where !relationship.isToMany && row.values[relationship.name]?.id == object.id
        && model.root(of: relationship.destination) == object.root
      {
        refer(other, relationship, to: nil)
      }
    }
    rows[object] = nil
    if edits[object]?.original == nil { edits[object] = nil }
    for other in others { delete(other) }
  }

  // MARK: Saving

  /// Writes all changes since the last save, and returns the number of the transaction.
  ///
  /// A program that changes many rows at once is not recorded: then history has no transaction.
  @discardableResult
  package func save(
    author: String? = nil,
    context: String? = nil,
    time: Double? = nil,
    isRecorded: Bool = true
  ) throws -> Int64? {
    let all = edits.sorted {
      ($0.value.kind.rawValue, $0.key.root, $0.key.id)
        < ($1.value.kind.rawValue, $1.key.root, $1.key.id)
    }
    let edited = linkEdits
    (edits, linkEdits) = ([:], [:])
    let roots = Set(all.filter { $0.value.kind == .insert }.map(\.key.root))
    try connection.inTransaction { try writeKeys(roots.sorted()) }
    return try connection.inTransaction {
      var changes: [Change] = []
      // A value that is unique can move from one row to another.
      for (object, edit) in all.reversed() {
        guard edit.kind != .delete else {
          try execute("DELETE FROM \(FileLayout.table(object.root)) WHERE Z_PK = ?1", [object.id])
          continue
        }
        rows[object]?.saves += 1
        if let row = rows[object] { try write(object, row, isNew: edit.kind == .insert) }
      }
      try writeLinks(edited)
      guard isRecorded, history != .none else { return nil }
      for (object, edit) in all {
        let entity = (edit.original ?? rows[object])?.entity ?? ""
        let slots = edit.slots.union(edit.members.filter { !$0.value.isEmpty }.map(\.key))
        guard edit.kind != .update || !slots.isEmpty else { continue }
        highestChange += 1
        var change = Change(
          number: highestChange,
          kind: edit.kind.rawValue,
          entity: entity,
          id: object.id
        )
        if edit.kind == .update { change.slots = slots }
        if edit.kind == .delete, let original = edit.original {
          for attribute in model.preserved(of: entity) {
            guard let value = original.values[attribute.name], value != .null else { continue }
            change.tombstone[attribute.name] = value
          }
        }
        changes.append(change)
      }
      // A save without a change has no transaction.
      guard !changes.isEmpty else { return nil }
      return try append(
        Transaction(
          number: highestTransaction + 1,
          time: time ?? 700_000_000 + Double(highestTransaction),
          author: author,
          context: context,
          changes: changes
        )
      )
    }
  }

  func append(_ transaction: Transaction) throws -> Int64 {
    highestTransaction = transaction.number
    transactions.append(transaction)
    let texts = [transaction.author, Self.bundle, transaction.context, Self.process]
    let values = try texts.map { text -> FileValue in
      guard let text else { return .null }
      return history == .inline ? .text(text) : .integer(try string(text))
    }
    let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
      .map { history == .inline ? $0 : $0 + "TS" }
    try execute(
      """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(names.joined(separator: ", ")))
      VALUES (?1, 16002, ?2, ?3, ?4, ?5, ?6)
      """,
      values: [.integer(transaction.number), .real(transaction.time)] + values
    )
    for change in transaction.changes {
      let kept = model.preserved(of: change.entity).map { change.tombstone[$0.name] ?? .null }
      let columns = kept.indices.map { ", ZTOMBSTONE\($0)" }.joined()
      let marks = kept.indices.map { ", ?\($0 + 7)" }.joined()
      let bits = layout.bitmap(change.slots, of: change.entity)
      try execute(
        """
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS
        \(columns)) VALUES (?1, 16001, ?2, ?3, ?4, ?5, ?6\(marks))
        """,
        values: [
          .integer(change.number), .integer(change.kind),
          .integer(layout.numbers[change.entity] ?? 0), .integer(change.id),
          .integer(transaction.number), change.kind == 1 ? .blob(bits) : .null,
        ] + kept
      )
    }
    try execute("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = 16001", [highestChange])
    try execute("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = 16002", [highestTransaction])
    return transaction.number
  }

  private func string(_ text: String) throws -> Int64 {
    if let id = strings[text] { return id }
    let id = Int64(strings.count) + 1
    strings[text] = id
    try execute(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, 16003, ?2)",
      values: [.integer(id), .text(text)]
    )
    return id
  }

  func execute(_ sql: String, _ integers: [Int64]) throws {
    try execute(sql, values: integers.map { .integer($0) })
  }

  func execute(_ sql: String, values: [FileValue]) throws {
    let statement = try connection.cached(sql)
    for (index, value) in values.enumerated() { try statement.bind(index + 1, value) }
    try statement.run()
  }

  // MARK: Rows

  func write(_ object: Object, _ row: Row, isNew: Bool) throws {
    let columns = layout.columns(of: row.entity)
    let values = try columns.map { try value($0.source, row) }
    let table = FileLayout.table(object.root)
    let start = [.integer(object.id), .integer(row.saves)] + values
    guard isNew else {
      let sets = columns.enumerated().map { ", \($1.name) = ?\($0 + 3)" }.joined()
      return try execute(
        "UPDATE \(table) SET Z_OPT = ?2\(sets) WHERE Z_PK = ?1",
        values: start
      )
    }
    let names = columns.map { ", \($0.name)" }.joined()
    let marks = columns.indices.map { ", ?\($0 + 3)" }.joined()
    let number = layout.numbers[row.entity] ?? 0
    try execute(
      "INSERT INTO \(table) (Z_PK, Z_OPT, Z_ENT\(names)) VALUES (?1, ?2, \(number)\(marks))",
      values: start
    )
  }

  private func value(_ source: FileLayout.Column.Source, _ row: Row) throws -> FileValue {
    switch source {
    case .hidden(let name, _): return row.values[name] ?? .null
    case .reference(let place): return row.values[place.name] ?? .null
    case .attribute(let place, let leaf):
      let value = row.values[place.name]?.leaf(leaf) ?? .null
      guard case .outside(let bytes) = value else { return value }
      return try external(bytes)
    case .entity(let place):
      guard let id = row.values[place.name]?.id,
        let destination = model.relationship(place.name, of: row.entity)?.relationship.destination
      else { return .null }
      let entity = entity(Object(root: model.root(of: destination), id: id))
      return layout.numbers[entity].map { .integer($0) } ?? .null
    }
  }

  /// The folder of large values.
  package var externalFolder: URL {
    let name = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
  }

  private func external(_ bytes: [UInt8]) throws -> FileValue {
    if let name = externalNames[bytes] { return .lost(name: name) }
    let digits = String(externalNames.count, radix: 16, uppercase: true)
    let name =
      "0B1C2D3E-4F50-6172-8394-" + String(repeating: "0", count: 12 - digits.count) + digits
    externalNames[bytes] = name
    try FileManager.default.createDirectory(at: externalFolder, withIntermediateDirectories: true)
    try Data(bytes).write(to: externalFolder.appending(path: name))
    return .lost(name: name)
  }

  private func writeLinks(_ edited: [Property: [Link: Int64?]]) throws {
    for (owner, edits) in edited {
      for (link, place) in edits {
        guard let join = layout.joins[owner] else { continue }
        try write(link, place: place, in: join)
      }
    }
  }

  func write(_ link: Link, place: Int64?, in join: FileLayout.Join) throws {
    guard let place else {
      return try execute(
        "DELETE FROM \(join.table) WHERE \(join.columns[0]) = ?1 AND \(join.columns[1]) = ?2",
        [link.owner, link.target]
      )
    }
    let columns = (join.columns + join.orders).joined(separator: ", ")
    let marks = join.orders.map { _ in ", ?3" }.joined()
    try execute(
      "INSERT OR REPLACE INTO \(join.table) (\(columns)) VALUES (?1, ?2\(marks))",
      [link.owner, link.target] + (join.orders.isEmpty ? [] : [place])
    )
  }

  // MARK: The write-ahead log

  /// Copies all commits into the file, or those that were made before ``pinReader()``.
  ///
  /// The next commit then begins the log again, unless a reader is pinned.
  package func checkpoint(_ mode: String = "TRUNCATE") throws {
    let statement = try connection.prepare("PRAGMA wal_checkpoint(\(mode))")
    while try statement.step() {}
  }

  /// Keeps a reader at the last commit, beyond which a passive checkpoint does not go.
  package func pinReader() throws {
    let reader = try Connection(path: url.path, mode: .readOnly)
    try reader.execute("BEGIN; SELECT count(*) FROM Z_METADATA")
    pin = reader
  }

  package func releaseReader() { pin = nil }

  /// Copies the file with its log and its large values, as from a phone.
  package func copy(to other: URL) throws {
    let manager = FileManager.default
    for suffix in ["", "-wal"] where manager.fileExists(atPath: url.path + suffix) {
      try manager.copyItem(atPath: url.path + suffix, toPath: other.path + suffix)
    }
    guard manager.fileExists(atPath: externalFolder.path) else { return }
    let support = externalFolder.deletingLastPathComponent()
    let name = ".\(other.deletingPathExtension().lastPathComponent)_SUPPORT"
    try manager.copyItem(
      at: support,
      to: other.deletingLastPathComponent().appending(path: name)
    )
  }

  /// Lets the log stay when the file is closed.
  package func leaveLog() throws { try connection.keepWriteAheadLogOnClose() }
}
