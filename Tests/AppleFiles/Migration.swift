import SQLite

/// The older names of a model's entities and properties.
struct Renaming {
  /// The older name of each entity that is not new.
  private(set) var entities: [String: String] = [:]
  private(set) var properties: [Property: Property] = [:]
  /// Names of hidden values by the entity of their members.
  private(set) var hidden: [Property: Property] = [:]

  init(from old: FileModel, to new: FileModel) {
    for entity in new.entities {
      let name = [entity.renaming, entity.name].lazy.compactMap { $0 }.first { old[$0] != nil }
      guard let name, let before = old[name] else { continue }
      entities[entity.name] = name
      func add(_ name: String, _ renaming: String?, among all: [String]) -> Property? {
        guard let other = [renaming, name].lazy.compactMap({ $0 }).first(where: all.contains)
        else { return nil }
        let place = Property(before.name, other)
        properties[Property(entity.name, name)] = place
        return place
      }
      for attribute in entity.attributes {
        _ = add(attribute.name, attribute.renaming, among: before.attributes.map(\.name))
      }
      for one in entity.relationships {
        let place = add(one.name, one.renaming, among: before.relationships.map(\.name))
        guard let place, one.isToMany,
          let other = before.relationships.first(where: { $0.name == place.name })
        else { continue }
        let (inverse, otherInverse) = (new.inverse(of: one), old.inverse(of: other))
        let member = inverse?.owner ?? one.destination
        let otherMember = otherInverse?.owner ?? other.destination
        hidden[Property(member, "_\(one.name)_order")] =
          Property(otherMember, "_\(other.name)_order")
        if inverse == nil {
          hidden[Property(member, "_\(entity.name)_\(one.name)")] =
            Property(otherMember, "_\(before.name)_\(other.name)")
        }
      }
    }
  }

  func old(_ source: FileLayout.Column.Source) -> FileLayout.Column.Source? {
    switch source {
    case .attribute(let place, let leaf): properties[place].map { .attribute($0, leaf: leaf) }
    case .reference(let place): properties[place].map { .reference($0) }
    case .entity(let place): properties[place].map { .entity($0) }
    case .hidden(let name, let member):
      hidden[Property(member, name)].map { .hidden($0.name, member: $0.entity) }
    }
  }
}

extension AppleFile {
  /// Changes the model, as a lightweight migration does.
  ///
  /// Entities and properties that the new model does not have are removed with their history, the rest
  /// of the history gets the bitmaps and numbers of the new model, and a transaction marks the
  /// migration. Preserved attributes of entities that remain must remain.
  package func migrate(to newModel: FileModel) throws {
    let names = Renaming(from: model, to: newModel)
    let (oldLayout, oldRows, oldLinks) = (layout, rows, links)
    let newNames = Dictionary(uniqueKeysWithValues: names.entities.map { ($1, $0) })
    model = newModel
    layout = FileLayout(newModel, after: oldLayout, names)
    keyNames = Dictionary(
      uniqueKeysWithValues: model.numbered.map { name in
        // An entity keeps the name that it had when its number was written first.
        (name, names.entities[name].flatMap { keyNames[$0] } ?? name)
      }
    )
    highest = Dictionary(
      uniqueKeysWithValues: highest.compactMap { root, last in newNames[root].map { ($0, last) } }
    )
    rows = [:]
    for (object, row) in oldRows {
      guard let entity = newNames[row.entity] else { continue }
      let key = Object(root: model.root(of: entity), id: object.id)
      rows[key] = Row(entity: entity, values: migrated(row, entity, names), saves: row.saves)
    }
    links = [:]
    for join in layout.joins.values {
      guard let before = names.properties[join.owner],
        let (old, isOwner) = oldLayout.join(of: before)
      else { continue }
      for (link, place) in oldLinks[old.owner] ?? [:] {
        let new = isOwner ? link : Link(owner: link.target, target: link.owner)
        links[join.owner, default: [:]][new] = place
      }
    }
    removeBrokenReferences()
    let removed = renameHistory(newNames, names)
    let before = digest
    digest = "model-\(transactions.count + 2)=="
    try connection.inTransaction {
      for root in oldLayout.columns.keys.sorted() {
        try connection.execute("DROP TABLE \(FileLayout.table(root))")
      }
      for join in oldLayout.joins.values { try connection.execute("DROP TABLE \(join.table)") }
      connection.removeCachedStatements()
      try createTables()
      for (object, row) in rows { try write(object, row, isNew: true) }
      for (owner, all) in links {
        guard let join = layout.joins[owner] else { continue }
        for (link, place) in all { try write(link, place: place, in: join) }
      }
      try writeInitialValues(names)
      try writeModel()
      try connection.execute("DELETE FROM Z_PRIMARYKEY")
      try insertKeys()
      guard history != .none else { return }
      for number in removed { try execute("DELETE FROM ACHANGE WHERE Z_PK = ?1", [number]) }
      for change in transactions.flatMap(\.changes) {
        let bits = layout.bitmap(change.slots, of: change.entity)
        try execute(
          "UPDATE ACHANGE SET ZENTITY = ?1, ZCOLUMNS = ?2 WHERE Z_PK = ?3",
          values: [
            .integer(layout.numbers[change.entity] ?? 0), change.kind == 1 ? .blob(bits) : .null,
            .integer(change.number),
          ]
        )
      }
      let start = "com.apple.coredata.schemamigrator: lightweight migration from model with digest"
      _ = try append(
        Transaction(
          number: highestTransaction + 1,
          time: 700_000_000 + Double(highestTransaction),
          author: "\(start) { \(before) }",
          context: nil,
          migratedFrom: before
        )
      )
    }
  }

