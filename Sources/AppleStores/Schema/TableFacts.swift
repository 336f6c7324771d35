import Format
import SQLite

/// How many rows of a file break rules of its model.
///
/// Each table is read once for all rules about its values.
struct TableFacts {
  struct Fact: Hashable {
    let property: AppleProperty
    let reason: Loosened.Reason
  }

  private(set) var counts: [Fact: Int64] = [:]
  /// The unique properties of entities with duplicates, by the index of the entity.
  private(set) var duplicates: [Int: [[String]: Int64]] = [:]

  /// SQLite's limit of the columns of a result is 2000.
  private static let mostTerms = 500

  init(_ store: AppleStore) throws {
    for table in store.layout.tables where !table.columns.isEmpty {
      var terms: [(fact: Fact, sql: String)] = []
      for index in store.model.family(of: table.root) {
        terms += Self.terms(of: index, store)
      }
      var rest = terms[...]
      while !rest.isEmpty {
        let part = rest.prefix(Self.mostTerms)
        rest = rest.dropFirst(part.count)
        let sums = part.map { "sum(\($0.sql))" }.joined(separator: ", ")
        let row = try store.connection.prepare("SELECT \(sums) FROM \(quoted(table.name)) t")
        guard try row.step() else { continue }
        for (column, term) in part.enumerated() where row.int64(at: Int32(column)) > 0 {
          counts[term.fact] = row.int64(at: Int32(column))
        }
      }
    }
    for (index, entity) in store.model.entities.enumerated() {
      for unique in entity.uniques {
        let count = try Self.duplicates(of: unique, index, store)
        if count > 0 { duplicates[index, default: [:]][unique] = count }
      }
    }
  }

  func count(_ reason: Loosened.Reason, _ property: AppleProperty) -> Int64 {
    counts[Fact(property: property, reason: reason)] ?? 0
  }

  /// The condition that a row belongs to an entity or to one of its descendants.
  private static func isKind(_ table: String, _ entity: Int, _ model: AppleModel) -> String {
    model.condition("\(table).Z_ENT", isKind: entity)
  }

  private static func terms(of index: Int, _ store: AppleStore) -> [(fact: Fact, sql: String)] {
    let (model, layout) = (store.model, store.layout)
    let entity = model.entities[index]
    let isOwn = isKind("t", index, model)
    var result: [(fact: Fact, sql: String)] = []
    func add(_ reason: Loosened.Reason, _ property: AppleProperty, _ condition: String) {
      result.append((Fact(property: property, reason: reason), "\(isOwn) AND \(condition)"))
    }
    for attribute in entity.attributes where !attribute.isTransient && !attribute.isOptional {
      let place = AppleProperty(index, attribute.name)
      // A structure without values is an object without keys.
      if attribute.kind == .composite, !attribute.isEnumeration { continue }
      let columns = (layout.attributes[place] ?? []).compactMap { $0 }
      guard !columns.isEmpty else { continue }
      let conditions = columns.map { "t.\(quoted($0)) IS NULL" }
      add(.missingValue, place, "(\(conditions.joined(separator: " AND ")))")
    }
    for relationship in entity.relationships where !relationship.isTransient {
      let place = AppleProperty(index, relationship.name)
      guard let column = layout.toOnes[place]?.column,
        let destination = model.index(named: relationship.destination)
      else { continue }
      let id = "t.\(quoted(column))"
      if !relationship.isOptional { add(.missingValue, place, "\(id) IS NULL") }
      addReferences(from: id, to: destination) { add($0, place, $1) }
      guard let inverse = model.inverse(of: relationship), !inverse.relationship.isToMany,
        let back = layout.toOnes[AppleProperty(inverse.entity, inverse.relationship.name)]?.column,
        let table = layout.table(of: model.entities[destination].root)?.name
      else { continue }
      let refersBack =
        "EXISTS (SELECT 1 FROM \(quoted(table)) d WHERE d.Z_PK = \(id)"
        + " AND d.\(quoted(back)) = t.Z_PK)"
      add(.oneSided, place, "\(id) IS NOT NULL AND NOT \(refersBack)")
    }
    for hidden in layout.hidden where hidden.member == index {
      guard let column = hidden.columns.column else { continue }
      // The property is that of the owner, whose members have the column.
      let place = AppleProperty(hidden.owner, hidden.relationship)
      addReferences(from: "t.\(quoted(column))", to: hidden.owner) { add($0, place, $1) }
    }
    return result

    func addReferences(
      from id: String,
      to destination: Int,
      _ add: (Loosened.Reason, String) -> Void
    ) {
      guard let table = layout.table(of: model.entities[destination].root), !table.columns.isEmpty
      else { return }
      let find = "SELECT 1 FROM \(quoted(table.name)) d WHERE d.Z_PK = \(id)"
      add(.missingDestination, "\(id) IS NOT NULL AND NOT EXISTS (\(find))")
      let isKind = isKind("d", destination, model)
      add(.otherEntity, "\(id) IS NOT NULL AND EXISTS (\(find) AND NOT (\(isKind)))")
    }
  }

  /// The number of combinations that occur more than once.
  private static func duplicates(
    of unique: [String],
    _ index: Int,
    _ store: AppleStore
  ) throws -> Int64 {
    guard let columns = store.columns(of: unique, index), !columns.isEmpty,
      let table = store.layout.table(of: store.model.entities[index].root), !table.columns.isEmpty
    else { return 0 }
    let list = columns.map(quoted).joined(separator: ", ")
    let areSet = columns.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    let statement = try store.connection.prepare(
      """
      SELECT count(*) FROM (SELECT 1 FROM \(quoted(table.name)) t
      WHERE \(isKind("t", index, store.model)) AND \(areSet) GROUP BY \(list) HAVING count(*) > 1)
      """
    )
    return try statement.step() ? statement.int64(at: 0) : 0
  }
}

extension AppleModel {
  /// The condition that a number is that of an entity or of one of its descendants.
  func condition(_ column: String, isKind entity: Int) -> String {
    let numbers = family(of: entity).map { entities[$0].number }
    guard let first = numbers.first, let last = numbers.last, !isGuess else {
      return "\(column) IN (\(numbers.map { String($0) }.joined(separator: ", ")))"
    }
    // The numbers of a family follow each other.
    return "\(column) BETWEEN \(first) AND \(last)"
  }
}

extension AppleStore {
  /// The columns of some properties of an entity; nil if one has none.
  func columns(of properties: [String], _ index: Int) -> [String]? {
    var result: [String] = []
    for name in properties {
      let places = model.lineage(of: index).map { AppleProperty($0, name) }
      if let leaves = places.lazy.compactMap({ self.layout.attributes[$0] }).first {
        let columns = leaves.compactMap { $0 }
        guard columns.count == leaves.count else { return nil }
        result += columns
      } else if let column = places.lazy.compactMap({ self.layout.toOnes[$0]?.column }).first {
        result.append(column)
      } else {
        return nil
      }
    }
    return result
  }
}
