import Foundation
import Testing

@testable import SwiftData

@Suite("The journal of a save")
struct SaveJournalTests {
  private let context: ModelContext
  private let trip = Trip(name: "a", destination: "there")

  init() throws {
    context = ModelContext(try tripContainer())
    context.insert(trip)
    try context.save()
  }

  private func index(_ name: String) throws -> Int {
    try #require(trip._$state.description.property(named: name)).index
  }

  @Test("A remembered value is restored to its first remembered state.")
  func values() throws {
    var journal = SaveJournal()
    #expect(journal.isEmpty)
    for name in ["b", "c"] {
      journal.remember(try index("name"), of: trip._$state)
      trip.name = name
    }
    trip.destination = "elsewhere"
    #expect(!journal.isEmpty)
    journal.restore(in: context)
    #expect(trip.name == "a")
    #expect(trip.destination == "elsewhere")
  }

  @Test("Restored objects have the pending changes that they had before the save.")
  func pendingChanges() throws {
    let state = trip._$state
    trip.destination = "here"
    var journal = SaveJournal()
    journal.remember(try index("name"), of: state)
    trip.name = "b"
    state.settle()
    state.phase = .deleted
    journal.restore(in: context)
    #expect(state.phase == .stored && state.isPending)
    #expect(state.changed.contains(try index("destination")))
    #expect(!state.changed.contains(try index("name")))
  }

  @Test("A new object that was merged with another gets its own state again.")
  func joined() {
    let new = Trip(name: "a")
    let state = new._$state
    var journal = SaveJournal()
    journal.remember(new)
    new._$state = trip._$state
    state.phase = .deleted
    journal.restore(in: context)
    #expect(new._$state === state && state.phase == .detached)
  }
}
