import Foundation
import Testing

@testable import SwiftData

@Suite("A save in progress")
struct PendingSaveTests {
  private let context: ModelContext
  private let trip = Trip(name: "a")

  init() throws {
    context = ModelContext(try tripContainer())
    context.insert(trip)
    try context.save()
  }

  private func pendingSave() -> PendingSave {
    context.processPendingChanges()
    return PendingSave(context.pending, in: context)
  }

  /// Writes a save to the first store, and commits it or fails.
  private func write(_ save: PendingSave, fails: Bool = false) throws {
    try context.container.stores[0].write(save, storeIndex: 0, in: context) {
      if fails { throw CancellationError() }
    }
  }

  private func names() throws -> [String] {
    try ModelContext(context.container).fetch(FetchDescriptor<Trip>(sortBy: [.init(\.name)]))
      .map(\.name)
  }

  @Test("A save has the inserted, changed and deleted objects, and the stores that it changes.")
  func lists() throws {
    let doomed = Trip(name: "doomed")
    context.insert(doomed)
    try context.save()
    #expect(!pendingSave().touches(storeIndex: 0))
    let new = Trip(name: "new")
    context.insert(new)
    trip.name = "b"
    context.delete(doomed)
    let save = pendingSave()
    #expect(save.inserted.map { ObjectIdentifier($0) } == [ObjectIdentifier(new._$state)])
    #expect(save.changed.map { ObjectIdentifier($0) } == [ObjectIdentifier(trip._$state)])
    #expect(save.deleted.map { ObjectIdentifier($0) } == [ObjectIdentifier(doomed._$state)])
    #expect(save.touches(storeIndex: 0) && !save.touches(storeIndex: 1))
    #expect(save.deletedIdentifiers == [doomed.persistentModelID])
    #expect(save.updatedIdentifiers == [trip.persistentModelID])
  }

  @Test("Written objects have rows of the store, and completed ones have no changes.")
  func settling() throws {
    let new = Trip(name: "new")
    context.insert(new)
    trip.name = "b"
    let temporary = new.persistentModelID
    let save = pendingSave()
    try save.prepare()
    try write(save)
    #expect(new._$state.row > 0 && new._$state.phase == .inserting)
    save.settle()
    #expect(new._$state.phase == .stored && context.pending.isEmpty)
    #expect(!trip.hasChanges && !new.hasChanges)
    #expect(context.registry.current(temporary) == new.persistentModelID)
    #expect(try names() == ["b", "new"])
  }

  @Test("A failed save gives new objects their temporary rows again, and keeps the changes.")
  func undoing() throws {
    let new = Trip(name: "new")
    context.insert(new)
    let row = new._$state.row
    let save = pendingSave()
    try save.prepare()
    #expect(throws: CancellationError.self) { try write(save, fails: true) }
    save.undo()
    #expect(new._$state.row == row && row < 0)
    #expect(new._$state.phase == .inserting && context.hasChanges)
    #expect(try names() == ["a"])
  }

  @Test("An object that another context deleted is not updated, and the error names it.")
  func missingRow() throws {
    let other = ModelContext(context.container)
    for trip in try other.fetch(FetchDescriptor<Trip>()) { other.delete(trip) }
    try other.save()
    trip.destination = "there"
    let save = pendingSave()
    try save.prepare()
    let error = #expect(throws: SwiftDataError.self) { try write(save) }
    #expect(error?.message.contains("Trip with the row \(trip._$state.row)") == true)
  }

  @Test("An object that a delete rule deletes is deleted in memory too.")
  func rules() throws {
    let bed = LivingAccommodation(placeName: "bed")
    trip.livingAccommodation = bed
    try context.save()
    context.delete(trip)
    let save = pendingSave()
    try save.prepare()
    try write(save)
    save.settle()
    #expect(trip._$state.phase == .deleted && bed._$state.phase == .deleted)
    let other = ModelContext(context.container)
    #expect(try other.fetchCount(FetchDescriptor<LivingAccommodation>()) == 0)
  }
}
