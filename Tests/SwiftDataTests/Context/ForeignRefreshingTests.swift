import Foundation
import SQLite
import SwiftData
import TestSupport
import Testing

@Suite("Foreign changes after a fetch, before they are sealed")
struct ForeignRefreshingTests {
  private let folder: TemporaryFolder
  private let context: ModelContext
  private let other: Connection

  init() throws {
    folder = try TemporaryFolder()
    let url = folder.file("trips.store")
    context = ModelContext(
      try ModelContainer(
        for: Trip.self,
        Board.self,
        configurations: ModelConfiguration(url: url)
      )
    )
    other = try Connection(path: url.path, mode: .readWrite)
    other.setBusyTimeout(milliseconds: 5000)
  }

  private func isSealed() throws -> Bool {
    let statement = try other.prepare("SELECT count(*) FROM travelog_rows_0")
    return try statement.step() && statement.int64(at: 0) == 0
  }

  @Test("A fetch refreshes collections of each kind that are in memory.")
  func collections() throws {
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "x"), BucketListItem(title: "y")]
    let tag = Tag(label: "t")
    let board = Board(name: "B")
    board.notes = [Note(text: "n")]
    context.insert(trip)
    context.insert(tag)
    context.insert(board)
    try context.save()
    #expect(trip.bucketList.count == 2 && tag.items.isEmpty && board.notes.count == 1)
    #expect(trip.livingAccommodation == nil)
    try other.execute(
      """
      DELETE FROM BucketListItem WHERE title = 'x';
      INSERT INTO BucketListItem (title, hasReservation, trip) SELECT 'z', 0, id FROM Trip;
      INSERT INTO LivingAccommodation (placeName, isConfirmed, trip) SELECT 'hut', 0, id FROM Trip;
      INSERT INTO BucketListItem_tags (BucketListItem, Tag)
        SELECT i.id, t.id FROM BucketListItem i, Tag t;
      UPDATE Note SET _Board_notes = NULL;
      """
    )
    for _ in 0..<2 {
      #expect(try context.fetch(FetchDescriptor<Trip>()).first === trip)
      #expect(try context.fetch(FetchDescriptor<Tag>()).first === tag)
      #expect(try context.fetch(FetchDescriptor<Board>()).first === board)
      #expect(trip.bucketList.map(\.title) == ["y", "z"])
      #expect(trip.livingAccommodation?.placeName == "hut")
      #expect(tag.items.map(\.title) == ["y", "z"])
      #expect(board.notes.isEmpty)
    }
    #expect(try !isSealed())
    // A second foreign change, while neither is sealed.
    try other.execute("UPDATE BucketListItem SET trip = NULL WHERE title = 'y'")
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.map(\.title) == ["z"])
    #expect(try !isSealed())
  }

  @Test("A save that seals a foreign change does not hide it.")
  func ownSave() throws {
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "x")]
    context.insert(trip)
    try context.save()
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.count == 1)
    try other.execute("UPDATE BucketListItem SET trip = NULL")
    trip.destination = "Oslo"
    try context.save()
    #expect(try isSealed())
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.isEmpty)
  }

  @Test("A collection with unsaved changes keeps them, and is refreshed after the save.")
  func ownChanges() throws {
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "x")]
    context.insert(trip)
    try context.save()
    trip.bucketList.append(BucketListItem(title: "mine"))
    try other.execute(
      "INSERT INTO BucketListItem (title, hasReservation, trip) SELECT 'theirs', 0, id FROM Trip"
    )
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.map(\.title) == ["x", "mine"])
    try context.save()
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.bucketList.map(\.title).sorted() == ["mine", "theirs", "x"])
  }
}
