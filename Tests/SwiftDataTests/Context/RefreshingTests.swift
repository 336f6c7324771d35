import Foundation
import Observation
import Testing

@testable import SwiftData

@Suite("Saves of other contexts after a fetch")
struct RefreshingTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Trip.self,
      Board.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    context = ModelContext(container)
  }

  private func trip(in context: ModelContext) throws -> Trip {
    try #require(try context.fetch(FetchDescriptor<Trip>()).first)
  }

  private func elsewhere(_ change: (ModelContext, Trip) throws -> Void) throws {
    let other = ModelContext(container)
    try change(other, try trip(in: other))
    try other.save()
  }

  private func savedTrip(_ titles: [String]) throws -> Trip {
    let trip = Trip(name: "A")
    context.insert(trip)
    for title in titles { trip.bucketList.append(BucketListItem(title: title)) }
    try context.save()
    return trip
  }

  @Test("A collection has added, removed and moved objects when its owner is fetched again.")
  func collection() throws {
    let trip = try savedTrip(["x", "y"])
    #expect(trip.bucketList.map(\.title) == ["x", "y"])
    try elsewhere { other, same in
      other.delete(try #require(same.bucketList.first { $0.title == "x" }))
      same.bucketList.append(BucketListItem(title: "z"))
    }
    #expect(trip.bucketList.map(\.title) == ["x", "y"])
    #expect(try self.trip(in: context) === trip)
    #expect(trip.bucketList.map(\.title) == ["y", "z"])
    try elsewhere { other, same in
      let second = Trip(name: "B")
      other.insert(second)
      second.bucketList = same.bucketList
    }
    let all = try context.fetch(FetchDescriptor<Trip>())
    #expect(all.map { $0.bucketList.count } == [0, 2])
    #expect(all[1].bucketList.allSatisfy { $0.trip === all[1] })
  }

  @Test("Many-to-many, one-sided and one-to-one relationships are refreshed too.")
  func otherShapes() throws {
    let trip = try savedTrip(["x"])
    let tag = Tag(label: "t")
    let board = Board(name: "B")
    context.insert(tag)
    context.insert(board)
    try context.save()
    #expect(tag.items.isEmpty && board.notes.isEmpty && trip.livingAccommodation == nil)
    try elsewhere { other, same in
      same.livingAccommodation = LivingAccommodation(placeName: "hut")
      same.bucketList[0].tags = try other.fetch(FetchDescriptor<Tag>())
      try #require(try other.fetch(FetchDescriptor<Board>()).first).notes = [Note(text: "n")]
    }
    _ = try context.fetch(FetchDescriptor<Trip>())
    _ = try context.fetch(FetchDescriptor<Tag>())
    _ = try context.fetch(FetchDescriptor<Board>())
    #expect(trip.livingAccommodation?.placeName == "hut")
    #expect(tag.items.map(\.title) == ["x"])
    #expect(board.notes.map(\.text) == ["n"])
  }

  @Test("A collection with unsaved changes is not refreshed.")
  func ownChanges() throws {
    let trip = try savedTrip(["x"])
    trip.bucketList.append(BucketListItem(title: "mine"))
    try elsewhere { _, same in same.bucketList.append(BucketListItem(title: "theirs")) }
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.map(\.title) == ["x", "mine"])
    try context.save()
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.map(\.title).sorted() == ["mine", "theirs", "x"])
  }

  @Test("Observers are notified that a collection was refreshed.")
  func observers() throws {
    let trip = try savedTrip([])
    let noticed = Noticed()
    withObservationTracking {
      _ = trip.bucketList
    } onChange: {
      noticed.count += 1
    }
    try elsewhere { _, same in same.bucketList.append(BucketListItem(title: "x")) }
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(noticed.count == 1)
  }

  @Test("Collections are not read again if no other context saved anything.")
  func ownSaves() throws {
    let trip = try savedTrip(["x"])
    for round in 0..<3 {
      _ = try context.fetch(FetchDescriptor<Trip>())
      guard case .toMany(let many) = trip._$state.slots[5] else {
        Issue.record("the collection is missing")
        return
      }
      #expect(many.isLoaded)
      trip.destination = "\(round)"
      try context.save()
      try context.save()
    }
  }

  @Test("A save without changes does not hide the next save of another context.", arguments: 0..<2)
  func emptySave(_ kind: Int) throws {
    let trip = try savedTrip(["x"])
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.count == 1)
    if kind == 0 { trip.destination = trip.destination }
    if kind == 1 { trip.destination = "changed" }
    try context.save()
    try elsewhere { _, same in same.bucketList.append(BucketListItem(title: "y")) }
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.count == 2)
  }
}

private final class Noticed: @unchecked Sendable {
  // Only the thread of the test uses it.
  var count = 0
}
