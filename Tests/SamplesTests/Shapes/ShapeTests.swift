import SwiftData
import Testing

@Suite("Models of every shape")
struct ShapeTests {
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

  @Test("A property may share its name with a static one, and may have two @Attribute.")
  func staticAndRepeated() throws {
    let filter = ShapedFilter()
    filter.kind += "s"
    #expect(filter.title == "users: default")
    #expect(ShapedFilter.kind == "user")
    let schema = SwiftData.Schema([ShapedFilter.self])
    let entity = try #require(schema.entity(for: ShapedFilter.self))
    #expect(Set(entity.attributesByName.keys) == ["kind", "name", "code"])
    let code = try #require(entity.attributesByName["code"])
    #expect(code.options == [.unique, .spotlight])
    #expect(code.originalName == "key")
    #expect(entity.uniquenessConstraints == [["code"]])
  }

  @Test("Properties may be named like keywords and like members that every model has.")
  func names() {
    let words = ShapedWords(class: "first")
    words.default = true
    words.class += "!"
    words.isDeleted = true
    words.access = "granted"
    words.`two words` += 1
    #expect(words.default)
    #expect(words.class == "first!")
    #expect(words.isDeleted)
    #expect(words.access == "granted")
    #expect(words.hasChanges == "no")
    #expect(words.description == "described")
    #expect(words.`two words` == 3)
    #expect(
      ShapedWords.schemaMetadata.map(\.name) == [
        "default", "class", "schema", "access", "withMutation", "isDeleted", "hasChanges",
        "description", "hash", "two words",
      ]
    )
  }

  @Test("Properties are listed in the order of the source, with key paths and defaults.")
  func metadata() throws {
    let metadata = ShapedTrip.schemaMetadata
    #expect(
      metadata.map(\.name) == [
        "name", "count", "startDate", "ratio", "secret", "link", "identifiers", "kind",
        "optionalKind", "address", "optionalAddress", "tags", "scores", "note", "forced", "photo",
        "progress", "code", "plain", "alsoPlain", "modified", "qualified", "items", "lodging",
        "guests", "", "",
      ]
    )
    #expect(metadata[0].keypath == \ShapedTrip.name)
    #expect(metadata[0].defaultValue == nil)
    #expect(metadata[1].defaultValue as? Int == 0)
    #expect(metadata[7].defaultValue as? ShapedTrip.Kind == .leisure)
    #expect(metadata[13].defaultValue == nil)
    let name = try #require(metadata[0].metadata as? SwiftData.Schema.Attribute)
    #expect(name.isUnique)
    #expect(name.originalName == "title")
    let items = try #require(metadata[22].metadata as? SwiftData.Schema.Relationship)
    #expect(items.deleteRule == .cascade)
    #expect(items.inverseKeyPath == \ShapedItem.trip)
    let lodging = try #require(metadata[23].metadata as? SwiftData.Schema.Relationship)
    #expect(lodging.deleteRule == .cascade)
    let guests = try #require(metadata[24].metadata as? SwiftData.Schema.Relationship)
    #expect(guests.maximumModelCount == 3)
    #expect(guests.originalName == "friends")
    let unique = try #require(metadata[25].metadata as? SwiftData.Schema.Unique<ShapedTrip>)
    #expect(unique.constraints == [[\.name, \.startDate], [\.code]])
    let index = try #require(metadata[26].metadata as? SwiftData.Schema.Index<ShapedTrip>)
    #expect(index.indices == [[\.count], [\.startDate, \.name]])
  }

  @Test("A model from empty backing data accepts values by their key paths.")
  func emptyBackingData() {
    let data: some BackingData<ShapedLodging> = ShapedLodging.createBackingData()
    let lodging = ShapedLodging(backingData: data)
    lodging.setValue(forKey: \.place, to: "Hotel")
    #expect(lodging.place == "Hotel")
    lodging.setValue(forKey: \.place, to: "Hut")
    #expect(lodging.getValue(forKey: \.place) == "Hut")
    let trip = ShapedTrip(name: "Oslo")
    lodging.setValue(forKey: \.trip, to: trip)
    #expect(lodging.trip === trip && trip.lodging === lodging)
  }

  @Test("A model may have subclasses that are not models.")
  func plainSubclasses() {
    let plain = ShapedPlainAnimal(name: "Cat")
    let silent = ShapedSilentAnimal(name: "Fish")
    let bird = ShapedModelOverPlain(wings: 2)
    #expect([plain.name, silent.name, bird.name] == ["Cat", "Fish", "bird"])
    #expect(plain.extra + silent.extra + bird.wings == 4)
  }

  @Test("Each level of a family shows the same state.")
  func backingData() {
    let puppy = ShapedPuppy(name: "Rex", weeks: 8)
    let same = ShapedPuppy(backingData: (puppy as ShapedAnimal).persistentBackingData)
    #expect(same.name == "Rex")
    #expect(same.breed == "mixed")
    #expect(same.weeks == 8)
    same.weeks = 9
    #expect(puppy.weeks == 9)
    #expect(same == puppy)
  }

  @Test("A model may implement its conformances itself.")
  func conformances() throws {
    let identifier = UUID()
    let first = ShapedCodable(id: identifier, name: "a")
    let second = try JSONDecoder().decode(ShapedCodable.self, from: JSONEncoder().encode(first))
    #expect(first == second)
    #expect(first !== second)
    #expect(Set([first, second]).count == 1)
    #expect("\(second)" == "a")
    let id: String = ShapedIdentifiable(id: "x").id
    #expect(id == "x")
    #expect(ShapedNamedModel(name: "n").name == "n")
    #expect(ShapedExplicit(name: "n").name == "n")
    #expect(ShapedOverPlainBase(name: "n").memory == 1)
  }

  @Test("A model has the properties that the conditions of the build select.")
  func conditions() {
    let model = ShapedConditional(onLinux: 3)
    #expect(
      ShapedConditional.schemaMetadata.map(\.name) == ["before", "onLinux", "nested", "after"]
    )
    model.nested = "inner"
    model.after += 1
    #expect(model.onLinux == 3)
    #expect(model.nested == "inner")
    #expect(model.before == 1)
    #expect(model.after == 3)
  }

  @Test("A model actor works with its own context.")
  func ownContext() async throws {
    let container = try container([ShapedPublic.self])
    let importer = ShapedImporter(modelContainer: container)
    let identifier = try await importer.add("Oslo")
    #expect(await importer.name(of: identifier) == "Oslo")
    #expect(try await ShapedPublicImporter(modelContainer: container).count() == 1)
    let generic = ShapedGenericImporter<ShapedPublic>(modelContainer: container)
    #expect(try await generic.count() == 1)
  }
}
