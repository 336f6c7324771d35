import SwiftData
import Testing

@Suite("Updating airports from a feed")
struct AirportTests {
  private func feed(_ json: String) throws -> AirportFeed {
    try JSONDecoder().decode(AirportFeed.self, from: Data(json.utf8))
  }

  @Test("Known codes are updated and new ones added, and objects keep their identity.")
  func upsert() throws {
    let container = try ModelContainer(
      for: Airport.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    try context.merge(
      feed(
        """
        {"airports": [{"code": "OSL", "name": "Gardermoen", "departures": 1},
          {"code": "BGO", "name": "Flesland", "departures": 2}]}
        """
      )
    )
    let before = Dictionary(
      uniqueKeysWithValues: try context.fetch(FetchDescriptor<Airport>())
        .map { ($0.code, $0.persistentModelID) }
    )

    try context.merge(
      feed(
        """
        {"airports": [{"code": "BGO", "name": "Bergen", "departures": 3},
          {"code": "KIX", "name": "Kansai", "departures": 4},
          {"code": "KIX", "name": "Kansai International", "departures": 5}]}
        """
      )
    )

    let airports = try ModelContext(container)
      .fetch(FetchDescriptor<Airport>(sortBy: [SortDescriptor(\.code)]))
    #expect(airports.map(\.code) == ["BGO", "KIX", "OSL"])
    #expect(airports.map(\.name) == ["Bergen", "Kansai International", "Gardermoen"])
    #expect(airports.map(\.departures) == [3, 5, 1])
    #expect(airports.first?.persistentModelID == before["BGO"])
    #expect(airports.last?.persistentModelID == before["OSL"])
  }

  @Test("Two airports swap their codes in one save.")
  func swap() throws {
    let container = try ModelContainer(
      for: Airport.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let first = Airport(code: "A", name: "first")
    let second = Airport(code: "B", name: "second")
    context.insert(first)
    context.insert(second)
    try context.save()
    (first.code, second.code) = (second.code, first.code)
    try context.save()
    let names = try ModelContext(container)
      .fetch(FetchDescriptor<Airport>(sortBy: [SortDescriptor(\.code)])).map(\.name)
    #expect(names == ["second", "first"])
  }
}
