import Foundation
import Testing

@testable import Changes
@testable import Store
@testable import SwiftData

@Suite("The overlay of pending changes")
struct PendingOverlayTests {
  private let context: ModelContext
  private let overlay: PendingOverlay
  private let trips: [Trip]

  init() throws {
    let context = ModelContext(try tripContainer())
    let trips = ["a", "b", "c"].map { Trip(name: $0) }
    (self.context, self.trips) = (context, trips)
    for trip in trips { context.insert(trip) }
    try context.save()
    let store = try #require(context.container.stores[0] as? NativeStore).store
    overlay = try PendingOverlay(store, storeIndex: 0, map: context.container.map)
  }

  private func sync(_ models: any PersistentModel...) throws {
    context.processPendingChanges()
    try overlay.sync(models.map(\._$state), pending: context.pending)
  }

  /// The values of a column that a fetch reads.
  private func values(_ column: String, of table: String) throws -> [String] {
    let statement = try overlay.connection.prepare(
      "SELECT t0.\(column) FROM \(overlay.source(table)) AS t0 ORDER BY \(overlay.order(of: table))"
    )
    var result: [String] = []
    while try statement.step() { result.append(statement.string(at: 0)) }
    return result
  }

  @Test("A table without pending changes is read as it is.")
  func untouched() throws {
    #expect(overlay.views.isEmpty && overlay.gone("Trip") == nil)
    #expect(try values("name", of: "Trip") == ["a", "b", "c"])
    overlay.close()
  }

  @Test("Changed rows have their new values, deleted rows are left out, and new rows are last.")
  func rows() throws {
    let new = Trip(name: "new")
    context.insert(new)
    trips[0].name = "changed"
    context.delete(trips[1])
    try sync(new, trips[0], trips[1])
    #expect(try values("name", of: "Trip") == ["changed", "c", "new"])
    #expect(overlay.gone("Trip") != nil)
    overlay.close()
  }

  @Test("A second change replaces the first one, and a reverted change is gone.")
  func laterChanges() throws {
    let new = Trip(name: "new")
    context.insert(new)
    trips[0].name = "changed"
    try sync(new, trips[0])
    new.name = "newer"
    trips[0].name = "again"
    try sync(new, trips[0])
    #expect(try values("name", of: "Trip") == ["again", "b", "c", "newer"])
    context.rollback()
    try sync(new, trips[0])
    #expect(try values("name", of: "Trip") == ["a", "b", "c"])
    overlay.close()
  }

  @Test("A cleared overlay shows the saved rows again.")
  func clearing() throws {
    trips[0].name = "changed"
    context.delete(trips[1])
    try sync(trips[0], trips[1])
    overlay.clear()
    #expect(try values("name", of: "Trip") == ["a", "b", "c"])
    #expect(overlay.gone("Trip") == nil)
    overlay.close()
  }

  @Test("Links that are not saved yet are in the join table that a fetch reads.")
  func links() throws {
    let (thing, tag) = (BucketListItem(title: "swim"), Tag(label: "sea"))
    for model in [thing, tag] as [any PersistentModel] { context.insert(model) }
    try context.save()
    thing.tags = [tag]
    try sync(thing, tag)
    let table = try #require(overlay.views.first { $0.contains("_") })
    let statement = try overlay.connection.prepare("SELECT count(*) FROM \(overlay.source(table))")
    #expect(try statement.step() && statement.int64(at: 0) == 1)
    thing.tags = []
    try sync(thing, tag)
    statement.reset()
    #expect(try statement.step() && statement.int64(at: 0) == 0)
    overlay.close()
  }
}
