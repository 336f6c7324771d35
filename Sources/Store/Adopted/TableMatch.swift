import Adoption
import Format
import SQLite

/// The tables of an adopted file after a change of its schema, and how their rows are recorded.
struct TableMatch {
  /// Tables that continue a table, and whose definition or rows changed.
  var pairs: [TablePair] = []
  /// Tables whose rows have other names than before, each with the old table.
  var rekeyed: [(old: Entity, new: Entity)] = []
  /// Tables that did not exist before.
  var added: Set<String> = []
  /// Tables that do not exist any more, and whose rows are known.
  var dropped: [Entity] = []
  /// Tables whose earlier rows are not known.
  var replaced: Set<String> = []

  /// Whether no table and no row changed.
  var isEmpty: Bool {
    pairs.isEmpty && rekeyed.isEmpty && added.isEmpty && dropped.isEmpty && replaced.isEmpty
  }

  /// Whether all rows of a table are recorded as insertions.
  func isInserted(_ table: String) -> Bool {
    added.contains(table) || replaced.contains(table) || rekeyed.contains { $0.new.name == table }
  }
}

/// Finds the tables that continue tables of the previous schema.
struct TableMatching {
  let old: StoreSchema
  let new: StoreSchema
  let layouts: [EntityLayout]
  let connection: Connection

  init(from old: StoreSchema, to new: StoreSchema, on connection: Connection) throws {
    self.old = old
    self.new = new
    self.connection = connection
    layouts = try new.layouts()
  }

  /// A table of the new schema.
  func table(_ entity: Entity) -> Table? {
    layouts.first { $0.entity.name == entity.name }.map {
      Table(connection, layout: $0, layouts: layouts)
    }
  }

  // MARK: With the earlier rows

  /// Compares the tables with the rows that they had before a migration.
  func match(_ earlier: EarlierTables) throws -> TableMatch {
    var result = TableMatch()
    var continued: Set<String> = []
    for entity in new.entities {
      guard let before = old[entity.name] ?? renamed(entity) else {
        result.added.insert(entity.name)
        continue
      }
      continued.insert(before.name)
      let statements = (
        fullTextStatement(of: before.name, in: old), fullTextStatement(of: entity.name, in: new)
      )
      guard statements.0 == statements.1 else {
        result.replaced.insert(entity.name)
        continue
      }
      guard let rows = earlier.table(before.name), let table = table(entity) else { continue }
      let sources = try sources(of: entity, in: before, rows, table)
      guard var pair = pair(before, entity, sources: sources) else {
        result.rekeyed.append((before, entity))
        continue
      }
      try pair.findInitialValues(on: connection)
      if try !pair.isSame || hasDifferences(pair, rows, table) { result.pairs.append(pair) }
    }
    result.dropped = old.entities.filter { !continued.contains($0.name) }
    return result
  }

  private func hasDifferences(
    _ pair: TablePair,
    _ earlier: Table?,
    _ present: Table
  ) throws -> Bool {
    var found = false
    try pair.compare(earlier, present) { _, _, _ in
      found = true
      return false
    }
    return found
  }

  /// The pairs with a new definition that also have different rows.
  func changed(_ match: TableMatch, since earlier: EarlierTables?) throws -> [TablePair] {
    try match.pairs.filter { pair in
      guard !pair.isSame, let table = table(pair.new) else { return false }
      return try hasDifferences(pair, earlier?.table(pair.old.name), table)
    }
  }

  /// The old table with another name and the same columns, if only one table fits.
  private func renamed(_ entity: Entity) -> Entity? {
    func fits(_ before: Entity, _ after: Entity) -> Bool {
      old[after.name] == nil && new[before.name] == nil
        && before.attributes.map(\.name) == after.attributes.map(\.name)
        && before.identity == after.identity
    }
    let found = old.entities.filter { fits($0, entity) }
    guard found.count == 1, new.entities.filter({ fits(found[0], $0) }).count == 1 else {
      return nil
    }
    return found[0]
  }

