import Format
import SQLite

/// The tables and columns in which a model's values are, by the rule with which Apple's frameworks
/// name them, and only as far as the file has them.
package struct AppleLayout: Sendable {
  /// The table of a topmost entity.
  package struct Table: Hashable, Sendable {
    /// The index of the topmost entity.
    package let root: Int
    package let name: String
    /// The columns in the order of `CREATE TABLE`; empty if the file does not have the table.
    package var columns: [String] = []
  }

  /// The columns of a to-one relationship.
  package struct ToOne: Hashable, Sendable {
    /// The column with the id of the destination; nil if the file does not have it.
    package var column: String?
    /// The column with the entity of the destination, which exists if the declared destination has
    /// children.
    package var entityColumn: String?
    /// The column with the place in the inverse, which exists if the inverse is ordered.
    package var orderColumn: String?
  }

  /// The hidden columns of a to-many relationship without an inverse, in the table of its members.
  package struct Hidden: Hashable, Sendable {
    package let owner: Int
    package let relationship: String
    package let member: Int
    package var columns = ToOne()
  }

  /// The table of a many-to-many relationship.
  package struct Join: Hashable, Sendable {
    package let table: String
    /// The entity that declares the relationship, and its name.
    package let entity: Int
    package let relationship: String
    /// The column with the ids of the relationship's owners.
    package let source: String
    /// The column with the ids to which the relationship refers.
    package let target: String
    /// The columns with the places of the targets of an owner, and of the owners of a target.
    package var orders: [String] = []
  }

  /// A table whose columns are not those that the rule predicts.
  package struct Difference: Hashable, Sendable {
    package let table: String
    /// Predicted columns that the file does not have.
    package var missing: [String] = []
    /// Columns that the rule does not predict.
    package var unexpected: [String] = []
    package var isMissing = false
  }

  package internal(set) var tables: [Table] = []
  /// The columns of each attribute's leaves; nil for a leaf whose column is missing.
  package internal(set) var attributes: [AppleProperty: [String?]] = [:]
  package internal(set) var toOnes: [AppleProperty: ToOne] = [:]
  package internal(set) var hidden: [Hidden] = []
  package internal(set) var joins: [Join] = []
  package internal(set) var differences: [Difference] = []
  /// Tables that belong to no entity, and are not known otherwise.
  package internal(set) var otherTables: [String] = []

  package func table(of root: Int) -> Table? { tables.first { $0.root == root } }
}

/// A property of the entity that declares it.
package struct AppleProperty: Hashable, Sendable {
  package let entity: Int
  package let name: String

  package init(_ entity: Int, _ name: String) {
    self.entity = entity
    self.name = name
  }
}

/// The names of a table's columns, each used once.
private struct ColumnNames {
  private var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

  mutating func take(_ name: String) -> String {
    if taken.insert(name).inserted { return name }
    var number = 1
    while !taken.insert("\(name)\(number)").inserted { number += 1 }
    return "\(name)\(number)"
  }
}

extension AppleLayout {
  /// Predicts the columns of a model, and keeps what a file has.
  init(_ model: AppleModel, file: FileTables) {
    var predicted: [Int: ColumnNames] = [:]
    var columns: [Int: [String]] = [:]
    func take(_ name: String, _ root: Int) -> String {
      let column = predicted[root, default: ColumnNames()].take(name)
      columns[root, default: []].append(column)
      return column
    }
    // The order of the two passes is the rule: columns that are in no property yield to the others.
    for (index, entity) in model.entities.enumerated() {
      for property in entity.columnProperties {
        switch property {
        case .attribute(let attribute):
          attributes[AppleProperty(index, attribute.name)] = attribute.leaves.map {
            take("Z\($0.name.uppercased())", entity.root)
          }
        case .toOne(let relationship):
          toOnes[AppleProperty(index, relationship.name)] = ToOne(
            column: take("Z\(relationship.name.uppercased())", entity.root)
          )
        }
      }
    }
    for (index, entity) in model.entities.enumerated() {
      for relationship in entity.relationships where !relationship.isTransient {
        guard let destination = model.index(named: relationship.destination) else { continue }
        let name = relationship.name.uppercased()
        let inverse = model.inverse(of: relationship)
        if !relationship.isToMany {
          let place = AppleProperty(index, relationship.name)
          if model.family(of: destination).count > 1 {
            let number = model.entities[destination].number
            toOnes[place]?.entityColumn = take("Z\(number)_\(name)", entity.root)
          }
          if let inverse, inverse.relationship.isToMany, inverse.relationship.isOrdered {
            toOnes[place]?.orderColumn = take("Z_FOK_\(name)", entity.root)
          }
        } else if inverse == nil {
          let root = model.entities[destination].root
          var found = Hidden(owner: index, relationship: relationship.name, member: destination)
          found.columns.column = take("Z\(entity.number)\(name)", root)
          if relationship.isOrdered {
            found.columns.orderColumn = take("Z_FOK_\(entity.number)\(name)", root)
          }
          hidden.append(found)
        }
      }
    }
    compare(model, columns, file)
    findJoins(model, file)
    let known = Set(tables.map(\.name) + joins.map(\.table))
    otherTables = file.columns.keys.filter { !known.contains($0) && !FileTables.isKnown($0) }
      .sorted(by: precedes)
  }

