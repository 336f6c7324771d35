import Format
import Foundation
import SQLite
import Store
import SwiftData
import TestSupport
import Testing

/// A class of another framework that encodes itself as a text.
final class MapIdentifier: Codable, Equatable {
  let text: String
  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  static func == (left: MapIdentifier, right: MapIdentifier) -> Bool { left.text == right.text }
}

/// A type that has its own column form, and another encoding.
enum Season: String, Codable {
  case summer, winter
  private enum CodingKeys: CodingKey { case isWarm }

  init(from decoder: any Decoder) throws {
    let isWarm = try decoder.container(keyedBy: CodingKeys.self).decode(Bool.self, forKey: .isWarm)
    self = isWarm ? .summer : .winter
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(self == .summer, forKey: .isWarm)
  }
}

@Model final class Landmark {
  var name: String
  @Attribute(.codable) var identifier: MapIdentifier?
  @Attribute(.codable) var season: Season
  @Attribute(.codable) var label: String = "none"

  init(name: String, identifier: MapIdentifier? = nil, season: Season) {
    self.name = name
    self.identifier = identifier
    self.season = season
  }
}

/// A model before and after the type of its codable attribute got another member.
private enum Encoded {
  enum Old {
    struct Place: Codable { var city: String }
    @Model final class Visit {
      @Attribute(.codable) var place: Place
      init(city: String) { place = Place(city: city) }
    }
  }
  enum New {
    struct Place: Codable { var city: String, country: String? }
    @Model final class Visit {
      @Attribute(.codable) var place: Place
      init(place: Place) { self.place = place }
    }
  }
  enum Wrong {
    @Model final class Visit {
      @Attribute(.codable) var place: Color
      init(place: Color) { self.place = place }
    }
  }
}

@Suite("Attributes that are stored in their Codable form")
struct CodableAttributeTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("landmarks.store")
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Landmark.self, configurations: ModelConfiguration(url: url))
    )
  }

  private func insertTwo(_ context: ModelContext) throws {
    context.insert(Landmark(name: "A", identifier: MapIdentifier("\"1\""), season: .winter))
    context.insert(Landmark(name: "B", season: .summer))
    try context.save()
  }

  @Test("The encoded form is stored and read back, whatever other protocols the type conforms to.")
  func roundTrip() throws {
    try insertTwo(try context())
    let rows = try Connection(path: url.path, mode: .readOnly).prepare(
      "SELECT identifier, season, label FROM Landmark ORDER BY name"
    )
    #expect(try rows.step())
    #expect(rows.string(at: 0) == #""\"1\"""#)
    #expect(rows.string(at: 1) == #"{"isWarm":false}"#)
    #expect(rows.string(at: 2) == #""none""#)
    #expect(try rows.step() && rows.isNull(at: 0))
    let context = try context()
    let found = try context.fetch(FetchDescriptor<Landmark>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.identifier) == [MapIdentifier("\"1\""), nil])
    #expect(found.map(\.season) == [.winter, .summer])
    #expect(found.map(\.label) == ["none", "none"])
    found[1].identifier = MapIdentifier("2")
    found[0].identifier = nil
    found[0].label = "first"
    try context.save()
    let changed = try self.context().fetch(
      FetchDescriptor<Landmark>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(changed.map(\.identifier) == [nil, MapIdentifier("2")])
    #expect(changed[0].label == "first")
  }

  @Test("History has the encoded values, and the store passes its check.")
  func history() throws {
    let context = try context()
    try insertTwo(context)
    let change = try #require(try allHistory(context).first?.changes.first)
    #expect(change.valuesByName["season"] as? Season == .winter)
    #expect(change.valuesByName["label"] as? String == "none")
    let findings = Findings()
    _ = try Store.open(.file(url)).check { findings.all.append("\($0)") }
    #expect(findings.all == [])
  }

  private final class Findings { var all: [String] = [] }

  @Test("Predicates and orders over encoded values are evaluated in memory.")
  func predicates() throws {
    let context = try context()
    try insertTwo(context)
    func names(_ predicate: Predicate<Landmark>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.label)]))
        .map(\.name)
    }
    #expect(try names(#Predicate { $0.identifier == nil }) == ["B"])
    #expect(try names(#Predicate { $0.label == "none" }) == ["A", "B"])
    #expect(try names(#Predicate { $0.label.contains("\"") }) == [])
    let winter = Season.winter
    #expect(try names(#Predicate { $0.season == winter }) == ["A"])
  }

  @Test("A type that changes its encoding needs no migration.")
  func shape() throws {
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Encoded.Old.Visit.self,
          configurations: ModelConfiguration(url: url)
        )
      )
      context.insert(Encoded.Old.Visit(city: "Oslo"))
      try context.save()
    }
    func number(_ table: String) throws -> Int64 {
      let rows = try Connection(path: url.path, mode: .readOnly)
        .prepare("SELECT count(*) FROM \(table)")
      return try rows.step() ? rows.int64(at: 0) : -1
    }
    let context = ModelContext(
      try ModelContainer(for: Encoded.New.Visit.self, configurations: ModelConfiguration(url: url))
    )
    let visit = try #require(try context.fetch(FetchDescriptor<Encoded.New.Visit>()).first)
    #expect(visit.place.city == "Oslo" && visit.place.country == nil)
    #expect(try (number("store_schema"), number("history_transaction")) == (1, 1))
  }

  @Test("The schema lists the codable attributes, and a type that is not Codable is refused.")
  func schema() throws {
    let entity = try #require(Schema([Landmark.self]).entitiesByName["Landmark"])
    let codable = entity.attributes.filter(\.isCodable).map(\.name)
    #expect(Set(codable) == ["identifier", "season", "label"])
    let copy = try JSONDecoder().decode(
      Schema.Attribute.Option.self,
      from: JSONEncoder().encode(Schema.Attribute.Option.codable)
    )
    #expect(copy == .codable)
    #expect { try ModelContainer(for: Encoded.Wrong.Visit.self) } throws: {
      "\($0)".contains("Visit.place") && "\($0)".contains("Codable")
    }
  }
}