  /// The old columns that the columns of a table continue, by the names of the new columns.
  ///
  /// A column continues the old column with its name. A column with a new name continues an old
  /// column at the same place if all rows have the same values in both.
  private func sources(
    of entity: Entity,
    in before: Entity,
    _ earlier: Table,
    _ present: Table
  ) throws -> [String: String] {
    let names = before.attributes.map(\.name)
    let known = Set(names)
    let kept = Set(entity.attributes.map(\.name))
    var sources: [String: String] = [:]
    var candidates: [Int] = []
    for (place, attribute) in entity.attributes.enumerated() {
      if known.contains(attribute.name) {
        sources[attribute.name] = attribute.name
      } else if place < names.count, !kept.contains(names[place]) {
        candidates.append(place)
      }
    }
    guard !candidates.isEmpty else { return sources }
    var proven: Set<Int> = []
    let rows = try earlier.rows()
    while !candidates.isEmpty, try rows.step() {
      let (name, values) = try earlier.row(at: rows)
      guard let row = try present.find(name) else { continue }
      candidates.removeAll { !values[$0].isSame(as: row[$0]) }
      for place in candidates where values[place] != .null { proven.insert(place) }
    }
    for place in candidates where proven.contains(place) {
      sources[entity.attributes[place].name] = names[place]
    }
    return sources
  }

  /// The statement of the full-text table that keeps its content in a table; nil for other tables.
  private func fullTextStatement(of content: String, in schema: StoreSchema) -> String? {
    schema.adopted?.first {
      $0.type == "table" && $0.name + "_content" == content && isFullText($0.sql)
    }?.sql
  }

  // MARK: With digests

  /// Compares the tables with the digests of the rows that they had before a migration.
  func match(_ digests: [String: TableDigest]) throws -> TableMatch {
    var result = TableMatch()
    for entity in new.entities {
      let isSame = try old[entity.name].map { before in
        try isSameDefinition(before, entity)
          && table(entity).map { try TableDigest($0) } == digests[entity.name]
      }
      switch isSame {
      case nil: result.added.insert(entity.name)
      case false?: result.replaced.insert(entity.name)
      case true?: break
      }
    }
    return result
  }

  // MARK: With triggers

  /// Compares the tables with the triggers that were created for the previous schema.
  ///
  /// SQLite drops the triggers of a table together with the table. So a table that has them was not
  /// rebuilt, and they have captured all changes of its old columns.
  func match(_ names: CaptureNames) throws -> TableMatch {
    var result = TableMatch()
    let tables = try Capture.triggerTables(on: connection)
    for entity in new.entities {
      let number = old.entities.indices.first { number in
        ["after_insert", "after_update", "after_delete"].allSatisfy {
          tables["\(names.prefix)\($0)_\(number)"] == entity.name
        }
      }
      guard let number, let sources = sources(of: entity, in: old.entities[number]),
        var pair = pair(old.entities[number], entity, sources: sources)
      else {
        if old[entity.name] == nil {
          result.added.insert(entity.name)
        } else {
          result.replaced.insert(entity.name)
        }
        continue
      }
      guard !pair.isSame else { continue }
      try pair.findInitialValues(on: connection)
      result.pairs.append(pair)
    }
    return result
  }

  /// The old columns of a table that was not rebuilt: SQLite adds columns only at the end.
  ///
  /// The result is nil if a name has another meaning than before, because names in history then
  /// could mean two columns or tables.
  private func sources(of entity: Entity, in before: Entity) -> [String: String]? {
    let (names, present) = (before.attributes.map(\.name), entity.attributes.map(\.name))
    guard present.count >= names.count,
      entity.name == before.name || old[entity.name] == nil && new[before.name] == nil
    else { return nil }
    for (place, name) in present.enumerated() where place >= names.count || names[place] != name {
      guard !names.contains(name) else { return nil }
    }
    for (name, now) in zip(names, present) where name != now && present.contains(name) {
      return nil
    }
    return Dictionary(zip(present, names)) { first, _ in first }
  }

  // MARK: With names

  /// Compares the tables by their names, if no row has changed.
  func matchNames() throws -> TableMatch {
    var result = TableMatch()
    for entity in new.entities {
      let known = old[entity.name]
      let names = known?.attributes.map(\.name) ?? []
      let same = entity.attributes.map(\.name).filter(names.contains)
      let sources = Dictionary(zip(same, same)) { first, _ in first }
      guard let known, var pair = pair(known, entity, sources: sources) else {
        result.added.insert(entity.name)
        continue
      }
      guard !pair.isSame else { continue }
      try pair.findInitialValues(on: connection)
      result.pairs.append(pair)
    }
    return result
  }

  // MARK: Definitions

  private func pair(_ old: Entity, _ new: Entity, sources: [String: String]) -> TablePair? {
    TablePair(from: old, to: new, sources: sources, isSame: isSameDefinition(old, new))
  }

  private func isSameDefinition(_ before: Entity, _ after: Entity) -> Bool {
    before.withoutOrigins == after
      && statement(of: before.name, in: old) == statement(of: after.name, in: new)
  }

  private func statement(of table: String, in schema: StoreSchema) -> String? {
    schema.adopted?.first { $0.type == "table" && $0.name == table }?.sql
  }
}
