import Foundation
import Testing

@testable import SwiftData

@Suite("The SQL of common predicates")
struct SnapshotPredicateTests {
  let store: PredicateStore

  init() throws { store = try PredicateStore() }

  @Test("values")
  func values() throws {
    let name = "Fjord"
    let date = Date.now
    let names = ["a", "b"]
    try store.expectSQL(#Predicate<PItem> { $0.name == name }, "t0.\"name\" = ?")
    try store.expectSQL(#Predicate<PItem> { $0.name != name }, "(NOT t0.\"name\" = ?)")
    try store.expectSQL(#Predicate<PItem> { $0.note == name }, "t0.\"note\" IS ?")
    try store.expectSQL(#Predicate<PItem> { $0.note != name }, "(NOT t0.\"note\" IS ?)")
    try store.expectSQL(#Predicate<PItem> { $0.name == "K" }, "t0.\"name\" IN (?, ?)")
    try store.expectSQL(#Predicate<PItem> { $0.name == "é" }, "t0.\"name\" = ? COLLATE SWIFT")
    try store.expectSQL(#Predicate<PItem> { $0.date < date }, "t0.\"date\" < ?")
    try store.expectSQL(
      #Predicate<PItem> { $0.date > date },
      "(t0.\"date\" > ? AND t0.\"date\" <= ?)"
    )
    try store.expectSQL(
      #Predicate<PItem> { $0.flag && $0.count > 3 },
      "(t0.\"flag\" AND t0.\"count\" > ?)"
    )
    try store.expectSQL(#Predicate<PItem> { names.contains($0.name) }, "t0.\"name\" IN (?, ?)")
    try store.expectSQL(
      #Predicate<PItem> { $0.name.contains("x") },
      "swift_contains(t0.\"name\", ?)"
    )
    try store.expectSQL(#Predicate<PItem> { $0.flag == false }, "(NOT t0.\"flag\")")
    try store.expectSQL(#Predicate<PItem> { _ in true }, "1")
  }

  @Test("relationships")
  func relationships() throws {
    let id = try PersistentIdentifier.identifier(
      for: "store",
      entityName: "Person",
      primaryKey: 7
    )
    try store.expectSQL(
      #Predicate<PItem> { $0.owner?.persistentModelID == id },
      "t0.\"owner\" IS ?"
    )
    try store.expectSQL(
      #Predicate<PItem> { $0.owner?.name == "Ada" },
      """
      (SELECT t1."name" FROM "Person" AS t1 WHERE t1.id = t0."owner") IS ?
      """
    )
    try store.expectSQL(
      #Predicate<PPerson> { $0.items.filter { $0.flag == false }.count > 0 },
      """
      EXISTS (SELECT 1 FROM "Item" AS t1 WHERE (t1."owner" = t0.id AND (NOT t1."flag")))
      """
    )
    try store.expectSQL(
      #Predicate<PPerson> { $0.items.isEmpty },
      """
      (NOT EXISTS (SELECT 1 FROM "Item" AS t1 WHERE t1."owner" = t0.id))
      """
    )
    try store.expectSQL(
      #Predicate<PGroup> { $0.members.contains { $0.name == "Ada" } },
      """
      EXISTS (SELECT 1 FROM "Group_members" AS t2 JOIN "Person" AS t1 ON t1.id = t2."Person" \
      WHERE (t2."Group" = t0.id AND t1."name" = ?))
      """
    )
  }

  @Test("indexes are used where there are some")
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

  private func plan<T: PersistentModel>(_ predicate: Predicate<T>) throws -> String {
    let sql = try store.translation(predicate)
    let entity = try #require(store.container.map.entity(of: T.self))
    return try store.context.withConnection(to: entity) { connection in
      let statement = try connection.prepare(
        "EXPLAIN QUERY PLAN SELECT t0.id FROM \(quoted(entity.table)) AS t0 WHERE \(sql.text)"
      )
      for (index, value) in sql.bindings.enumerated() {
        try statement.bind(Int32(index + 1), value: value)
      }
      var lines: [String] = []
      while try statement.step() { lines.append(statement.string(at: 3)) }
      return lines.joined(separator: "\n")
    } ?? ""
  }
}
