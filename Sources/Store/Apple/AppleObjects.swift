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

    var count: Int { columnCount + joins.count }
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
        joins: joins
      )
    }
    counts = places.map(\.count)
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

  /// The object in the table of a topmost entity.
  func row(inTable root: Int, _ id: Int64) throws -> AppleRow? { try tables[root]?.row(id) }

  /// The object with an id; nil if there is none, or if it is of another entity.
  func row(_ entity: Int, _ id: Int64) throws -> AppleRow? {
    guard let row = try tables[apple.store.model.entities[entity].root]?.row(id) else { return nil }
    return row.entity == entity ? row : nil
  }

  // MARK: Changes

  /// Whether history says what a change changed.
  func isKnown(_ change: AppleChange) -> Bool {
    guard change.kind == .update else { return true }
    return !change.unread.contains {
      switch $0 {
      case .bitmap, .missingBitmap, .guessedModel: true
      default: false
      }
    }
  }

  /// The columns and lists that a change names.
  func columns(of change: AppleChange, _ entity: Int) -> ColumnSet {
    let place = places[entity]
    guard change.kind == .update else { return ColumnSet(count: place.count, isFull: true) }
    var result = ColumnSet(count: place.count)
    var names = change.properties
    if case .known(let toMany) = change.toMany { names += toMany }
    for name in names {
      if let column = place.columns[name] { result.insert(column) }
    }
    return result
  }

  /// The columns and lists that a change can have changed.
  ///
  /// The bit of a place in an ordered relationship only names the relationship to the owner.
  func touched(by change: AppleChange, _ entity: Int) -> ColumnSet {
    var result = columns(of: change, entity)
    guard change.kind == .update else { return result }
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

  /// The value of a row today; nil if the change does not have it, or if its file is missing.
  func value(
    _ property: Property,
    _ row: AppleRow?,
    _ resolved: ColumnSet
  ) throws -> EncodedValue? {
    guard let row, resolved.contains(property.column) else { return nil }
    return try value(property, row)
  }

  func value(_ property: Property, _ row: AppleRow) throws -> EncodedValue? {
    guard let join = property.join else {
      return try encoded(row.values[property.column], property)
    }
    guard let links = links[join] else { return writer.recorder.links[join].list([]) }
    return writer.recorder.links[join].list(try links.destinations(of: row.id))
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
