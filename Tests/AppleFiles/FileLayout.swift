/// A relationship or an attribute of the entity that declares it.
struct Property: Hashable {
  let entity: String
  let name: String

  init(_ entity: String, _ name: String) {
    self.entity = entity
    self.name = name
  }
}

extension FileModel {
  package subscript(name: String) -> Entity? { entities.first { $0.name == name } }

  /// An entity and its ancestors, the topmost first.
  package func lineage(of name: String) -> [String] {
    guard let parent = self[name]?.parent else { return [name] }
    return lineage(of: parent) + [name]
  }

  package func root(of name: String) -> String { lineage(of: name)[0] }

  /// The entities that inherit from one, and itself.
  package func family(of name: String) -> [String] {
    entities.map(\.name).filter { lineage(of: $0).contains(name) }
  }

  /// The attributes that are in the file, also inherited ones.
  package func attributes(of name: String) -> [Attribute] {
    lineage(of: name).flatMap { self[$0]?.attributes ?? [] }.filter { !$0.isTransient }
  }

  /// The relationships of an entity with the entities that declare them.
  package func relationships(
    of name: String
  ) -> [(owner: String, relationship: Relationship)] {
    lineage(of: name).flatMap { owner in
      (self[owner]?.relationships ?? []).map { (owner, $0) }
    }
  }

  package func relationship(
    _ name: String,
    of entity: String
  ) -> (owner: String, relationship: Relationship)? {
    relationships(of: entity).first { $0.relationship.name == name }
  }

  package func inverse(
    of relationship: Relationship
  ) -> (owner: String, relationship: Relationship)? {
    relationship.inverse.flatMap { self.relationship($0, of: relationship.destination) }
  }

  /// The entities in the order of their numbers: depth first, siblings without regard to case.
  package var numbered: [String] {
    func below(_ parent: String?) -> [String] {
      entities.filter { $0.parent == parent }.map(\.name)
        .sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
        .flatMap { [$0] + below($0) }
    }
    return below(nil)
  }

  /// The attributes of an entity that history keeps of deleted objects.
  package func preserved(of name: String) -> [Attribute] {
    lineage(of: name).flatMap { level in
      (self[level]?.attributes ?? []).filter { $0.flags & 16 != 0 && !$0.isTransient }
        .sorted { precedes($0.name, $1.name) }
    }
  }
}

/// Byte by byte, as Core Data sorts names.
func precedes(_ one: String, _ other: String) -> Bool {
  Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8))
}

/// Where the values of a model are in a file.
struct FileLayout {
  struct Column {
    enum Source: Hashable {
      case attribute(Property, leaf: Int)
      case reference(Property)
      /// The entity of a reference's destination.
      case entity(Property)
      /// A value with a name that no property has, of members of an entity.
      case hidden(String, member: String)
    }
    let name: String
    let type: String
    let source: Source
    /// The place of the column among those of its table.
    var rank: Int
  }

  struct Join {
    let table: String
    let owner: Property
    let columns: [String]
    let orders: [String]
    let isSymmetric: Bool
  }

  let model: FileModel
  private(set) var numbers: [String: Int64] = [:]
  /// The columns of each topmost entity, in the order of the table.
  private(set) var columns: [String: [Column]] = [:]
  /// The joins by the relationship that gives the table its name.
  private(set) var joins: [Property: Join] = [:]

  static func table(_ root: String) -> String { "Z\(root.uppercased())" }

