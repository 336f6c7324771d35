import Changes

/// A to-one column that may point at a row of some entity, with what happens when that row goes.
struct IncomingReference {
  /// The entity that declares the column.
  let source: Int
  /// The index in that entity's columns.
  let column: Int
  /// The rule of the relationship that leads back.
  let rule: DeleteRule
  /// True where the column can be set to null.
  let isOptional: Bool
}

/// A row that is gone, with a column that must not point at it when the transaction ends.
struct PointerCheck {
  let gone: RowKey
  let reference: IncomingReference
  let obstacle: ObjectFailure.Obstacle
}

/// A row that is gone, with objects that it led to and that must be gone too when the transaction
/// ends, because its delete rule denies its deletion while it leads to any.
struct DeniedTargets {
  let gone: RowKey
  let property: String
  let targets: [RowKey]
}

/// For each entity the columns that may point at its rows.
func incomingReferences(_ layouts: [EntityLayout]) -> [[IncomingReference]] {
  layouts.map { target in
    var result: [IncomingReference] = []
    let kinds = Set([target.index] + target.ancestors)
    for source in layouts {
      let parent = source.ancestors.first.map { layouts[$0] }
      for (index, column) in source.columns.enumerated() {
        guard let destination = column.destination, kinds.contains(destination),
          case .relationship(let position) = column.content,
          parent?.column(of: column.property) == nil
        else { continue }
        let relationship = source.entity.relationships[position]
        let back = target.entity.relationships.first { $0.name == relationship.inverse }
        result.append(
          IncomingReference(
            source: source.index,
            column: index,
            rule: back?.deleteRule ?? .nullify,
            isOptional: column.isOptional
          )
        )
      }
    }
    return result
  }
}

extension Writer {
  /// Deletes an object, and does what delete rules say to the objects around it.
  ///
  /// What a rule forbids is checked when the transaction ends, so that the order of deletions does
  /// not matter.
  ///
  /// - Returns: False where there is no such object.
  @discardableResult
  package func delete(_ entity: Int, id: Int64) throws -> Bool {
    // A list instead of recursion: a chain of a million objects is as good as one of two.
    var waiting = [RowKey(entity: entity, id: id)]
    var isFirst = true
    while let next = waiting.popLast() {
      let isAlone = !layouts[next.entity].sharesTable
      guard let found = isAlone ? next.entity : try self.entity(of: next.entity, id: next.id),
        layouts[next.entity].family.contains(found),
        let values = try current(RowKey(entity: found, id: next.id))
      else {
        if isFirst { return false }
        continue
      }
      isFirst = false
      let key = RowKey(entity: found, id: next.id)
      try follow(key, values, &waiting)
      try remove(key, values, links: removeLinks(of: key, &waiting))
    }
    return true
  }

  /// Deletes an object and the links that it owns, and leaves those around it alone.
  func removeAlone(_ key: RowKey, _ values: [Value]) throws {
    var owned: [Int: [Int64]] = [:]
    let kinds = Set([key.entity] + layouts[key.entity].ancestors)
    for (index, join) in joins.enumerated() where kinds.contains(join.table.owner) {
      let links = try join.targets(of: key.id)
      for target in links { try join.remove(key.id, target) }
      if !links.isEmpty { owned[index] = links }
    }
    try remove(key, values, links: owned)
  }

  /// Takes the row of an object away, and records it with the links that it owned.
  private func remove(_ key: RowKey, _ values: [Value], links: [Int: [Int64]]) throws {
    if parked[key] != nil {
      parked.remove(key)
    } else {
      try tables[key.entity].delete(id: key.id)
    }
    try recorder.delete(key, values, links: links)
    try releaseExternalValues(key, values)
    deleted.append(key)
  }

  /// Applies the rules of to-one columns, its own and those that point at it.
  private func follow(_ key: RowKey, _ values: [Value], _ waiting: inout [RowKey]) throws {
    let layout = layouts[key.entity]
    for (index, column) in layout.columns.enumerated() {
      guard case .relationship(let position) = column.content, let target = column.destination,
        case .integer(let id) = values[index]
      else { continue }
      apply(
        layout.entity.relationships[position].deleteRule,
        of: key,
        column.property,
        [RowKey(entity: target, id: id)],
        &waiting
      )
    }
    for reference in references[key.entity] {
      switch reference.rule {
      case .cascade:
        waiting += try pointing(at: key.id, reference)
      case .nullify where reference.isOptional:
        for row in try pointing(at: key.id, reference) {
          try update(row.entity, id: row.id, columns: [column(reference, in: row)], values: [.null])
          updated.append(row)
        }
      case .nullify:
        pointers.append(PointerCheck(gone: key, reference: reference, obstacle: .requiredValue))
      case .deny:
        pointers.append(PointerCheck(gone: key, reference: reference, obstacle: .denyRule))
      case .noAction:
        pointers.append(PointerCheck(gone: key, reference: reference, obstacle: .noActionRule))
      }
    }
  }

