import Foundation
import SwiftData
import TestSupport
import Testing

@Model final class Person {
  var name: String
  @Relationship(inverse: \Home.person) var home: Home?
  init(name: String) { self.name = name }
}

@Model final class Home {
  var street: String
  var person: Person?
  init(street: String) { self.street = street }
}

@Model final class Visitor {
  var name = ""
  var trip: Trip?
  init() {}
}

enum Elsewhere {
  @Model final class Person {
    var other = 0
    init() {}
  }
}

@Model final class Firm {
  @Relationship(inverse: \Worker.firm) var staff: [Worker] = []
  @Relationship(inverse: \Worker.firm) var interns: [Worker] = []
  init() {}
}

@Model final class Worker {
  var firm: Firm?
  init() {}
}

@Suite("Containers and configurations")
struct ContainerTests {
  @Test("Models at the ends of relationships are added to the schema.")
  func inference() throws {
    let container = try tripContainer()
    #expect(
      container.schema.entities.map(\.name)
        == ["BucketListItem", "LivingAccommodation", "Tag", "Trip"]
    )
    let trip = try #require(container.schema.entity(for: Trip.self))
    #expect(trip.relationshipsByName["bucketList"]?.inverseName == "trip")
    #expect(trip.uniquenessConstraints == [["name"]])
    #expect(trip.attributesByName["endDate"]?.isOptional == true)
  }

  @Test("An entity lists its own and its inherited properties by name.")
  func propertiesByName() throws {
    let schema = Schema([Taxi.self])
    let taxi = try #require(schema.entity(for: Taxi.self))
    #expect(
      Set(taxi.inheritedPropertiesByName.keys) == Set(taxi.inheritedProperties.map(\.name))
    )
    #expect(!taxi.inheritedPropertiesByName.isEmpty)
    let trip = try #require(Schema([Trip.self]).entity(for: Trip.self))
    #expect(trip.storedPropertiesByName["name"]?.isAttribute == true)
    #expect(trip.storedPropertiesByName["bucketList"]?.isRelationship == true)
    #expect(Set(trip.storedPropertiesByName.keys) == Set(trip.storedProperties.map(\.name)))
  }

  @Test("Each configuration has its own models and its own file.")
  func severalStores() throws {
    let folder = try TemporaryFolder()
    let trips = ModelConfiguration(schema: Schema([Trip.self]), url: folder.file("trips.store"))
    let people = ModelConfiguration(
      schema: Schema([Person.self, Home.self]),
      url: folder.file("people.store")
    )
    let schema = Schema([Trip.self, Person.self])
    let container = try ModelContainer(for: schema, trips, people)
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord")
    let person = Person(name: "Ada")
    person.home = Home(street: "1 Way")
    context.insert(trip)
    context.insert(person)
    try context.save()
    #expect(
      trip.persistentModelID.storeIdentifier != person.persistentModelID.storeIdentifier
    )

    let alone = try ModelContainer(
      for: Person.self,
      configurations: ModelConfiguration(url: folder.file("people.store"))
    )
    let found = try #require(try ModelContext(alone).fetch(FetchDescriptor<Person>()).first)
    #expect(found.name == "Ada" && found.home?.street == "1 Way")
  }

  @Test("A save to two stores that fails changes neither.")
  func bothOrNeither() throws {
    let folder = try TemporaryFolder()
    let trips = ModelConfiguration(schema: Schema([Trip.self]), url: folder.file("trips.store"))
    let people = ModelConfiguration(
      schema: Schema([Person.self]),
      url: folder.file("people.store")
    )
    do {
      let container = try ModelContainer(for: Schema([Trip.self, Person.self]), trips, people)
      withExtendedLifetime(container) {}
    }
    let sealed = ModelConfiguration(
      schema: Schema([Person.self]),
      url: folder.file("people.store"),
      allowsSave: false
    )
    let container = try ModelContainer(for: Schema([Trip.self, Person.self]), trips, sealed)
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    context.insert(Person(name: "Ada"))
    #expect(throws: SwiftDataError.readOnly) { try context.save() }
    #expect(context.insertedModelsArray.count == 2)
    #expect(trip.persistentModelID.storeIdentifier == nil)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test("A relationship between two stores is refused, and the error has both names.")
  func acrossStores() throws {
    let trips = ModelConfiguration(
      "trips",
      schema: Schema([Trip.self]),
      isStoredInMemoryOnly: true
    )
    let schema = Schema([Trip.self, Visitor.self])
    #expect {
      // The schema of Visitor would include Trip.
      _ = try ModelContainer(
        for: schema,
        configurations: [trips, ModelConfiguration("rest", isStoredInMemoryOnly: true)]
      )
    } throws: { error in
      let text = "\(error)"
      return SwiftDataError.relationshipAcrossStores ~= error && text.contains("Visitor.trip")
        && text.contains("Trip")
    }
  }

  @Test("Two relationships with the same inverse are refused, with both names and the remedy.")
  func sharedInverse() throws {
    #expect {
      _ = try ModelContainer(
        for: Firm.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    } throws: { error in
      let text = "\(error)"
      return SwiftDataError.ambiguousInverse ~= error
        && text.contains("Firm.interns and Firm.staff both have the inverse Worker.firm")
        && text.contains("@Relationship(inverse:)")
    }
  }

  @Test("Two classes with the same simple name are refused, with both full names.")
  func doubleNames() throws {
    #expect {
      _ = try ModelContainer(
        for: Person.self,
        Elsewhere.Person.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    } throws: { error in
      SwiftDataError.duplicateEntityName ~= error && "\(error)".contains("Elsewhere.Person")
    }
  }

  @Test("A read-only store is read and not changed.")
  func readOnly() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("trips.store")
    do {
      let context = ModelContext(
        try ModelContainer(for: Trip.self, configurations: .init(url: url))
      )
      context.insert(Trip(name: "Fjord"))
      try context.save()
    }
    let before = try Data(contentsOf: url)
    do {
      let container = try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: url, allowsSave: false)
      )
      let context = ModelContext(container)
      let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      trip.destination = "Oslo"
      // Fetches see the change, although it can't be saved.
      let changed = FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == "Oslo" })
      #expect(try context.fetchCount(changed) == 1)
      #expect(throws: SwiftDataError.readOnly) { try context.save() }
    }
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("Two configurations with the same file are refused.")
  func sameFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("trips.store")
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      _ = try ModelContainer(
        for: Schema([Trip.self, Person.self]),
        configurations: [
          ModelConfiguration("a", schema: Schema([Trip.self]), url: url),
          ModelConfiguration("b", schema: Schema([Person.self]), url: url),
        ]
      )
    }
  }

  @Test("The error of a store with another schema describes the differences.")
  func schemaMismatch() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("people.store")
    try Data("this is a text".utf8).write(to: url)
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      _ = try ModelContainer(for: Person.self, configurations: .init(url: url))
    }
    #expect(try Data(contentsOf: url) == Data("this is a text".utf8))
  }

  @Test("All spellings of configurations compile and mean the same.")
  @MainActor
  func spellings() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    _ = try ModelContainer(for: Trip.self, configurations: memory)
    _ = try ModelContainer(for: Trip.self, configurations: .init(isStoredInMemoryOnly: true))
    _ = try ModelContainer(for: Trip.self, Person.self, configurations: memory)
    _ = try ModelContainer(for: [Trip.self, Person.self], configurations: memory)
    _ = try ModelContainer(for: Schema([Trip.self]), configurations: [memory])
    _ = try ModelContainer(for: Schema([Trip.self]), configurations: memory)
    _ = try ModelContainer(
      for: Schema([Trip.self], version: Schema.Version(1, 2, 3)),
      migrationPlan: nil,
      configurations: [memory]
    )
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(for: Trip.self, isStoredInMemoryOnly: true)
    )
    #expect(container.mainContext.autosaveEnabled)
    #expect(!ModelContext(container).autosaveEnabled)
    #expect(container.mainContext === container.mainContext)
    _ = ModelConfiguration(
      "x",
      schema: nil,
      isStoredInMemoryOnly: true,
      allowsSave: true,
      groupContainer: .automatic,
      cloudKitDatabase: .none
    )
    _ = ModelConfiguration(
      schema: Schema([Trip.self]),
      url: URL(filePath: "/tmp/none.store"),
      cloudKitContainerIdentifier: "com.example.trips"
    )
  }

  @Test("A retained model keeps its container alive, and nothing else does.")
  func lifetimes() throws {
    weak var container: ModelContainer?
    var trip: Trip?
    do {
      let made = try tripContainer()
      container = made
      let context = ModelContext(made)
      let new = Trip(name: "Fjord")
      new.bucketList = [BucketListItem(title: "A")]
      context.insert(new)
      try context.save()
      trip = new
    }
    #expect(container != nil)
    #expect(trip?.bucketList.map(\.title) == ["A"])
    trip = nil
    #expect(container == nil)
  }

  @Test("Erasing a container leaves an empty store.")
  func erase() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord")
    trip.bucketList = [BucketListItem(title: "A")]
    context.insert(trip)
    try context.save()
    try container.erase()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<BucketListItem>()) == 0)
  }
}
