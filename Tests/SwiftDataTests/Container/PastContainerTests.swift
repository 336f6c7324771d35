import Foundation
import SwiftData
import TestSupport
import Testing

@Model private final class Photo {
  @Attribute(.externalStorage) var pixels: Data
  init(pixels: Data) { self.pixels = pixels }
}

@Suite("Containers of earlier states")
struct PastContainerTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.file("trips.store") }

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self,
      Vehicle.self,
      Car.self,
      Taxi.self,
      Bike.self,
      configurations: ModelConfiguration(url: url)
    )
  }

  private func open(asOf token: DefaultHistoryToken) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self,
      Vehicle.self,
      Car.self,
      Taxi.self,
      Bike.self,
      asOf: token,
      configurations: ModelConfiguration(url: url)
    )
  }

  /// Everything that fetches and relationships show, as lines of text.
  private func lines(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    var lines: [String] = []
    let trips = try context.fetch(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.budget), SortDescriptor(\.name)])
    )
    for trip in trips {
      let items = trip.bucketList.map { item in
        "\(item.title)\(item.hasReservation)\(item.tags.map(\.label).sorted())"
      }
      let end = trip.endDate.map { "\($0.timeIntervalSince1970)" } ?? "open"
      lines.append(
        "trip \(trip.name) \(trip.destination) \(trip.budget) \(end) \(items.sorted())"
          + " \(trip.livingAccommodation?.placeName ?? "no home")"
      )
    }
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.label)]))
    lines += tags.map { "tag \($0.label) \($0.items.map(\.title).sorted())" }
    let items = FetchDescriptor<BucketListItem>(
      predicate: #Predicate { $0.trip == nil || $0.hasReservation },
      sortBy: [SortDescriptor(\.title)]
    )
    lines += try context.fetch(items).map { "item \($0.title) \($0.trip?.name ?? "no trip")" }
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    lines += vehicles.map {
      "\(type(of: $0)) \($0.plate) \($0.wheels) \(($0 as? Car)?.doors ?? -1)"
        + " \(($0 as? Taxi)?.license ?? "no license") \($0.owner?.name ?? "no owner")"
    }
    let cheap = FetchDescriptor<Trip>(predicate: #Predicate { $0.budget < 500 })
    lines.append("\(try context.fetchCount(cheap)) trips below 500")
    lines.append("\(try context.fetchIdentifiers(FetchDescriptor<Car>()).count) cars")
    return lines
  }

  /// Changes some objects at random and saves them.
  private func change(_ context: ModelContext, _ random: inout SeededGenerator, round: Int) throws {
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.label)]))
    let items = try context.fetch(
      FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)])
    )
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    for step in 0..<Int.random(in: 1...5, using: &random) {
      let name = "\(round).\(step)"
      let trip = trips.randomElement(using: &random).flatMap { $0.isDeleted ? nil : $0 }
      let item = items.randomElement(using: &random).flatMap { $0.isDeleted ? nil : $0 }
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1:
        let new = Trip(name: "Trip \(name)", destination: ["Rome", "Oslo", "Ürümqi"][step % 3])
        new.budget = Double.random(in: 0...1_000, using: &random)
        if Bool.random(using: &random) {
          new.livingAccommodation = LivingAccommodation(placeName: "Home \(name)")
        }
        context.insert(new)
      case 2, 3:
        context.insert(BucketListItem(title: "Item \(name)", trip: trip))
      case 4: context.insert(Tag(label: "Tag \(name)"))
      case 5: trip?.budget = Double.random(in: 0...1_000, using: &random)
      case 6: trip?.endDate = trip?.endDate == nil ? Date(timeIntervalSince1970: 1e9) : nil
      case 7: item?.trip = trip
      case 8: item?.hasReservation.toggle()
      case 9:
        if let tag = tags.randomElement(using: &random), let item {
          if item.tags.contains(tag) {
            item.tags.removeAll { $0 === tag }
          } else {
            item.tags.append(tag)
          }
        }
      case 10: if let trip { context.delete(trip) }
      case 11:
        let new: Vehicle =
          Bool.random(using: &random)
          ? Taxi(plate: "Taxi \(name)", license: "License \(name)") : Bike(plate: "Bike \(name)")
        if Bool.random(using: &random) { new.owner = Driver(name: "Driver \(name)") }
        context.insert(new)
      case 12:
        if let vehicle = vehicles.randomElement(using: &random), !vehicle.isDeleted {
          if let taxi = vehicle as? Taxi { taxi.doors += 1 } else { vehicle.wheels += 1 }
        }
      default:
        if let vehicle = vehicles.randomElement(using: &random), !vehicle.isDeleted {
          context.delete(vehicle)
        }
      }
    }
    try context.save()
  }

  @Test(
    "At every token and time of a random history, a container shows the objects of that moment.",
    arguments: [1, 2, 3, 4]
  )
  func equalsMemory(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let container = try open()
    let context = ModelContext(container)
    var known: [(token: DefaultHistoryToken, time: Date, lines: [String])] = []
    func step(_ round: Int) throws {
      try change(context, &random, round: round)
      guard let last = try allHistory(ModelContext(container)).last,
        last.token != known.last?.token
      else { return }
      known.append((last.token, last.timestamp, try lines(container)))
    }
    for round in 0..<25 { try step(round) }
    var opened: [(container: ModelContainer, lines: [String])] = []
    for (token, _, lines) in known {
      let past = try open(asOf: token)
      #expect(try self.lines(past) == lines)
      opened.append((past, lines))
    }
    // Later changes don't reach containers that are open.
    for round in 25..<30 { try step(round) }
    for (past, lines) in opened.suffix(3) { #expect(try self.lines(past) == lines) }
    for (index, (_, time, lines)) in known.enumerated() {
      guard index + 1 == known.count || known[index + 1].time > time else { continue }
      let past = try ModelContainer(
        for: Schema([Trip.self, Vehicle.self, Car.self, Taxi.self, Bike.self]),
        asOf: time,
        configurations: [ModelConfiguration(url: url)]
      )
      #expect(try self.lines(past) == lines)
    }
  }

  @Test("Unsaved changes of an earlier state can be fetched, and a save throws.")
  func readOnly() throws {
    let context = ModelContext(try open())
    let trip = Trip(name: "Alps")
    trip.bucketList = [BucketListItem(title: "Hike")]
    context.insert(trip)
    try context.save()
    let token = try #require(try allHistory(context).last?.token)
    trip.name = "Andes"
    trip.bucketList[0].title = "Climb"
    try context.save()
    let past = ModelContext(try open(asOf: token))
    let old = try #require(try past.fetch(FetchDescriptor<Trip>()).first)
    old.destination = "Zermatt"
    past.insert(Trip(name: "Jura"))
    let found = try past.fetch(
      FetchDescriptor<Trip>(
        predicate: #Predicate { $0.name == "Alps" && $0.destination == "Zermatt" }
      )
    )
    #expect(found.map { $0.bucketList.map(\.title) } == [["Hike"]])
    #expect(try past.fetchCount(FetchDescriptor<Trip>()) == 2)
    past.delete(old)
    #expect(try past.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Jura"])
    #expect(try past.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    #expect(throws: SwiftDataError.readOnly) { try past.save() }
    past.rollback()
    #expect(try past.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Alps"])
  }

  @Test("Large external values of an earlier state are read, although their files were replaced.")
  func externalValues() throws {
    let sizes = [100, 200_000, 3_000_000]
    let configuration = ModelConfiguration(url: url)
    let context = ModelContext(try ModelContainer(for: Photo.self, configurations: configuration))
    let photos = sizes.map { Photo(pixels: Data(repeating: 7, count: $0)) }
    photos.forEach(context.insert)
    try context.save()
    let token = try #require(try allHistory(context).last?.token)
    for photo in photos { photo.pixels = Data(repeating: 8, count: photo.pixels.count) }
    try context.save()
    context.delete(photos[1])
    try context.save()
    let past = try ModelContainer(for: Photo.self, asOf: token, configurations: configuration)
    let found = try ModelContext(past).fetch(FetchDescriptor<Photo>())
    #expect(
      found.map(\.pixels).sorted { $0.count < $1.count }
        == sizes.map { Data(repeating: 7, count: $0) }
    )
  }

  @Test("Before its first transaction a store is empty, and without the file there is an error.")
  func beginning() throws {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Trip.self, asOf: .now, configurations: ModelConfiguration(url: url))
    }
    #expect(throws: SwiftDataError.unsupportedFeature) {
      try ModelContainer(
        for: Trip.self,
        asOf: .now,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    }
    let container = try open()
    let context = ModelContext(container)
    context.insert(Trip(name: "Alps"))
    try context.save()
    let past = try ModelContainer(
      for: Schema([Trip.self, Vehicle.self, Car.self, Taxi.self, Bike.self]),
      asOf: .now.addingTimeInterval(-3_600),
      configurations: [ModelConfiguration(url: url)]
    )
    #expect(try ModelContext(past).fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test("A token of another store, of deleted history or of another copy is refused.")
  func refusedTokens() throws {
    let context = ModelContext(try open())
    for number in 0..<6 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let tokens = try allHistory(context).map(\.token)
    let other = ModelContext(
      try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: folder.file("other.store"))
      )
    )
    other.insert(Trip(name: "Other"))
    try other.save()
    let foreign = try #require(try allHistory(other).last?.token)
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) { try open(asOf: foreign) }
    try deleteHistory(of: url, through: 3)
    #expect(throws: SwiftDataError.historyTokenExpired) { try open(asOf: tokens[1]) }
    let past = try open(asOf: tokens[3])
    #expect(try ModelContext(past).fetchCount(FetchDescriptor<Trip>()) == 4)
  }

  @Test("A state from before a migration is refused, with the differences of the schemas.")
  func migration() throws {
    func tokens(_ schema: Schema, _ insert: (ModelContext) -> Void) throws -> [DefaultHistoryToken]
    {
      let container = try ModelContainer(
        for: schema,
        configurations: ModelConfiguration(url: url)
      )
      let context = ModelContext(container)
      insert(context)
      try context.save()
      return try allHistory(context).map(\.token)
    }
    let old = try tokens(Schema(versionedSchema: VoyagesV1.self)) {
      $0.insert(VoyagesV1.Voyage(title: "Fjord", stars: 4))
    }
    let new = try tokens(Schema(versionedSchema: VoyagesV2.self)) {
      $0.insert(VoyagesV2.Voyage(name: "New", rating: 0.5))
    }
    let schema = Schema(versionedSchema: VoyagesV2.self)
    let configuration = ModelConfiguration(url: url)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: schema, asOf: old[0], configurations: [configuration])
    }
    #expect(error == SwiftDataError.loadIssueModelContainer)
    #expect(error?.message.contains("Voyage") == true)
    let last = try #require(new.last)
    let past = try ModelContainer(for: schema, asOf: last, configurations: [configuration])
    #expect(try ModelContext(past).fetchCount(FetchDescriptor<VoyagesV2.Voyage>()) == 2)
  }
}
