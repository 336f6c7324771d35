import SwiftData
import Testing

@Suite("Models of every shape in a store")
struct RoundTripShapeTests {
  private func container(_ models: [any PersistentModel.Type]) throws -> ModelContainer {
    try ModelContainer(
      for: SwiftData.Schema(models),
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
  }

  @Test("A fetched model has its values of every kind.")
  func properties() throws {
    let container = try container([
      ShapedTrip.self, ShapedItem.self, ShapedLodging.self, ShapedGuest.self,
    ])
    let first = ModelContext(container)
    let trip = ShapedTrip(name: "Oslo")
    trip.kind = .business
    trip.optionalKind = .leisure
    trip.address.number = 7
    trip.scores = ["view": 10]
    trip.photo = Data([1, 2, 3])
    trip.views = 5
    trip.items = [ShapedItem(title: "Fjord")]
    trip.lodging = ShapedLodging(place: "Hotel")
    let identifiers = trip.identifiers
    first.insert(trip)
    try first.save()

    let second = ModelContext(container)
    let found = try #require(try second.fetch(FetchDescriptor<ShapedTrip>()).first)
    #expect(found !== trip)
    #expect(found.name == "Oslo")
    #expect(found.startDate == trip.startDate)
    #expect(found.kind == .business)
    #expect(found.optionalKind == .leisure)
    #expect(found.address.number == 7)
    #expect(found.scores == ["view": 10])
    #expect(found.photo == Data([1, 2, 3]))
    #expect(found.identifiers == identifiers)
    #expect(found.note == nil)
    #expect(found.views == 0)
    #expect(found.items.map(\.title) == ["Fjord"])
    #expect(found.items.first?.trip === found)
    #expect(found.lodging?.place == "Hotel")
  }

  @Test("A fetched model has the properties of each class of its family.")
  func families() throws {
    let container = try container([
      ShapedAnimal.self, ShapedDog.self, ShapedPuppy.self, ShapedOwner.self,
    ])
    let first = ModelContext(container)
    let puppy = ShapedPuppy(name: "Rex", weeks: 8)
    puppy.owner = ShapedOwner()
    first.insert(puppy)
    first.insert(ShapedAnimal(name: "Cat"))
    try first.save()

    let second = ModelContext(container)
    let animals = try second.fetch(FetchDescriptor<ShapedAnimal>())
    #expect(Set(animals.map(\.name)) == ["Rex", "Cat"])
    let found = try #require(animals.first { $0 is ShapedPuppy } as? ShapedPuppy)
    #expect(found.breed == "mixed")
    #expect(found.weeks == 8)
    #expect(found.legs == 3)
    #expect(found.owner?.dogs.first === found)
  }

  @Test("The observers of a model do not run when it is fetched.")
  func observers() throws {
    let container = try container([ShapedWatched.self])
    let first = ModelContext(container)
    first.insert(ShapedWatched(name: "a"))
    try first.save()
    let second = ModelContext(container)
    let found = try #require(try second.fetch(FetchDescriptor<ShapedWatched>()).first)
    #expect(found.log == [])
    found.name = "b"
    #expect(found.log == ["will b", "did a"])
  }

  @Test("A model that is bound to the main actor is saved and fetched.")
  @MainActor
  func mainActor() throws {
    let container = try container([ShapedOnMain.self, ShapedAlsoOnMain.self])
    let model = ShapedOnMain(name: "main")
    model.partners = [ShapedAlsoOnMain(partner: nil)]
    container.mainContext.insert(model)
    try container.mainContext.save()
    let context = ModelContext(container)
    let found = try #require(try context.fetch(FetchDescriptor<ShapedAlsoOnMain>()).first)
    #expect(found.partner?.name == "main")
  }
}
