import Foundation
import Testing

import func Format.quoted

@testable import SwiftData

@Suite("The SQL of common predicates")
struct SnapshotPredicateTests {
  let store: PredicateStore

  init() throws { store = try PredicateStore() }

  @Test("SQLite uses the existing indexes.")
  func indexes() throws {
    let name = "Fjord"
    let notes = ["a", "b"]
    let now = Date.now
    #expect(try plan(#Predicate<PPerson> { $0.items.isEmpty }).contains("USING COVERING INDEX"))
    let owner = try PersistentIdentifier.identifier(
      for: "store",
      entityName: "Person",
      primaryKey: 7
    )
    #expect(
      try plan(#Predicate<PItem> { $0.owner?.persistentModelID == owner })
        .contains("SEARCH t0 USING")
    )
    #expect(
      try plan(#Predicate<PIndexed> { $0.name == name }).contains("SEARCH t0 USING")
    )
    #expect(
      try plan(#Predicate<PIndexed> { $0.note == name }).contains("SEARCH t0 USING")
    )
    #expect(
      try plan(#Predicate<PIndexed> { notes.contains($0.name) }).contains("SEARCH t0 USING")
    )
    #expect(
      try plan(#Predicate<PIndexed> { $0.date > now && $0.name != name })
        .contains("SEARCH t0 USING")
    )
    #expect(
      try plan(#Predicate<PIndexed> { if let due = $0.due { due < now } else { false } })
        .contains("SEARCH t0 USING")
    )
  }

  @Test("A value of a related object is found by the indexes of both tables.")
  func relatedIndexes() throws {
    let (name, names, now) = ("Fjord", ["a", "b"], Date.now)
    let place = try PersistentIdentifier.identifier(
      for: "store",
      entityName: "Indexed",
      primaryKey: 7
    )
    try expectSearch(#Predicate<PItem> { $0.place?.name == name })
    try expectSearch(#Predicate<PItem> { $0.place?.note == name })
    try expectSearch(
      #Predicate<PItem> { if let name = $0.place?.name { names.contains(name) } else { false } }
    )
    try expectSearch(#Predicate<PItem> { $0.place?.parent?.name == name })
    try expectSearch(#Predicate<PItem> { ($0.place?.due ?? now) > now })
    try expectSearch(#Predicate<PItem> { ($0.place?.note ?? "") == name })
    try expectSearch(
      #Predicate<PItem> { if let place = $0.place { place.date > now } else { false } }
    )
    try expectSearch(#Predicate<PItem> { $0.place?.parent?.persistentModelID == place })
    try expectSearch(#Predicate<PItem> { $0.place?.name == name || $0.place?.note == name })
    #expect(try plan(#Predicate<PItem> { $0.place?.name == nil }).contains("SEARCH t0 USING"))
    #expect(try plan(#Predicate<PItem> { $0.place == nil }).contains("SEARCH t0 USING"))
    // Without an index, the other table is scanned once.
    try expectSearch(#Predicate<PItem> { $0.owner?.name == name }, other: "SCAN t1")
    try expectSearch(#Predicate<PItem> { $0.owner?.name.contains(name) == true }, other: "SCAN t1")
    try expectSearch(
      #Predicate<PItem> { $0.owner?.name.localizedStandardContains(name) == true },
      other: "SCAN t1"
    )
    try expectSearch(#Predicate<PItem> { ($0.owner?.age ?? 0) > 30 }, other: "SCAN t1")
    try expectSearch(#Predicate<PItem> { $0.owner?.isActive == true }, other: "SCAN t1")
    let differs = try plan(#Predicate<PItem> { $0.place?.name != name })
    #expect(differs.contains("SEARCH t1 USING") && !differs.contains("CORRELATED"), "\(differs)")
  }

  /// Expects that an index finds the rows, and how those of the other table are found.
  private func expectSearch(
    _ predicate: Predicate<PItem>,
    other: String = "SEARCH t1 USING",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let plan = try plan(predicate)
    #expect(
      plan.contains("SEARCH t0 USING") && plan.contains(other) && !plan.contains("CORRELATED"),
      "\(plan)",
      sourceLocation: sourceLocation
    )
  }

  @Test("A fetch by a value of a related object scans no rows of either table.")
  func passedOver() throws {
    for number in 0..<40 {
      let item = PItem(number: number)
      store.context.insert(item)
      item.place = PIndexed(name: "\(number % 20)")
      item.place?.parent = PIndexed(name: "parent \(number % 10)")
    }
    try store.context.save()
    let (name, parent) = ("7", "parent 3")
    try expectNonePassedOver(#Predicate<PItem> { $0.place?.name == name }, count: 2)
    try expectNonePassedOver(#Predicate<PItem> { $0.place?.parent?.name == parent }, count: 4)
    try expectNonePassedOver(#Predicate<PItem> { $0.place?.name == nil }, count: 0)
  }

  private func expectNonePassedOver(_ predicate: Predicate<PItem>, count: Int) throws {
    let sql = try store.translation(predicate)
    let entity = try #require(store.container.map.entity(of: PItem.self))
    try store.withConnection(to: entity) { connection in
      let before = connection.rowsPassedOver
      let statement = try connection.prepare("SELECT id FROM Item AS t0 WHERE \(sql.text)")
      for (index, value) in sql.bindings.enumerated() {
        try statement.bind(Int32(index + 1), value)
      }
      var found = 0
      while try statement.step() { found += 1 }
      #expect(found == count && connection.rowsPassedOver == before, "\(sql.text)")
    }
  }

  @Test("If an index leaves few rows, only the objects that they lead to are read.")
  func fewRows() throws {
    let name = "Fjord"
    let plan = try plan(
      #Predicate<PIndexed> { $0.name == name && $0.parent?.note?.contains(name) == true }
    )
    #expect(plan.contains("SEARCH t0 USING") && plan.contains("SEARCH t1 USING INTEGER PRIMARY"))
    #expect(!plan.contains("SCAN"), "\(plan)")
  }

  private func plan<T: PersistentModel>(_ predicate: Predicate<T>) throws -> String {
    let sql = try store.translation(predicate)
    let entity = try #require(store.container.map.entity(of: T.self))
    return try store.withConnection(to: entity) { connection in
      let statement = try connection.prepare(
        "EXPLAIN QUERY PLAN SELECT t0.id FROM \(quoted(entity.table)) AS t0 WHERE \(sql.text)"
      )
      for (index, value) in sql.bindings.enumerated() {
        try statement.bind(Int32(index + 1), value)
      }
      var lines: [String] = []
      while try statement.step() { lines.append(statement.string(at: 3)) }
      return lines.joined(separator: "\n")
    }
  }
}
