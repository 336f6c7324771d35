import SwiftData
import Testing

@Suite("Shapes of model properties")
struct PropertyShapeTests {
  @Test("Properties keep the values of an initializer, and their defaults.")
  func initialValues() {
    let date = Date(timeIntervalSinceReferenceDate: 7)
    let trip = ShapedTrip(name: "Oslo", startDate: date)
    #expect(trip.name == "Oslo")
    #expect(trip.startDate == date)
    #expect(trip.count == 0)
    #expect(trip.ratio == 0.5)
    #expect(trip.link?.host() == "swift.org")
    #expect(trip.identifiers.count == 1)
    #expect(trip.kind == .leisure)
    #expect(trip.optionalKind == nil)
    #expect(trip.address == ShapedTrip.Address(street: "Main", number: 1))
    #expect(trip.optionalAddress == nil)
    #expect(trip.tags == [])
    #expect(trip.scores == [:])
    #expect(trip.note == nil)
    #expect(trip.forced == nil)
    #expect(trip.photo == nil)
    #expect(trip.progress == 0)
    #expect(trip.plain + trip.alsoPlain + trip.modified + trip.qualified == 10)
    #expect(trip.items.isEmpty)
    #expect(trip.lodging == nil)
    #expect(trip.guests == [])
    #expect(ShapedTrip().name == "unnamed")
  }

  @Test("Properties keep the values that are written to them.")
  func writtenValues() {
    let trip = ShapedTrip(name: "Oslo")
    trip.name += " and Bergen"
    trip.count = 3
    trip.doubled += 2
    trip.kind = .business
    trip.optionalKind = .leisure
    trip.address.number = 7
    trip.optionalAddress = trip.address
    trip.tags.append("fjord")
    trip.scores["view", default: 0] += 10
    trip.note = "cold"
    trip.forced = "there"
    trip.photo = Data([1, 2])
    trip.progress = 1
    #expect(trip.title == "Oslo and Bergen (4)")
    #expect(trip.kind == .business)
    #expect(trip.optionalKind == .leisure)
    #expect(trip.optionalAddress?.number == 7)
    #expect(trip.tags == ["fjord"])
    #expect(trip.scores == ["view": 10])
    #expect(trip.note == "cold")
    #expect(trip.forced == "there")
    #expect(trip.photo == Data([1, 2]))
    #expect(trip.progress == 1)
    trip.note = nil
    trip.optionalKind = nil
    #expect(trip.note == nil)
    #expect(trip.optionalKind == nil)
  }

  @Test("Relationships lead to the related models, whichever side was set.")
  func relationships() {
    let trip = ShapedTrip(name: "Oslo")
    let item = ShapedItem(title: "Fjord")
    trip.items.append(item)
    trip.lodging = ShapedLodging(place: "Hotel")
    trip.guests = [ShapedGuest(name: "Ada")]
    #expect(trip.items.map(\.title) == ["Fjord"])
    #expect(trip.lodging?.place == "Hotel")
    #expect(trip.guests?.map(\.name) == ["Ada"])
    trip.guests = nil
    #expect(trip.guests == nil)
  }

  @Test("Transient properties behave like ordinary ones.")
  func transientProperties() {
    let trip = ShapedTrip(name: "Oslo")
    let observer = ShapedObserver()
    trip.observer = observer
    trip.cached = "kept"
    trip.addOne()
    trip.expensive.append(4)
    #expect(trip.views == 1)
    #expect(trip.cached == "kept")
    #expect(trip.expensive == [1, 2, 3, 4])
    #expect(trip.observer === observer)
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

  @Test("A property with a transformer need not be Codable.")
  func transformable() {
    let paint = ShapedPaint(solid: ShapedColor(red: 3))
    #expect(paint.color == nil)
    #expect(paint.solid.red == 3)
    paint.color = ShapedColor(red: 5)
    paint.solid.red += 1
    #expect(paint.color?.red == 5)
    #expect(paint.solid.red == 4)
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

  @Test("Numbers of every width keep their value.")
  func numbers() {
    let numbers = ShapedNumbers()
    numbers.uint64 = .max
    numbers.int64 = .min
    numbers.float16 = 2.5
    numbers.decimal += 0.5
    #expect(numbers.uint64 == .max)
    #expect(numbers.int64 == .min)
    #expect(numbers.float16 == 2.5)
    #expect(numbers.decimal == 1.5)
  }

  @Test("A class whose properties all have defaults needs no initializer.")
  func implicitInitializer() {
    let model = ShapedImplicit()
    #expect(model.name == "implicit")
    #expect(model.note == nil)
  }
}
