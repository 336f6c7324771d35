import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

/// A schema with everything that a foreign writer can get wrong: unique values, a family with its
/// own unique values, links with and without an order, and blob files.
let foreignSchema = StoreSchema(
  version: "1.0.0",
  entities: [
    Entity(
      name: "Trip",
      attributes: [
        Attribute(name: "name", type: .string, isOptional: true),
        Attribute(name: "price", type: .double, isOptional: true),
        Attribute(name: "image", type: .data, isOptional: true, isExternal: true),
      ],
      relationships: [
        Relationship(name: "plan", destination: "Plan", isToMany: false, storage: .column("plan")),
        Relationship(
          name: "tags",
          destination: "Tag",
          isToMany: true,
          inverse: "trips",
          storage: .joinTable("Tag_trips", source: "Trip", target: "Tag")
        ),
      ],
      uniques: [["name"], ["price", "plan"]]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "word", type: .string)],
      relationships: [
        Relationship(
          name: "trips",
          destination: "Trip",
          isToMany: true,
          inverse: "tags",
          storage: .joinTable("Tag_trips", source: "Tag", target: "Trip")
        )
      ]
    ),
    family("Plan", nil, [Attribute(name: "title", type: .string)]),
    family(
      "Meeting",
      "Plan",
      [
        Attribute(name: "title", type: .string),
        Attribute(name: "room", type: .string, isOptional: true),
      ],
      uniques: [["room"]]
    ),
    family("Rest", "Plan", [Attribute(name: "title", type: .string)]),
  ]
)

private func family(
  _ name: String,
  _ parent: String?,
  _ attributes: [Attribute],
  uniques: [[String]] = []
) -> Entity {
  Entity(
    name: name,
    parent: parent,
    table: "Plan",
    sharesTable: true,
    attributes: attributes,
    relationships: [
      Relationship(
        name: "friends",
        destination: "Tag",
        isToMany: true,
        storage: .joinTable("Plan_friends", source: "Plan", target: "Tag")
      )
    ],
    uniques: uniques
  )
}

/// The indexes of the entities, which are sorted by name.
enum Kind {
  static let meeting: EntityIndex = 0
  static let plan: EntityIndex = 1
  static let rest: EntityIndex = 2
  static let tag: EntityIndex = 3
  static let trip: EntityIndex = 4
}

/// Opens a file as another program does: with triggers, without foreign keys.
func foreignConnection(to store: Store) throws -> Connection {
  let connection = try Connection(path: store.location.path, mode: .readWrite)
  connection.setBusyTimeout(milliseconds: 5000)
  try connection.setForeignKeys(enforced: false)
  return connection
}

/// Calls `body` with a new store in a file, and with a foreign connection.
func withForeignStore(
  schema: StoreSchema = foreignSchema,
  _ body: (Store, Connection) throws -> Void
) throws {
  try withStore(.file, schema: schema) { store, _ in
    try body(store, try foreignConnection(to: store))
  }
}

/// Seals foreign changes with an empty write.
func seal(_ store: Store) throws { try store.write(Author(name: "seal")) { _ in } }

/// The changes of all transactions of op `foreign`, one list for each.
func foreignChanges(of store: Store) throws -> [[String]] {
  try seal(store)
  let found = try rows(
    """
    SELECT t.id, c.kind || ' ' || c.entity || ' ' || c.object
        || coalesce(' ' || c.changed, '') || coalesce(' ' || c.before, '')
        || coalesce(' ' || c.after, '') || coalesce(' special ' || c.special, '')
      FROM history_transaction t JOIN history_change c ON c.transaction_id = t.id
      WHERE t.op = 'foreign' ORDER BY c.id
    """,
    in: store
  )
  var result: [(id: Substring, changes: [String])] = []
  for line in found {
    let parts = line.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    if result.last?.id != parts[0] { result.append((parts[0], [])) }
    result[result.count - 1].changes.append(String(parts[1]))
  }
  return result.map(\.changes)
}

/// Every object, with its properties as canonical text; history should replay to this.
typealias Objects = [String: [String: String]]

/// The objects of the rows; of the code under test only the encoding is used.
func objects(in reader: Reader, _ schema: StoreSchema) throws -> Objects {
  var result: Objects = [:]
  for layout in reader.layouts {
    let condition = layout.sharesTable ? " WHERE _entity = '\(layout.entity.name)'" : ""
    let list = (["id"] + layout.columns.map(\.quoted)).joined(separator: ", ")
    let rows = try reader.connection.prepare("SELECT \(list) FROM \(layout.table)\(condition)")
    while try rows.step() {
      var values: [String: String] = [:]
      for (index, column) in layout.columns.enumerated() {
        values[column.property] = try text(
          of: rows.value(at: Int32(index) + 1),
          column,
          reader,
          schema
        )
      }
      for relationship in layout.entity.relationships {
        guard case .joinTable(let table, let source, let target) = relationship.storage,
          !(layout.entity.name == "Trip" && relationship.name == "tags")
        else { continue }
        let links = try reader.connection.prepare(
          "SELECT \(quoted(target)) FROM \(quoted(table))"
            + " WHERE \(quoted(source)) = \(rows.int64(at: 0)) ORDER BY 1"
        )
        var list: [String] = []
        while try links.step() {
          list.append(
            #"{"entity":"\#(relationship.destination)","id":"\#(links.int64(at: 0))"}"#
          )
        }
        if !list.isEmpty { values[relationship.name] = list.joined(separator: " ") }
      }
      result["\(layout.entity.name) \(rows.int64(at: 0))"] = values
    }
  }
  return result
}

