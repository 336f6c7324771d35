import Foundation
import TestSupport

@testable import Format
@testable import Store

/// A schema that changes at random, and the rows of a naive model that follows it.
struct EvolvingSchema {
  /// An entity with its own properties only.
  struct Draft {
    var name: String
    var parent: String?
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var indexes: [[String]] = []
    var originalName: String?
  }

  var drafts: [Draft] = []
  var version = 1
  /// The rows of each entity by their ids; references are integers.
  var rows: [String: [Int64: [String: Value]]] = [:]
  var generator: SeededGenerator
  private var nextName = 0

  static let types: [ValueType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .double, .float, .string, .date, .data, .uuid,
    .decimal,
  ]

  init(_ generator: SeededGenerator) {
    self.generator = generator
    for _ in 0..<3 { addEntity() }
    addChild()
  }

  mutating func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
  mutating func chance(_ percent: Int) -> Bool { random(0..<100) < percent }

  mutating func freshName(_ prefix: String) -> String {
    nextName += 1
    return "\(prefix)\(nextName)"
  }

  func root(of draft: Draft) -> Draft {
    draft.parent.flatMap { parent in drafts.first { $0.name == parent } } ?? draft
  }

  /// The schema with inherited properties written out.
  var schema: StoreSchema {
    StoreSchema(
      version: "\(version)",
      entities: drafts.map { draft in
        let parent = draft.parent.flatMap { name in drafts.first { $0.name == name } }
        let isShared = parent != nil || drafts.contains { $0.parent == draft.name }
        return Entity(
          name: draft.name,
          parent: draft.parent,
          table: root(of: draft).name,
          sharesTable: isShared,
          attributes: (parent?.attributes ?? []) + draft.attributes,
          relationships: (parent?.relationships ?? []) + draft.relationships,
          indexes: (parent?.indexes ?? []) + draft.indexes,
          originalName: draft.originalName
        )
      }
    )
  }

  mutating func value(_ type: ValueType) -> Value {
    switch type {
    case .bool: return .integer(Int64(random(0..<2)))
    case .double, .float, .date: return .real(Double(random(-8..<8)) / 4)
    case .data: return .blob(Data([UInt8(random(0..<256))]))
    case .uuid: return .text("0E984725-C51C-4BF4-9960-E1C80E27AB\(random(10..<99))")
    case .decimal: return .text("\(random(1..<99)).5")
    case .string: return .text(["", "a", "ü", "NaN"][random(0..<4)])
    default: return .integer(Int64(random(0..<127)))
    }
  }

  mutating func attribute() -> Attribute {
    let type = Self.types[random(0..<Self.types.count)]
    let isOptional = chance(50)
    return Attribute(
      name: freshName("a"),
      type: type,
      isOptional: isOptional,
      defaultValue: isOptional && chance(70) ? nil : value(type)
    )
  }

  mutating func addEntity() {
    let name = freshName("E")
    let attributes = (0..<random(1..<4)).map { _ in attribute() }
    drafts.append(Draft(name: name, attributes: attributes))
    rows[name] = [:]
    if chance(70) { addRelationship(drafts.count - 1) }
  }

  mutating func addChild() {
    guard let parent = drafts.indices.filter({ drafts[$0].parent == nil }).first else { return }
    let name = freshName("C")
    drafts.append(
      Draft(name: name, parent: drafts[parent].name, attributes: [attribute()])
    )
    rows[name] = [:]
  }

  mutating func addRelationship(_ index: Int) {
    let name = freshName("r")
    drafts[index].relationships.append(
      Relationship(
        name: name,
        destination: drafts[random(0..<drafts.count)].name,
        isToMany: false,
        storage: .column(name)
      )
    )
    update(index) { $0[name] = .null }
  }

  /// Changes the model's rows of an entity and of those that inherit from it.
  mutating func update(_ index: Int, _ change: (inout [String: Value]) -> Void) {
    let name = drafts[index].name
    for draft in drafts where draft.name == name || draft.parent == name {
      for id in (rows[draft.name] ?? [:]).keys {
        if var row = rows[draft.name]?[id] {
          change(&row)
          rows[draft.name]?[id] = row
        }
      }
    }
  }

  /// Adds rows to a store and to the model.
  mutating func fill(_ store: Store) throws {
    try store.write(Author(name: "app")) { writer in
      for layout in store.layouts {
        for _ in 0..<random(0..<6) {
          let id = try writer.reserveIDs(layout.entity.table, count: 1)
          var row: [String: Value] = [:]
          for column in layout.columns {
            if let destination = column.destination {
              let family = store.layouts[destination].family.map { store.layouts[$0].entity.name }
              let ids = family.flatMap { (rows[$0] ?? [:]).keys }.sorted()
              row[column.property] =
                ids.isEmpty || chance(30) ? .null : .integer(ids[random(0..<ids.count)])
            } else {
              let isNull = column.isOptional && chance(40)
              row[column.property] = isNull ? .null : value(column.type ?? .string)
            }
          }
          try writer.insert(
            layout.index,
            id: id,
            values: layout.columns.map { row[$0.property] ?? .null }
          )
          rows[layout.entity.name]?[id] = row
        }
      }
      // Ids that are free again must not be used again.
      let name = store.layouts[0].entity.name
      if let last = rows[name]?.keys.max(), !isReferred(last, in: name) {
        try writer.delete(0, id: last)
        rows[name]?[last] = nil
      }
    }
  }

  /// Whether a row refers to this one, or could by its id.
  private func isReferred(_ id: Int64, in entity: String) -> Bool {
    drafts.contains { draft in
      (rows[draft.name] ?? [:]).values.contains { row in
        root(of: draft).relationships.contains { row[$0.name] == .integer(id) }
          || draft.relationships.contains { row[$0.name] == .integer(id) }
      }
    }
  }
}