  /// Removes predicted columns that the file does not have, and notes the differences.
  private mutating func compare(
    _ model: AppleModel,
    _ columns: [Int: [String]],
    _ file: FileTables
  ) {
    var existing: [Int: Set<String>] = [:]
    for (index, entity) in model.entities.enumerated() where entity.parent == nil {
      let name = "Z\(entity.name.uppercased())"
      let predicted = columns[index] ?? []
      // Without its own two columns, nothing in a table can be read.
      guard let there = file.columns[name], ["Z_PK", "Z_ENT"].allSatisfy(there.contains) else {
        tables.append(Table(root: index, name: name))
        differences.append(Difference(table: name, missing: predicted, isMissing: true))
        continue
      }
      tables.append(Table(root: index, name: name, columns: there))
      existing[index] = Set(there)
      let all = Set(predicted).union(["Z_PK", "Z_ENT", "Z_OPT"])
      let difference = Difference(
        table: name,
        missing: all.subtracting(there).sorted(by: precedes),
        unexpected: there.filter { !all.contains($0) }
      )
      if !difference.missing.isEmpty || !difference.unexpected.isEmpty {
        differences.append(difference)
      }
    }
    func has(_ column: String?, _ entity: Int) -> Bool {
      column.map { existing[model.entities[entity].root]?.contains($0) == true } ?? false
    }
    func kept(_ columns: ToOne, _ entity: Int) -> ToOne {
      ToOne(
        column: has(columns.column, entity) ? columns.column : nil,
        entityColumn: has(columns.entityColumn, entity) ? columns.entityColumn : nil,
        orderColumn: has(columns.orderColumn, entity) ? columns.orderColumn : nil
      )
    }
    for (place, names) in attributes {
      attributes[place] = names.map { has($0, place.entity) ? $0 : nil }
    }
    for (place, columns) in toOnes { toOnes[place] = kept(columns, place.entity) }
    for index in hidden.indices {
      hidden[index].columns = kept(hidden[index].columns, hidden[index].member)
    }
  }

  // MARK: Many-to-many

  private mutating func findJoins(_ model: AppleModel, _ file: FileTables) {
    var done: Set<AppleProperty> = []
    for (index, entity) in model.entities.enumerated() {
      for relationship in entity.relationships where !relationship.isTransient {
        guard relationship.isToMany, let inverse = model.inverse(of: relationship),
          inverse.relationship.isToMany,
          done.insert(AppleProperty(index, relationship.name)).inserted
        else { continue }
        let isOwn = inverse.entity == index && inverse.relationship.name == relationship.name
        guard
          isOwn || done.insert(AppleProperty(inverse.entity, inverse.relationship.name)).inserted
        else { continue }
        addJoin(model, (index, relationship), inverse, isOwn: isOwn, file)
      }
    }
  }

  private mutating func addJoin(
    _ model: AppleModel,
    _ one: (entity: Int, relationship: AppleRelationship),
    _ other: (entity: Int, relationship: AppleRelationship),
    isOwn: Bool,
    _ file: FileTables
  ) {
    func name(_ entity: Int, _ relationship: AppleRelationship) -> String {
      "\(model.entities[entity].number)\(relationship.name.uppercased())"
    }
    // A column has the number of the entity to which its ids belong, and the relationship that refers
    // to it.
    let target = name(other.entity, one.relationship)
    let source = isOwn ? "REFLEXIVE" : name(one.entity, other.relationship)
    for side in [one, other] {
      let table = "Z_\(name(side.entity, side.relationship))"
      guard let there = file.columns[table], !joins.contains(where: { $0.table == table }) else {
        continue
      }
      var rest = there.filter { !$0.hasPrefix("Z_FOK_") }
      func find(_ name: String) -> String? {
        let place =
          rest.firstIndex(of: name)
          ?? rest.firstIndex {
            $0.hasPrefix(name) && $0.dropFirst(name.count).allSatisfy(\.isNumber)
          }
        return place.map { rest.remove(at: $0) }
      }
      let first = find("Z_\(target)")
      let second = find(isOwn ? source : "Z_\(source)")
      guard let first, let second else {
        differences.append(
          Difference(
            table: table,
            missing: [first == nil ? "Z_\(target)" : nil, second == nil ? source : nil]
              .compactMap { $0 },
            unexpected: rest
          )
        )
        return
      }
      if !rest.isEmpty { differences.append(Difference(table: table, unexpected: rest)) }
      joins.append(
        Join(
          table: table,
          entity: one.entity,
          relationship: one.relationship.name,
          source: second,
          target: first,
          orders: there.filter { $0.hasPrefix("Z_FOK_") }
        )
      )
      return
    }
    let table = "Z_\(name(one.entity, one.relationship))"
    differences.append(Difference(table: table, isMissing: true))
  }
}

extension AppleEntity {
  /// A property that has a column.
  enum ColumnProperty {
    case attribute(AppleAttribute)
    case toOne(AppleRelationship)

    var name: String {
      switch self {
      case .attribute(let attribute): attribute.name
      case .toOne(let relationship): relationship.name
      }
    }
  }

  /// The attributes and to-one relationships that the entity declares, byte-wise by name.
  var columnProperties: [ColumnProperty] {
    let all: [ColumnProperty] =
      attributes.filter { !$0.isTransient }.map { .attribute($0) }
      + relationships.filter { !$0.isTransient && !$0.isToMany }.map { .toOne($0) }
    return all.sorted { precedes($0.name, $1.name) }
  }
}