  private func migrated(
    _ row: Row,
    _ entity: String,
    _ names: Renaming
  ) -> [String: FileValue] {
    var values: [String: FileValue] = [:]
    for column in layout.columns(of: entity) {
      switch column.source {
      case .attribute(let place, _):
        let initial = model[place.entity]?.attributes.first { $0.name == place.name }?.initial
        values[place.name] = names.properties[place].map { row.values[$0.name] ?? .null } ?? initial
      case .reference(let place):
        values[place.name] = names.properties[place].flatMap { row.values[$0.name] }
      case .hidden(let name, let member):
        values[name] = names.hidden[Property(member, name)].flatMap { row.values[$0.name] }
      case .entity: break
      }
    }
    return values
  }

  /// Removes references and links to objects of removed entities.
  private func removeBrokenReferences() {
    for (object, row) in rows {
      for column in layout.columns(of: row.entity) {
        guard case .reference(let place) = column.source, let id = row.values[place.name]?.id,
          let relationship = model.relationship(place.name, of: row.entity)?.relationship,
          rows[Object(root: model.root(of: relationship.destination), id: id)] == nil
        else { continue }
        rows[object]?.values[place.name] = .null
        let order = "_\(relationship.inverse ?? "")_order"
        if row.values[order] != nil { rows[object]?.values[order] = .null }
      }
      for owner in model.entities {
        for relationship in owner.relationships where relationship.inverse == nil {
          let name = "_\(owner.name)_\(relationship.name)"
          guard let id = row.values[name]?.id,
            rows[Object(root: model.root(of: owner.name), id: id)] == nil
          else { continue }
          rows[object]?.values[name] = .null
          if row.values["_\(relationship.name)_order"] != nil {
            rows[object]?.values["_\(relationship.name)_order"] = .null
          }
        }
      }
    }
    for join in layout.joins.values {
      guard let relationship = model.relationship(join.owner.name, of: join.owner.entity) else {
        continue
      }
      let root = model.root(of: join.owner.entity)
      let destination = model.root(of: relationship.relationship.destination)
      links[join.owner] = links[join.owner]?.filter { link, _ in
        rows[Object(root: root, id: link.owner)] != nil
          && rows[Object(root: destination, id: link.target)] != nil
      }
    }
  }

  /// Rewrites the record of history, and returns the numbers of the changes that it loses.
  private func renameHistory(
    _ newNames: [String: String],
    _ names: Renaming
  ) -> [Int64] {
    var removed: [Int64] = []
    for index in transactions.indices {
      transactions[index].changes = transactions[index].changes.compactMap { change in
        guard let entity = newNames[change.entity] else {
          removed.append(change.number)
          return nil
        }
        let own = names.properties.filter { model.lineage(of: entity).contains($0.key.entity) }
        let newProperties = Dictionary(uniqueKeysWithValues: own.map { ($1.name, $0.name) })
        var result = change
        result.entity = entity
        let there = Set(layout.slots(of: entity))
        result.slots = Set(
          change.slots.compactMap { slot in
            let name = String(slot.prefix { $0 != "/" })
            return newProperties[name].map { $0 + slot.dropFirst(name.count) }
          }
        ).intersection(there)
        result.tombstone = Dictionary(
          uniqueKeysWithValues: change.tombstone.compactMap { name, value in
            newProperties[name].map { ($0, value) }
          }
        )
        return result
      }
    }
    return removed
  }

  /// Writes the initial value of a new attribute, which rows of other entities get too.
  private func writeInitialValues(_ names: Renaming) throws {
    for (root, columns) in layout.columns {
      for column in columns {
        guard case .attribute(let place, _) = column.source, names.properties[place] == nil,
          let initial = model[place.entity]?.attributes.first(where: { $0.name == place.name })?
            .initial, initial != .null
        else { continue }
        try execute("UPDATE \(FileLayout.table(root)) SET \(column.name) = ?1", values: [initial])
      }
    }
  }

  /// Deletes the history before a transaction.
  package func purge(before number: Int64) throws {
    transactions.removeAll { $0.number < number }
    try connection.inTransaction {
      try execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < ?1", [number])
      try execute("DELETE FROM ATRANSACTION WHERE Z_PK < ?1", [number])
    }
  }
}