  /// Lays out a model; columns that were in an older layout stay before new ones.
  init(_ model: FileModel, after old: FileLayout? = nil, _ names: Renaming? = nil) {
    self.model = model
    for (index, name) in model.numbered.enumerated() { numbers[name] = Int64(index + 1) }
    for entity in model.numbered { addProperties(of: entity) }
    for entity in model.numbered {
      for relationship in model[entity]?.relationships ?? [] {
        addHidden(relationship, of: entity)
      }
    }
    for (root, unsorted) in columns {
      var places: [Column.Source: Int] = [:]
      if let old, let names, let oldRoot = names.entities[root] {
        for (index, column) in (old.columns[oldRoot] ?? []).enumerated() {
          places[column.source] = index
        }
      }
      func place(_ column: Column) -> (Int, Int, String) {
        guard let names, let there = names.old(column.source).flatMap({ places[$0] }) else {
          return (.max, column.rank, column.name)
        }
        return (there, 0, "")
      }
      columns[root] = unsorted.sorted { one, other in
        let (first, second) = (place(one), place(other))
        guard one.rank == other.rank, one.rank == 4, first.0 == second.0 else {
          return first < second
        }
        // Columns with places are not in the order of their names.
        return first > second
      }
    }
  }

  private mutating func add(
    _ name: String,
    _ type: String,
    _ rank: Int,
    _ source: Column.Source,
    _ root: String
  ) {
    var (unused, number) = (name, 0)
    while columns[root, default: []].contains(where: { $0.name == unused }) {
      number += 1
      unused = name + String(number)
    }
    columns[root, default: []].append(
      Column(name: unused, type: type, source: source, rank: rank)
    )
  }

  private mutating func addProperties(of entity: String) {
    let root = model.root(of: entity)
    if columns[root] == nil { columns[root] = [] }
    guard let declared = model[entity] else { return }
    let attributes = declared.attributes.filter { !$0.isTransient }
    let toOnes = declared.relationships.filter { !$0.isToMany }
    for name in (attributes.map(\.name) + toOnes.map(\.name)).sorted(by: precedes) {
      guard let attribute = attributes.first(where: { $0.name == name }) else {
        add("Z\(name.uppercased())", "INTEGER", 1, .reference(Property(entity, name)), root)
        continue
      }
      for (index, leaf) in attribute.leaves.enumerated() {
        let (type, rank) = Self.types[leaf.type] ?? ("BLOB", 7)
        let source = Column.Source.attribute(Property(entity, name), leaf: index)
        add("Z\(leaf.name.uppercased())", type, rank, source, root)
      }
    }
  }

  private static let types: [Int64: (String, Int)] = [
    100: ("INTEGER", 0), 200: ("INTEGER", 0), 300: ("INTEGER", 0), 800: ("INTEGER", 0),
    400: ("DECIMAL", 5), 500: ("FLOAT", 5), 600: ("FLOAT", 5), 900: ("TIMESTAMP", 5),
    700: ("VARCHAR", 6), 1200: ("VARCHAR", 6),
  ]

  private mutating func addHidden(_ relationship: FileModel.Relationship, of entity: String) {
    let name = relationship.name.uppercased()
    let inverse = model.inverse(of: relationship)
    let place = Property(entity, relationship.name)
    let destination = relationship.destination
    if !relationship.isToMany {
      if hasEntityColumn(relationship), let number = numbers[destination] {
        add("Z\(number)_\(name)", "INTEGER", 2, .entity(place), model.root(of: entity))
      }
      if let inverse = inverse?.relationship, inverse.isToMany, inverse.isOrdered {
        let source = Column.Source.hidden("_\(inverse.name)_order", member: entity)
        add("Z_FOK_\(name)", "INTEGER", 4, source, model.root(of: entity))
      }
    } else if let inverse, inverse.relationship.isToMany {
      addJoin(place, Property(inverse.owner, inverse.relationship.name))
    } else if inverse == nil, let number = numbers[entity] {
      let root = model.root(of: destination)
      let source = Column.Source.hidden("_\(entity)_\(relationship.name)", member: destination)
      add("Z\(number)\(name)", "INTEGER", 3, source, root)
      guard relationship.isOrdered else { return }
      let order = Column.Source.hidden("_\(relationship.name)_order", member: destination)
      add("Z_FOK_\(number)\(name)", "INTEGER", 4, order, root)
    }
  }

  func hasEntityColumn(_ relationship: FileModel.Relationship) -> Bool {
    model.family(of: relationship.destination).count > 1
  }

