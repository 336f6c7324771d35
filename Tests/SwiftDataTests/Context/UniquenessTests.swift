import Foundation
import SwiftData
import Testing

@Model final class Seat {
  #Unique<Seat>([\.row, \.number])
  var row: Int
  var number: Int?
  var guest: String
  init(row: Int, number: Int?, guest: String) {
    self.row = row
    self.number = number
    self.guest = guest
  }
}

@Model final class Theatre {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Ticket.theatre) var tickets: [Ticket] = []
  init(name: String) { self.name = name }
}

@Model final class Ticket {
  #Unique<Ticket>([\.theatre, \.number])
  var number: Int
  var guest: String
  var theatre: Theatre?
  init(number: Int, guest: String, theatre: Theatre) {
    self.number = number
    self.guest = guest
    self.theatre = theatre
  }
}

@Suite("Uniqueness")
struct UniquenessTests {
  private func seats() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Seat.self,
        Trip.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    )
  }

  @Test("A compound constraint updates the object that has both values.")
  func compound() throws {
    let context = try seats()
    context.insert(Seat(row: 1, number: 1, guest: "A"))
    context.insert(Seat(row: 1, number: 2, guest: "B"))
    try context.save()
    context.insert(Seat(row: 1, number: 2, guest: "C"))
    try context.save()
    let guests = try context.fetch(FetchDescriptor<Seat>()).map(\.guest)
    #expect(guests == ["A", "C"])
  }

  @Test("Objects without one of the values never conflict.")
  func nilIsUnlikeNil() throws {
    let context = try seats()
    context.insert(Seat(row: 1, number: nil, guest: "A"))
    context.insert(Seat(row: 1, number: nil, guest: "B"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Seat>()) == 2)
  }

  @Test("Several conflicting objects in one save become one, with the last values.")
  func manyInOneSave() throws {
    let context = try seats()
    context.insert(Trip(name: "X", destination: "saved"))
    try context.save()
    let made = (0..<5).map { Trip(name: $0 < 3 ? "X" : "Y", destination: "\($0)") }
    for trip in made { context.insert(trip) }
    try context.save()
    let found = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.destination)]))
    #expect(found.map(\.name) == ["X", "Y"])
    #expect(found.map(\.destination) == ["2", "4"])
    #expect(Set(made.map(\.persistentModelID)).count == 2)
    #expect(!context.hasChanges)
  }

  @Test("The children of a conflicting object are added to those of the existing one.")
  func children() throws {
    let context = try seats()
    let old = Trip(name: "X")
    old.bucketList = [BucketListItem(title: "A")]
    context.insert(old)
    try context.save()
    let new = Trip(name: "X")
    new.bucketList = [BucketListItem(title: "B")]
    context.insert(new)
    try context.save()
    let other = ModelContext(context.container)
    let found = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    #expect(Set(found.bucketList.map(\.title)) == ["A", "B"])
    #expect(try other.fetchCount(FetchDescriptor<BucketListItem>()) == 2)
  }

  @Test("Two objects swap a unique value in one save.")
  func swap() throws {
    let context = try seats()
    let first = Trip(name: "A", destination: "1")
    let second = Trip(name: "B", destination: "2")
    context.insert(first)
    context.insert(second)
    try context.save()
    (first.name, second.name) = (second.name, first.name)
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.destination) == ["2", "1"])
  }

  @Test("A value of a deleted or changed object is free in the same save.")
  func handedOver() throws {
    let context = try seats()
    let gone = Trip(name: "A", destination: "gone")
    let renamed = Trip(name: "B", destination: "renamed")
    context.insert(gone)
    context.insert(renamed)
    try context.save()
    context.delete(gone)
    renamed.name = "C"
    context.insert(Trip(name: "A", destination: "new A"))
    context.insert(Trip(name: "B", destination: "new B"))
    try context.save()
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(found.map(\.name) == ["A", "B", "C"])
    #expect(found.map(\.destination) == ["new A", "new B", "renamed"])
  }

  @Test("Changing an object to a value of another is refused, and nothing is lost.")
  func duplicateUpdate() throws {
    let context = try seats()
    let first = Trip(name: "A")
    let second = Trip(name: "B")
    context.insert(first)
    context.insert(second)
    try context.save()
    second.name = "A"
    second.destination = "Oslo"
    #expect(throws: (any Error).self) { try context.save() }
    #expect(second.name == "A" && second.hasChanges)
    second.name = "D"
    try context.save()
    let names = try ModelContext(context.container).fetch(FetchDescriptor<Trip>()).map(\.name)
    #expect(Set(names) == ["A", "D"])
  }

  @Test("An object that is unique by its parent conflicts if the parent does.")
  func throughParent() throws {
    let container = try ModelContainer(
      for: Theatre.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    context.insert(Ticket(number: 1, guest: "A", theatre: Theatre(name: "T")))
    try context.save()
    for guest in ["B", "C"] {
      context.insert(Ticket(number: 1, guest: guest, theatre: Theatre(name: "T")))
      context.insert(Ticket(number: 2, guest: guest, theatre: Theatre(name: "T")))
    }
    try context.save()
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    let tickets = try other.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.number)]))
    #expect(tickets.map(\.guest) == ["C", "C"])
    #expect(try other.fetch(FetchDescriptor<Theatre>()).map { $0.tickets.count } == [2])
  }

  @Test("New objects that were merged conflict together with an existing one.")
  func inTwoRounds() throws {
    let container = try ModelContainer(
      for: Theatre.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let old = Ticket(number: 1, guest: "A", theatre: Theatre(name: "T"))
    context.insert(old)
    try context.save()
    let theatre = Theatre(name: "T")
    let new = ["B", "C"].map { Ticket(number: 1, guest: $0, theatre: theatre) }
    for ticket in new { context.insert(ticket) }
    try context.save()
    #expect(old.guest == "C")
    new[0].guest = "D"
    #expect(old.guest == "D" && new[1].guest == "D" && context.hasChanges)
    #expect(Set(new + [old]).count == 1)
  }
}
