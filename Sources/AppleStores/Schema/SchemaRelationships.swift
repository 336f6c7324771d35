import Format
import SQLite

/// Relationships with the storage that our stores give them.
extension SchemaBuilder {
  /// A name in messages and for hidden properties.
  private func hiddenName(_ owner: Int, _ relationship: String) -> String {
    "_\(model.entities[owner].name)_\(relationship)"
  }

  /// Whether a to-one relationship is an attribute, because not all its ids have an object.
  private func isBroken(_ place: AppleProperty) -> Bool {
    facts.count(.missingDestination, place) > 0 || facts.count(.otherEntity, place) > 0
  }

  private func isOneSided(_ one: AppleProperty, _ other: AppleProperty) -> Bool {
    facts.count(.oneSided, one) > 0 || facts.count(.oneSided, other) > 0
  }

  mutating func addRelationships(of index: Int) {
    for relationship in model.entities[index].relationships where !relationship.isTransient {
      if relationship.isToMany {
        addToMany(relationship, of: index)
      } else {
        addToOne(relationship, of: index)
      }
    }
  }

  private mutating func addToOne(_ relationship: AppleRelationship, of index: Int) {
    let place = AppleProperty(index, relationship.name)
    let column = columns[place] ?? relationship.name
    let stored = store.layout.toOnes[place]
    let source = stored?.column.map { ColumnSource<String>.integer(column: $0) } ?? .missing
    if source == .missing { note(.missingColumn, index, relationship.name) }
    var isOptional = relationship.isOptional || source == .missing
    let nulls = facts.count(.missingValue, place)
    if nulls > 0 {
      note(.missingValue, index, relationship.name, count: nulls)
      isOptional = true
    }
    addOrder(stored?.orderColumn, of: relationship, at: index)
    for reason in [Loosened.Reason.missingDestination, .otherEntity] {
      let count = facts.count(reason, place)
      if count > 0 { note(reason, index, relationship.name, count: count) }
    }
    guard !isBroken(place) else {
      declared[index].sources[relationship.name] = source
      declared[index].attributes.append(
        Attribute(
          name: relationship.name,
          column: column,
          type: .int64,
          isOptional: isOptional,
          originalName: originalName(relationship.renamingIdentifier, relationship.name)
        )
      )
      return
    }
    var result = plain(relationship, storage: .column(column))
    result.isOptional = isOptional
    if let inverse = model.inverse(of: relationship) {
      let other = AppleProperty(inverse.entity, inverse.relationship.name)
      result.inverse = inverse.relationship.name
      if !inverse.relationship.isToMany {
        let oneSided = facts.count(.oneSided, place)
        if oneSided > 0 { note(.oneSided, index, relationship.name, count: oneSided) }
        if isBroken(other) || isOneSided(place, other) {
          result.inverse = nil
        } else if !ownsColumn(relationship, place, inverse.relationship, other) {
          result.storage = .inverseColumn(columns[other] ?? inverse.relationship.name)
        }
      }
    }
    if case .column = result.storage { declared[index].sources[relationship.name] = source }
    declared[index].relationships.append(result)
  }

  /// Which of two inverse to-one relationships has the column, by the rule of our stores.
  private func ownsColumn(
    _ one: AppleRelationship,
    _ place: AppleProperty,
    _ other: AppleRelationship,
    _ otherPlace: AppleProperty
  ) -> Bool {
    let (cascades, isDeletedBy) = (one.deleteRule == .cascade, other.deleteRule == .cascade)
    if cascades != isDeletedBy { return isDeletedBy }
    if one.isOptional != other.isOptional { return !one.isOptional }
    return (model.entities[place.entity].name, one.name)
      <= (model.entities[otherPlace.entity].name, other.name)
  }

  private mutating func addToMany(_ relationship: AppleRelationship, of index: Int) {
    guard let inverse = model.inverse(of: relationship) else {
      // The hidden relationship is added later, to the entity of the members.
      let place = AppleProperty(index, relationship.name)
      guard !isBroken(place) else { return }
      let hidden = hiddenName(index, relationship.name)
      var result = plain(relationship, storage: .inverseColumn(hidden))
      result.inverse = hidden
      declared[index].relationships.append(result)
      return
    }
    let other = AppleProperty(inverse.entity, inverse.relationship.name)
    guard inverse.relationship.isToMany else {
      // Without references, there is no column from which the members can be read.
      guard !isBroken(other) else { return }
      var result = plain(
        relationship,
        storage: .inverseColumn(columns[other] ?? inverse.relationship.name)
      )
      result.inverse = inverse.relationship.name
      declared[index].relationships.append(result)
      return
    }
    let this = (model.entities[index].name, relationship.name)
    let that = (model.entities[inverse.entity].name, inverse.relationship.name)
    let first = this <= that ? this : that
    let table = "\(first.0)_\(first.1)"
    let storage: Relationship.Storage =
      if this.0 != that.0 {
        .joinTable(table, source: this.0, target: that.0)
      } else if this.1 != that.1 {
        .joinTable(table, source: that.1, target: this.1)
      } else {
        .joinTable(table, source: this.0, target: this.1)
      }
    var result = plain(relationship, storage: storage)
    result.inverse = inverse.relationship.name
    declared[index].relationships.append(result)
  }