private func text(
  of value: Value,
  _ column: EntityLayout.Column,
  _ reader: Reader,
  _ schema: StoreSchema
) throws -> String {
  guard let type = column.type else {
    guard case .integer(let id) = value, let destination = column.destination else { return "null" }
    return #"{"entity":"\#(schema.entities[destination].name)","id":"\#(id)"}"#
  }
  var value = value
  if column.isExternal, case .text(let digest) = value,
    let data = try? reader.externalData(digest)
  {
    value = .blob(data)
  }
  let size =
    switch value {
    case .text(let text): text.utf8.count
    case .blob(let data), .brokenText(let data): data.count
    default: 0
    }
  if size > 1 << 20, case .blob(let data) = value {
    return #"large {"sha256":"\#(SHA256.digest(of: Array(data)))","size":\#(size)}"#
  }
  var json: [UInt8] = []
  let special = appendCanonical(value, as: type, to: &json)
  return String(decoding: json, as: UTF8.self) + (special.map { " special \($0.name)" } ?? "")
}

/// The result of replaying history over an empty dictionary.
///
/// It fails if a change expects something else than the current value.
func replayed(_ reader: Reader) throws -> Objects {
  var result: Objects = [:]
  let cursor = try reader.history()
  while let transaction = try cursor.nextTransaction() {
    while let change = try cursor.nextChange() {
      let key = "\(String(decoding: change.entity, as: UTF8.self)) \(change.object)"
      let before = try side("before", change.before, change)
      let after = try side("after", change.after, change)
      let place = "transaction \(transaction.id), \(change.kind) \(key)"
      switch change.kind {
      case .insert:
        try #require(result[key] == nil, "\(place) is there")
        result[key] = merged([:], [:], after)
      case .update:
        let old = try #require(result[key], "\(place) is not there")
        for (name, value) in before where !value.hasPrefix("[") {
          try #require(old[name] == value, "\(place) had another \(name)")
        }
        result[key] = merged(old, before, after)
      case .delete:
        let old = try #require(result[key], "\(place) is not there")
        try #require(old == merged([:], [:], before), "\(place) was otherwise")
        result[key] = nil
      }
    }
  }
  return result
}

/// The properties of one side of a change; lists of links keep their brackets.
private func side(
  _ name: String,
  _ json: UnsafeRawBufferPointer,
  _ change: Change
) throws -> [String: String] {
  func notes(_ bytes: UnsafeRawBufferPointer) -> [String: String] {
    CanonicalText(bytes).value(of: name).map(dictionary) ?? [:]
  }
  var result = dictionary(Array(json))
  for (key, value) in notes(change.special) {
    let name = try #require(parsedJSONString(value))
    result[key, default: ""] += " special \(name)"
  }
  for (key, value) in notes(change.large) { result[key] = "large \(value)" }
  return result
}

private func parsedJSONString(_ text: String) -> String? {
  Array(text.utf8).withUnsafeBytes { parseJSONString($0) }
}

private func dictionary(_ object: [UInt8]) -> [String: String] {
  Dictionary(
    CanonicalText(object).members.map {
      (
        String(decoding: $0.key.dropFirst().dropLast(2), as: UTF8.self),
        String(decoding: $0.value, as: UTF8.self)
      )
    },
    uniquingKeysWith: { $1 }
  )
}

/// Sets new values, removes the removed links, and adds the new ones.
private func merged(
  _ old: [String: String],
  _ before: [String: String],
  _ after: [String: String]
) -> [String: String] {
  func links(_ text: String) -> Set<String> {
    Set(
      text.dropFirst(text.hasPrefix("[") ? 1 : 0).dropLast(text.hasSuffix("]") ? 1 : 0)
        .replacingOccurrences(of: "},{", with: "} {").split(separator: "} ").map {
          $0.hasSuffix("}") ? String($0) : $0 + "}"
        }
    )
  }
  func target(_ link: String) -> Int {
    Int(link.components(separatedBy: "\"id\":\"").last?.prefix { $0 != "\"" } ?? "") ?? 0
  }
  var result = old
  for (name, value) in after {
    guard value.hasPrefix("[") else {
      result[name] = value
      continue
    }
    let left = links(old[name] ?? "").subtracting(links(before[name] ?? "[]"))
    let list = left.union(links(value)).sorted { target($0) < target($1) }
    result[name] = list.isEmpty ? nil : list.joined(separator: " ")
  }
  // Both sides of an update name the same properties, but a delete has only one.
  return result
}

/// Expects that history replays to the rows after a reader and after a writer has sealed it.
func expectAgreement(_ store: Store, _ comment: String = "") throws {
  let url = URL(fileURLWithPath: store.location.path)
  let reading = try Store.open(.file(url), options: Options(isReadOnly: true))
  try reading.read { reader in
    let expected = try objects(in: reader, store.schema)
    let found = try replayed(reader)
    try #require(found == expected, "sealed by a reader \(comment)")
  }
  let shown = try lines(of: reading)
  try seal(store)
  try store.read { reader in
    let expected = try objects(in: reader, store.schema)
    let found = try replayed(reader)
    try #require(found == expected, "after sealing \(comment)")
  }
  try #require(try lines(of: store) == shown, "lines \(comment)")
}

/// The number of captured rows that are not sealed.
func capturedCount(_ connection: Connection) throws -> Int64 {
  try CapturedTables.names(on: connection).reduce(0) { sum, table in
    try sum + (connection.integer("SELECT count(*) FROM \(table)") ?? 0)
  }
}

/// The name of a trigger that captures changes of a table.
func captureTrigger(_ event: String, of table: String, on connection: Connection) throws -> String {
  try connection.first(
    "SELECT name FROM sqlite_schema WHERE tbl_name = ?1 AND name LIKE ?2",
    values: [.text(table), .text("travelog_\(event)%")]
  ) { $0.string(at: 0) } ?? ""
}
