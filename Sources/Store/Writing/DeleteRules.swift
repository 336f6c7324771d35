import Format

/// A to-one column that can refer to the rows of an entity, with the delete rule for such
/// references.
struct IncomingReference {
  /// The entity that declares the column.
  let source: EntityIndex
  let column: ColumnIndex
  /// The delete rule of the inverse relationship.
  let rule: DeleteRule
  let isOptional: Bool
}

/// A column that must no longer refer to a deleted row when the transaction ends.
struct PointerCheck {
  let gone: RowKey
  let reference: IncomingReference
}

/// A deleted row that had a relationship with the delete rule `deny`.
///
/// If a target of this relationship still exists when the transaction ends, the transaction fails.
struct DeniedTargets {
  let gone: RowKey
  let property: String
  let targets: [RowKey]
}

/// The columns that can refer to the rows of each entity.
func incomingReferences(_ layouts: [EntityLayout]) -> [[IncomingReference]] {
  var result: [[IncomingReference]] = layouts.map { _ in [] }
  for source in layouts {
    let parent = source.ancestors.first.map { layouts[$0] }
    for (index, column) in source.columns.enumerated() {
      guard let destination = column.destination,
        case .relationship(let position) = column.content,
        parent?.column(of: column.property) == nil
      else { continue }
      let relationship = source.entity.relationships[position]
      for target in layouts[destination].family {
        let back = layouts[target].entity.relationships.first { $0.name == relationship.inverse }
        result[target.number].append(
          IncomingReference(
            source: source.index,
            column: ColumnIndex(index),
            rule: back?.deleteRule ?? .nullify,
            isOptional: column.isOptional
          )
        )
      }
    }
  }
  return result
}

extension Writer {
  /// Deletes an object, and applies delete rules to the objects that are related to it.
  ///
  /// Rules that forbid the deletion are checked when the transaction ends, so the order of
  /// deletions does not matter.
  ///
  /// - Returns: False if there is no such object.
  @discardableResult
  package func delete(_ entity: EntityIndex, id: Int64) throws -> Bool {
    // A list is used instead of recursion, because a cascade can reach a million objects in a
    // chain.
    var waiting = [RowKey(entity: entity, id: ObjectID(id))]
    var isFirst = true
    while let next = waiting.popLast() {
      let isAlone = !layouts[next.entity].entity.sharesTable
      guard let found = isAlone ? next.entity : try self.entity(of: next),
        layouts[next.entity].family.contains(found),
        let values = try current(RowKey(entity: found, id: next.id))
      else {
        if isFirst { return false }
        continue
      }
      isFirst = false
      let key = RowKey(entity: found, id: next.id)
      try follow(key, values: values, waiting: &waiting)
      try remove(key, values: values, links: removeLinks(of: key, waiting: &waiting))
    }
    return true
  }

  /// Deletes an object and the links that it owns, without applying delete rules.
  func removeAlone(_ key: RowKey, values: [Value]) throws {
    var owned: [JoinIndex: [Int64]] = [:]
    for (index, join) in joins.enumerated() where isKind(key.entity, of: join.table.owner) {
      let links = try join.targets(of: key.id.integer)
      for target in links { try join.remove(key.id.integer, target: target) }
      if !links.isEmpty { owned[JoinIndex(index)] = links }
    }
    try remove(key, values: values, links: owned)
  }

  /// Deletes the row of an object, and records the deletion with the links that it owned.
  private func remove(_ key: RowKey, values: [Value], links: [JoinIndex: [Int64]]) throws {
    if parked[key] != nil {
      parked.remove(key)
    } else {
      try tables[key.entity].delete(key.id)
    }
    try recorder.delete(key, values: values, links: links)
    try releaseExternalValues(key, values: values)
    deleted.append(key)
  }

  /// Applies the delete rules of the object's to-one columns, and of the columns that refer to it.
  private func follow(_ key: RowKey, values: [Value], waiting: inout [RowKey]) throws {
    let layout = layouts[key.entity]
    for (index, column) in layout.columns.enumerated() {
      guard case .relationship(let position) = column.content, let target = column.destination,
        case .integer(let id) = values[index]
      else { continue }
      apply(
        layout.entity.relationships[position].deleteRule,
        of: key,
        property: column.property,
        to: [RowKey(entity: target, id: ObjectID(id))],
        waiting: &waiting
      )
    }
    for reference in references[key.entity] {
      switch reference.rule {
      case .cascade:
        waiting += try pointing(at: key.id, through: reference)
      case .nullify where reference.isOptional, .noAction where reference.isOptional:
        // With the rule `noAction`, nothing changes the objects in memory. A row can't refer to a
        // missing row, so its column becomes NULL all the same.
        for row in try pointing(at: key.id, through: reference) {
          let column = column(reference, in: row)
          try update(row.entity, id: row.id.integer, columns: [column], values: [.null])
          updated.append(row)
        }
      case .nullify, .deny, .noAction:
        pointers.append(PointerCheck(gone: key, reference: reference))
      }
    }
  }

