import AppleStores
import Format
import FoundationEssentials
import SQLite

/// The objects of a store of Apple's frameworks, with their values as our history has them.
final class AppleObjects {
  /// Where the properties of an entity are in its changes: first the columns, then the lists of links.
  struct Place {
    let entity: EntityIndex
    let columnCount: Int
    /// The columns and lists by the names of properties.
    let columns: [String: Int]
    let joins: [JoinIndex]
    /// The names of the properties with quotes and a colon.
    let keys: [[UInt8]]

    var count: Int { columnCount + joins.count }
    var all: ColumnSet { ColumnSet(count: count, isFull: true) }
    func place(_ column: Int) -> AppleObjects.Property { AppleObjects.Property(self, column) }
  }

  /// A column or a list of an entity.
  struct Property {
    let entity: EntityIndex
    let column: Int
    /// The join table of a list; nil for a column.
    let join: JoinIndex?

    init(_ place: Place, _ column: Int) {
      entity = place.entity
      self.column = column
      join = column < place.columnCount ? nil : place.joins[column - place.columnCount]
    }
  }

  let apple: AppleDatabase
  private let writer: Writer
  /// The places by the index of the entity in the model.
  let places: [Place]
  let counts: [Int]
  /// What updates with these names change and name, by the entity.
  private var updates: [[[String]: (columns: ColumnSet, named: ColumnSet)]]
  /// The tables by the index of their topmost entity.
  private let tables: [Int: AppleRows]
  /// The tables of links, by our join table.
  let links: [JoinIndex: AppleLinks]
  /// The tables of links with the topmost entity of the objects that own them.
  let linkTables: [(name: String, links: AppleLinks, root: Int)]

  init(_ apple: AppleDatabase, _ writer: Writer) throws {
    self.apple = apple
    self.writer = writer
    let model = apple.store.model
    let decoders = ChangeFormat(writer.layouts).decoders
    places = try model.entities.map { entity in
      guard let index = writer.indexes[entity.name] else {
        throw missingSchema(entity.name, at: writer.connection.path)
      }
      let layout = writer.layouts[index]
      var columns: [String: Int] = [:]
      for (place, column) in layout.columns.enumerated() { columns[column.property] = place }
      let joins = decoders[index].joins
      for (place, join) in joins.enumerated() {
        let table = writer.joins[join].table
        let relationship = writer.layouts[table.owner].entity.relationships[table.relationship]
        columns[relationship.name] = layout.columns.count + place
      }
      return Place(
        entity: index,
        columnCount: layout.columns.count,
        columns: columns,
        joins: joins,
        keys: layout.columns.map { memberKey($0.logName) }
          + joins.map { writer.recorder.links[$0].key }
      )
    }
    counts = places.map(\.count)
    updates = Array(repeating: [:], count: places.count)
    var tables: [Int: AppleRows] = [:]
    for root in model.entities.indices where model.entities[root].root == root {
      tables[root] = try AppleRows(
        apple.store,
        apple.mapping,
        root: root,
        external: apple.external
      )
    }
    self.tables = tables
    var links: [JoinIndex: AppleLinks] = [:]
    var linkTables: [(name: String, links: AppleLinks, root: Int)] = []
    for join in apple.store.layout.joins {
      let name = model.joinName(join)
      guard let index = writer.joins.firstIndex(where: { $0.table.name == name }) else { continue }
      let table = try AppleLinks(apple.store, join)
      links[JoinIndex(index)] = table
      let owner = writer.layouts[writer.joins[index].table.owner].entity.name
      guard let entity = model.index(named: owner) else { continue }
      linkTables.append((join.table, table, model.entities[entity].root))
    }
    self.links = links
    self.linkTables = linkTables
  }

  var roots: [Int] { tables.keys.sorted() }

  func table(_ root: Int) -> AppleRows? { tables[root] }

  func key(_ entity: Int, _ id: Int64) -> RowKey {
    RowKey(entity: places[entity].entity, id: ObjectID(id))
  }

  /// The object in the table of a topmost entity.
  func row(inTable root: Int, _ id: Int64) throws -> AppleRow? { try tables[root]?.row(id) }

  /// The object with an id; nil if there is none, or if it is of another entity.
  func row(_ entity: Int, _ id: Int64) throws -> AppleRow? {
    guard let row = try tables[apple.store.model.entities[entity].root]?.row(id) else { return nil }
    return row.entity == entity ? row : nil
  }

  /// Calls the closure with the values of an object; false if there is no object with the id, or if
  /// it is of another entity.
  func find(
    _ entity: Int,
    _ id: Int64,
    _ body: (AppleValues) throws -> Void = { _ in }
  ) throws -> Bool {
    try tables[apple.store.model.entities[entity].root]?.find(id) { values in
      guard values.entity == entity else { return false }
      try body(values)
      return true
    } ?? false
  }

  // MARK: Changes

  /// What a change in a transaction says about its object.
  func touch(
    of change: AppleChange,
    _ kind: AppleChange.Kind,
    _ entity: Int,
    in transaction: Int64
  ) -> ResolvedChanges.Touch {
    var sets = (columns: places[entity].all, named: places[entity].all)
    if kind == .update {
      var names = change.properties
      if case .known(let toMany) = change.toMany { names += toMany }
      if let known = updates[entity][names] {
        sets = known
      } else {
        let named = columns(names, entity)
        sets = (orders(of: change, entity).union(named), named)
        // The updates of an entity have few combinations of properties.
        if updates[entity].count < 1_000 { updates[entity][names] = sets }
      }
    }
    return ResolvedChanges.Touch(
      kind: isKnown(change) ? ResolvedChanges.Kind(kind) : .unread,
      entity: entity,
      id: change.id,
      transaction: transaction,
      columns: sets.columns,
      named: sets.named
    )
  }