  /// Takes an object out of all join tables, and returns the links that it owned.
  private func removeLinks(
    of key: RowKey,
    _ waiting: inout [RowKey]
  ) throws -> [Int: [Int64]] {
    var owned: [Int: [Int64]] = [:]
    let kinds = Set([key.entity] + layouts[key.entity].ancestors)
    for (index, join) in joins.enumerated() {
      let table = join.table
      if kinds.contains(table.owner) {
        let links = try join.targets(of: key.id)
        for target in links {
          try join.remove(key.id, target)
          if let entity = try entity(of: table.destination, id: target) {
            updated.append(RowKey(entity: entity, id: target))
          }
        }
        if !links.isEmpty { owned[index] = links }
        let relationship = layouts[table.owner].entity.relationships[table.relationship]
        let targets = links.map { RowKey(entity: table.destination, id: $0) }
        apply(relationship.deleteRule, of: key, relationship.name, targets, &waiting)
      }
      if kinds.contains(table.destination) {
        let links = try join.owners(of: key.id)
        for owner in links {
          try join.remove(owner, key.id)
          guard owner != key.id else { continue }
          try recordLink(index, owner, key.id, isLinked: false)
          if let entity = try entity(of: table.owner, id: owner) {
            updated.append(RowKey(entity: entity, id: owner))
          }
        }
        let name = layouts[table.owner].entity.relationships[table.relationship].inverse
        let back = layouts[table.destination].entity.relationships.first { $0.name == name }
        if let back {
          let owners = links.map { RowKey(entity: table.owner, id: $0) }
          apply(back.deleteRule, of: key, back.name, owners, &waiting)
        }
      }
    }
    return owned
  }

  /// Applies a rule to the objects that a deleted object led to.
  private func apply(
    _ rule: DeleteRule,
    of key: RowKey,
    _ property: String,
    _ targets: [RowKey],
    _ waiting: inout [RowKey]
  ) {
    switch rule {
    case .cascade: waiting += targets
    case .deny where !targets.isEmpty:
      denied.append(DeniedTargets(gone: key, property: property, targets: targets))
    case .deny, .nullify, .noAction: break
    }
  }

  /// The rows whose column points at an id.
  func pointing(at id: Int64, _ reference: IncomingReference) throws -> [RowKey] {
    let source = layouts[reference.source]
    let kind = source.sharesTable ? "\"_entity\"" : literal(source.entity.name)
    let statement = try connection.cached(
      "SELECT \"id\", \(kind) FROM \(source.table)"
        + " WHERE \(source.columns[reference.column].quoted) = ?1"
    )
    try statement.bind(1, id)
    defer { statement.reset() }
    var result: [RowKey] = []
    while try statement.step() {
      guard let entity = indexes[statement.string(at: 1)] else { continue }
      result.append(RowKey(entity: entity, id: statement.int64(at: 0)))
    }
    for (key, row) in parked.rows where source.family.contains(key.entity) {
      if row[column(reference, in: key)].isSame(as: .integer(id)) { result.append(key) }
    }
    return result
  }

  /// The index of a reference's column in the entity of one row, which may inherit it.
  private func column(_ reference: IncomingReference, in row: RowKey) -> Int {
    let property = layouts[reference.source].columns[reference.column].property
    return layouts[row.entity].column(of: property) ?? reference.column
  }

  /// Fails where a rule forbids a deletion, now that all that was to happen has happened.
  func checkDeletions() throws {
    for check in denied {
      let left = try check.targets.filter { try entity(of: $0.entity, id: $0.id) != nil }
      guard !left.isEmpty else { continue }
      throw refusal(check.gone, .denyRuleOfTargets, property: check.property, left)
    }
    for check in pointers {
      let rows = try pointing(at: check.gone.id, check.reference)
      guard !rows.isEmpty else { continue }
      let property = layouts[check.reference.source].columns[check.reference.column].property
      throw refusal(check.gone, check.obstacle, property: property, rows)
    }
  }

  private func refusal(
    _ gone: RowKey,
    _ obstacle: ObjectFailure.Obstacle,
    property: String,
    _ rows: [RowKey]
  ) -> StoreError {
    let others = rows.map(name)
    return StoreError(ObjectFailure.deletion(name(of: gone), obstacle, property: property, others))
  }
}