  /// Removes an object from all join tables, and returns the links that it owned.
  private func removeLinks(
    of key: RowKey,
    waiting: inout [RowKey]
  ) throws -> [JoinIndex: [Int64]] {
    var owned: [JoinIndex: [Int64]] = [:]
    for (index, join) in joins.enumerated() {
      let table = join.table
      if isKind(key.entity, of: table.owner) {
        let links = try join.targets(of: key.id.integer)
        for target in links {
          try join.remove(key.id.integer, target: target)
          try noteUpdate(of: RowKey(entity: table.destination, id: ObjectID(target)))
        }
        if !links.isEmpty { owned[JoinIndex(index)] = links }
        let relationship = layouts[table.owner].entity.relationships[table.relationship]
        let targets = links.map { RowKey(entity: table.destination, id: ObjectID($0)) }
        apply(
          relationship.deleteRule,
          of: key,
          property: relationship.name,
          to: targets,
          waiting: &waiting
        )
      }
      if isKind(key.entity, of: table.destination) {
        let links = try join.owners(of: key.id.integer)
        for owner in links {
          try join.remove(owner, target: key.id.integer)
          try recordLink(JoinIndex(index), owner: owner, other: key.id.integer, isLinked: false)
          try noteUpdate(of: RowKey(entity: table.owner, id: ObjectID(owner)))
        }
        let name = layouts[table.owner].entity.relationships[table.relationship].inverse
        let back = layouts[table.destination].entity.relationships.first { $0.name == name }
        if let back {
          let owners = links.map { RowKey(entity: table.owner, id: ObjectID($0)) }
          apply(back.deleteRule, of: key, property: back.name, to: owners, waiting: &waiting)
        }
      }
    }
    return owned
  }

  /// Whether `entity` is `other`, or inherits from `other`.
  func isKind(_ entity: EntityIndex, of other: EntityIndex) -> Bool {
    entity == other || layouts[entity].ancestors.contains(other)
  }

  /// Remembers that an object lost a link.
  ///
  /// The key can contain an ancestor of the object's entity.
  private func noteUpdate(of key: RowKey) throws {
    if let entity = try entity(of: key) { updated.append(RowKey(entity: entity, id: key.id)) }
  }

  private func apply(
    _ rule: DeleteRule,
    of key: RowKey,
    property: String,
    to targets: [RowKey],
    waiting: inout [RowKey]
  ) {
    switch rule {
    case .cascade: waiting += targets
    case .deny where !targets.isEmpty:
      denied.append(DeniedTargets(gone: key, property: property, targets: targets))
    case .deny, .nullify, .noAction: break
    }
  }

  /// The rows whose column refers to an id.
  func pointing(at id: ObjectID, through reference: IncomingReference) throws -> [RowKey] {
    let source = layouts[reference.source]
    let kind = source.sharesTable ? "\"_entity\"" : literal(source.entity.name)
    let statement = try connection.cached(
      "SELECT \"id\", \(kind) FROM \(source.table)"
        + " WHERE \(source.columns[reference.column].quoted) = ?1"
    )
    try statement.bind(1, id.integer)
    defer { statement.reset() }
    var result: [RowKey] = []
    while try statement.step() {
      guard let entity = indexes[statement.string(at: 1)] else { continue }
      result.append(RowKey(entity: entity, id: ObjectID(statement.int64(at: 0))))
    }
    for (key, row) in parked.rows where source.family.contains(key.entity) {
      if row[column(reference, in: key)].isSame(as: .integer(id.integer)) { result.append(key) }
    }
    return result
  }

  /// The index that a reference's column has in the entity of a row; that entity may inherit from
  /// the reference's entity.
  private func column(_ reference: IncomingReference, in row: RowKey) -> ColumnIndex {
    let property = layouts[reference.source].columns[reference.column].property
    return layouts[row.entity].column(of: property) ?? reference.column
  }

  /// Throws if a delete rule forbids one of the deletions; called when all changes have been made.
  func checkDeletions() throws {
    for check in denied {
      let left = try check.targets.filter { try entity(of: $0) != nil }
      guard !left.isEmpty else { continue }
      let property = check.property
      throw refusal(
        .deletionDenied,
        of: check.gone,
        because: "its relationship \(property) has the delete rule deny, and refers to",
        left,
        remedy: "remove them from \(property) first."
      )
    }
    for check in pointers {
      let rows = try pointing(at: check.gone.id, through: check.reference)
      guard !rows.isEmpty else { continue }
      let property = layouts[check.reference.source].columns[check.reference.column].property
      let rule = check.reference.rule
      let code: StoreError.Code =
        switch rule {
        case .nullify: .missingValue
        case .noAction: .missingReference
        case .deny, .cascade: .deletionDenied
        }
      throw refusal(
        code,
        of: check.gone,
        because: rule == .nullify
          ? "\(property) must have a value, but would have none in these objects:"
          : "its delete rule is \(rule), and these objects refer to it in their \(property):",
        rows,
        remedy: "set their \(property) to another object."
      )
    }
  }

  private func refusal(
    _ code: StoreError.Code,
    of gone: RowKey,
    because obstacle: Wording,
    _ rows: [RowKey],
    remedy: Wording
  ) -> StoreError {
    let others = rows.map(name)
    return StoreError(code, items: others) {
      "\(name(of: gone)) can't be deleted: " + obstacle
        + " \(listText(others.map(\.description))).\nDelete these objects too, or " + remedy
    }
  }
}