  /// Whether history says what a change changed.
  private func isKnown(_ change: AppleChange) -> Bool {
    guard change.kind == .update else { return true }
    return !change.unread.contains {
      switch $0 {
      case .bitmap, .missingBitmap, .guessedModel: true
      default: false
      }
    }
  }

  /// The columns and lists with these names.
  private func columns(_ names: [String], _ entity: Int) -> ColumnSet {
    var result = ColumnSet(count: places[entity].count)
    for name in names {
      if let column = places[entity].columns[name] { result.insert(column) }
    }
    return result
  }

  /// The columns and lists that an update can have changed, besides those that it names.
  ///
  /// The bit of a place in an ordered relationship only names the relationship to the owner.
  private func orders(of change: AppleChange, _ entity: Int) -> ColumnSet {
    var result = ColumnSet(count: places[entity].count)
    let model = apple.store.model
    for name in change.properties {
      guard let relationship = model.relationship(name, of: entity)?.relationship,
        let inverse = model.inverse(of: relationship)?.relationship, inverse.isOrdered,
        let column = places[entity].columns["_\(inverse.name)_order"]
      else { continue }
      result.insert(column)
    }
    return result
  }

  // MARK: Values

  /// The links of an object.
  func targets(_ join: JoinIndex, of id: Int64) throws -> [Int64] {
    try links[join]?.destinations(of: id) ?? []
  }

  /// Appends a column or list of an object to a side of a change; false if it is not known.
  ///
  /// An insertion leaves out empty lists.
  func append(
    _ column: Int,
    of id: Int64,
    _ place: Place,
    isInsertion: Bool,
    value: @autoclosure () throws -> StoredValue,
    to side: inout ChangeSide
  ) throws -> Bool {
    if column < place.columnCount {
      return try append(value(), place.place(column), to: &side)
    }
    let join = place.joins[column - place.columnCount]
    let targets = try targets(join, of: id)
    if targets.isEmpty, isInsertion { return true }
    side.append(place.keys[column], value: writer.recorder.links[join].list(targets))
    return true
  }

  /// Appends a value to a side of a change; false if its file is missing.
  func append(
    _ stored: StoredValue,
    _ property: Property,
    to side: inout ChangeSide
  ) throws -> Bool {
    let column = ColumnIndex(property.column)
    let encoder = writer.recorder.encoders[property.entity]
    switch stored {
    case .value(let value), .special(let value):
      try side.append(value, at: column, encoder: encoder, blobs: writer.blobs)
    case .missing: return false
    case .file:
      guard let value = try encoded(stored, property) else { return false }
      side.append(encoder.key(column), value: value)
    }
    return true
  }

  /// A value in the form of history; nil if its file is missing.
  func encoded(_ stored: StoredValue, _ property: Property) throws -> EncodedValue? {
    let column = ColumnIndex(property.column)
    let encoder = writer.recorder.encoders[property.entity]
    switch stored {
    case .value(let value), .special(let value):
      return try encoder.encoded(value, at: column, blobs: writer.blobs)
    case .missing: return nil
    case .file(let file):
      let large = LargeValue.file(file.path)
      guard file.size > LargeValue.limit else {
        return try encoder.encoded(.blob(large.data()), at: column, blobs: writer.blobs)
      }
      var hash = SHA256()
      try large.forEachPiece { hash.update($0) }
      let digest = hash.finish().description
      if try !writer.blobs.isKept(digest) { try writer.blobs.keep(large, digest: digest) }
      return EncodedValue(large: LargeReference(digest: digest, size: file.size))
    }
  }

  // MARK: Words

  func text(_ reason: AppleChange.Unread) -> String {
    switch reason {
    case .unknownEntity(let number): "no entity has the number \(number)"
    case .unknownKind(let number): "no kind of change has the number \(number)"
    case .bitmap(.length): "the bitmap does not have the length of the entity"
    case .bitmap(.extraBits): "the bitmap has bits of no property"
    case .bitmap(.ambiguousComposites): "the bitmap can be read in two ways"
    case .missingBitmap: "the bitmap is missing"
    case .unexpectedBitmap: "only an update has a bitmap"
    case .guessedModel: "the model is missing, so bitmaps can't be read"
    case .unexpectedTombstone(let number): "the kept value \(number) is of no attribute"
    case .missingTransaction: "the transaction of the change is missing"
    }
  }
}

extension AppleModel {
  /// The name of our join table for a many-to-many relationship.
  fileprivate func joinName(_ join: AppleLayout.Join) -> String {
    let this = (entities[join.entity].name, join.relationship)
    guard let relationship = relationship(join.relationship, of: join.entity)?.relationship,
      let inverse = inverse(of: relationship)
    else { return "\(this.0)_\(this.1)" }
    let that = (entities[inverse.entity].name, inverse.relationship.name)
    let first = this <= that ? this : that
    return "\(first.0)_\(first.1)"
  }
}

extension ResolvedChanges.Kind {
  init(_ kind: AppleChange.Kind) {
    self =
      switch kind {
      case .insert: .insert
      case .update: .update
      case .delete: .delete
      }
  }
}
