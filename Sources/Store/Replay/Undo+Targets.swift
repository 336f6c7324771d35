import Format

// References and links whose target the undo deletes, or whose target is missing.
extension Undo {
  /// A target of a reference or a link.
  struct Lead {
    let property: String
    /// The column of the reference; nil for a link.
    let column: ColumnIndex?
    /// The join table of the link; nil for a reference.
    let joinIndex: JoinIndex?
    let target: RowKey
  }

  func noteTarget(_ key: RowKey, at index: ColumnIndex, value: Value) {
    let column = writer.layouts[key.entity].columns[index]
    guard let destination = column.destination, case .integer(let id) = value else { return }
    targets[key, default: []].append(
      Lead(
        property: column.property,
        column: index,
        joinIndex: nil,
        target: RowKey(entity: destination, id: ObjectID(id))
      )
    )
  }

  func findReferences(to key: RowKey) throws {
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
  func findMissing(_ key: RowKey, leads: [Lead]) throws {
    guard let row = try current(key) else { return }
    for lead in leads
    where try writer.entity(of: lead.target) == nil {
      // When older transactions were reverted, the object may have got another target. Then the
      // lead is skipped.
      let target = lead.target.id.integer
      if let column = lead.column, !row[column].isSame(as: .integer(target)) { continue }
      if let join = lead.joinIndex, try !writer.joins[join].isLinked(key.id.integer, target: target)
      {
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