  private func plain(
    _ relationship: AppleRelationship,
    storage: Relationship.Storage
  ) -> Relationship {
    Relationship(
      name: relationship.name,
      destination: relationship.destination,
      isToMany: relationship.isToMany,
      isOptional: relationship.isOptional,
      storage: storage,
      deleteRule: relationship.deleteRule,
      minimumCount: relationship.minimumCount,
      maximumCount: relationship.maximumCount,
      originalName: originalName(relationship.renamingIdentifier, relationship.name)
    )
  }

  // MARK: Hidden properties

  /// Adds an attribute of a member with its place in an ordered relationship.
  private mutating func addOrder(
    _ column: String?,
    of toOne: AppleRelationship,
    at index: Int
  ) {
    guard let column, let inverse = model.inverse(of: toOne)?.relationship else { return }
    addOrder(column, named: inverse.name, at: index)
  }

  private mutating func addOrder(_ column: String, named relationship: String, at index: Int) {
    // Two relationships of the same name can have members of one entity.
    var name = "_\(relationship)_order"
    let root = model.entities[index].root
    while !hiddenNames.insert(AppleProperty(root, name)).inserted { name += "_" }
    let ours = take(name, root)
    declared[index].sources[name] = .integer(column: column)
    declared[index].attributes.append(
      Attribute(name: name, column: ours, type: .int64, isOptional: true)
    )
  }

  mutating func addHiddenRelationships() {
    for hidden in store.layout.hidden {
      let place = AppleProperty(hidden.owner, hidden.relationship)
      let name = hiddenName(hidden.owner, hidden.relationship)
      let column = take(name, model.entities[hidden.member].root)
      let source =
        hidden.columns.column.map { ColumnSource<String>.integer(column: $0) } ?? .missing
      if source == .missing { note(.missingColumn, hidden.owner, hidden.relationship) }
      for reason in [Loosened.Reason.missingDestination, .otherEntity] {
        let count = facts.count(reason, place)
        if count > 0 { note(reason, hidden.owner, hidden.relationship, count: count) }
      }
      declared[hidden.member].sources[name] = source
      if isBroken(place) {
        declared[hidden.member].attributes.append(
          Attribute(name: name, column: column, type: .int64, isOptional: true)
        )
      } else {
        declared[hidden.member].relationships.append(
          Relationship(
            name: name,
            destination: model.entities[hidden.owner].name,
            isToMany: false,
            inverse: hidden.relationship,
            storage: .column(column),
            isHidden: true
          )
        )
      }
      if let order = hidden.columns.orderColumn {
        addOrder(order, named: hidden.relationship, at: hidden.member)
      }
    }
  }

  mutating func noteLostOrders() {
    for join in store.layout.joins where !join.orders.isEmpty {
      note(.lostOrder, join.entity, join.relationship)
    }
  }

  mutating func noteMissingLinks() throws {
    for join in store.layout.joins {
      guard
        let relationship = model.relationship(join.relationship, of: join.entity)?.relationship,
        let destination = model.index(named: relationship.destination),
        let first = store.layout.table(of: model.entities[join.entity].root),
        let second = store.layout.table(of: model.entities[destination].root),
        !first.columns.isEmpty, !second.columns.isEmpty
      else { continue }
      let statement = try store.connection.prepare(
        """
        SELECT count(*) FROM \(quoted(join.table)) j WHERE
        NOT EXISTS (SELECT 1 FROM \(quoted(first.name)) d WHERE d.Z_PK = j.\(quoted(join.source)))
        OR NOT EXISTS (SELECT 1 FROM \(quoted(second.name)) d WHERE d.Z_PK = j.\(quoted(join.target)))
        """
      )
      guard try statement.step(), statement.int64(at: 0) > 0 else { continue }
      note(.missingLink, join.entity, join.relationship, count: statement.int64(at: 0))
    }
  }
}