  /// Both sides add the same table.
  private mutating func addJoin(_ one: Property, _ other: Property) {
    // Real tables have the name of one side or of the other; no rule for it is known.
    let isFirst =
      precedes(one.name, other.name)
      || one.name == other.name
        && !precedes(other.entity, one.entity)
    let (owner, back) = isFirst ? (one, other) : (other, one)
    func name(_ number: String, _ relationship: String) -> String {
      "\(numbers[number] ?? 0)\(relationship.uppercased())"
    }
    func isOrdered(_ place: Property) -> Bool {
      model[place.entity]?.relationships.first { $0.name == place.name }?.isOrdered == true
    }
    let target = name(back.entity, owner.name)
    let source = owner == back ? "REFLEXIVE" : "Z_" + name(owner.entity, back.name)
    joins[owner] = Join(
      table: "Z_" + name(owner.entity, owner.name),
      owner: owner,
      columns: [source, "Z_" + target],
      orders: (isOrdered(owner) ? ["Z_FOK_" + target] : [])
        + (isOrdered(back) && owner != back ? ["Z_FOK_" + source.dropFirst(2)] : []),
      isSymmetric: owner == back
    )
  }

  /// The key of the join of a relationship, and whether the relationship is the one that names it.
  func join(of place: Property) -> (join: Join, isOwner: Bool)? {
    if let join = joins[place] { return (join, true) }
    guard
      let relationship = model[place.entity]?.relationships.first(where: {
        $0.name == place.name
      }), let inverse = model.inverse(of: relationship)
    else { return nil }
    return joins[Property(inverse.owner, inverse.relationship.name)].map { ($0, false) }
  }

  /// The columns of an entity's own values.
  func columns(of entity: String) -> [Column] {
    let lineage = model.lineage(of: entity)
    return (columns[lineage[0]] ?? []).filter { column in
      switch column.source {
      case .attribute(let place, _), .reference(let place), .entity(let place):
        lineage.contains(place.entity)
      case .hidden(_, let member): lineage.contains(member)
      }
    }
  }

  // MARK: Bitmaps

  /// What each bit of an update of an entity means: a property, or a part of it after a slash.
  func slots(of entity: String) -> [String] {
    let lineage = model.lineage(of: entity)
    let toOnes = lineage.flatMap { level in
      (model[level]?.relationships ?? []).filter { !$0.isToMany }
        .sorted { precedes($0.name, $1.name) }
    }
    let ordered = toOnes.filter { model.inverse(of: $0)?.relationship.isOrdered == true }
    let orders = columns(of: entity).compactMap { column -> String? in
      guard case .hidden(let name, _) = column.source else { return nil }
      return ordered.first { "_\($0.inverse ?? "")_order" == name }.map { "\($0.name)/order" }
    }
    let attributes = lineage.flatMap { level in
      (model[level]?.attributes ?? []).filter { !$0.isTransient }
        .sorted { precedes($0.name, $1.name) }
    }
    // No order of these is known of real files, so the order is none that a reader would expect.
    let toMany = lineage.flatMap { model[$0]?.relationships ?? [] }.filter(\.isToMany)
      .sorted { ($0.name.count, $1.name) > ($1.name.count, $0.name) }
    return toOnes.map(\.name)
      + toOnes.filter(hasEntityColumn).map { "\($0.name)/entity" } + orders
      + attributes.flatMap { attribute in
        guard attribute.type == 2100, model.leavesHaveBits else { return [attribute.name] }
        return attribute.leaves.indices.map { "\(attribute.name)/\($0)" }
      } + toMany.map(\.name)
  }

  func bitmap(_ slots: Set<String>, of entity: String) -> [UInt8] {
    let all = self.slots(of: entity)
    var bytes = [UInt8](repeating: 0, count: (all.count + 7) / 8)
    for (index, slot) in all.enumerated() where slots.contains(slot) {
      bytes[index / 8] |= 1 << UInt8(7 - index % 8)
    }
    return bytes
  }
}
