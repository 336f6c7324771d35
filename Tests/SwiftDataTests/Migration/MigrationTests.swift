import Foundation
import SwiftData
import TestSupport
import Testing

enum TripsV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Journey.self, Stop.self] }

  @Model final class Journey {
    var name: String
    var destination: String
    var start_date: Date
    @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop]? = []
    init(name: String, destination: String, start_date: Date) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
    }
  }

  @Model final class Stop {
    var title: String
    var journey: Journey?
    init(title: String) { self.title = title }
  }
}

enum TripsV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Journey.self, Stop.self] }

  @Model final class Journey {
    @Attribute(.unique) var name: String
    var destination: String
    var start_date: Date
    @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop]? = []
    init(name: String, destination: String, start_date: Date) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
    }
  }

  @Model final class Stop {
    var title: String
    var journey: Journey?
    init(title: String) { self.title = title }
  }
}

enum TripsV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Journey.self, Stop.self, Note.self] }

  @Model final class Journey {
    @Attribute(.unique) var name: String
    var destination: String
    @Attribute(originalName: "start_date") var startDate: Date
    var rating: Int = 3
    var label: String?
    @Relationship(deleteRule: .cascade, inverse: \Stop.journey) var stops: [Stop]? = []
    init(name: String, destination: String, startDate: Date) {
      self.name = name
      self.destination = destination
      self.startDate = startDate
    }
  }

  @Model final class Stop {
    var title: String
    var journey: Journey?
    init(title: String) { self.title = title }
  }

  @Model final class Note {
    var text = ""
    init() {}
  }
}

struct Interruption: Error {}

enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] { [toV2, toV3] }

  static let toV2 = MigrationStage.custom(
    fromVersion: TripsV1.self,
    toVersion: TripsV2.self,
    willMigrate: { context in
      let journeys = try context.fetch(
        FetchDescriptor<TripsV1.Journey>(sortBy: [SortDescriptor(\.start_date)])
      )
      var seen: Set<String> = []
      for journey in journeys where !seen.insert(journey.name).inserted { context.delete(journey) }
      try context.save()
    },
    didMigrate: { context in
      for journey in try context.fetch(FetchDescriptor<TripsV2.Journey>()) {
        journey.destination += "!"
      }
      try context.save()
    }
  )
  static let toV3 = MigrationStage.lightweight(fromVersion: TripsV2.self, toVersion: TripsV3.self)
}

enum BrokenPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: TripsV1.self,
        toVersion: TripsV2.self,
        willMigrate: { context in
          try context.delete(model: TripsV1.Journey.self)
          try context.save()
          throw Interruption()
        },
        didMigrate: nil
      )
    ]
  }
}

/// Versions of one schema, each with one more property, and with stages between some of them.
enum LadderV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Rung.self] }
  @Model final class Rung {
    var name: String
    init(name: String) { self.name = name }
  }
}

enum LadderV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Rung.self] }
  @Model final class Rung {
    var name: String
    var height = 1
    init(name: String) { self.name = name }
  }
}

enum LadderV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Rung.self] }
  @Model final class Rung {
    @Attribute(originalName: "name") var title: String
    var height = 1
    init(title: String) { self.title = title }
  }
}

enum LadderV4: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }
  static var models: [any PersistentModel.Type] { [Rung.self] }
  @Model final class Rung {
    @Attribute(.unique) var title: String
    var height = 1
    init(title: String) { self.title = title }
  }
}

enum StagelessPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [LadderV1.self, LadderV2.self, LadderV3.self, LadderV4.self]
  }
  static var stages: [MigrationStage] { [] }
}

enum OneStagePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { StagelessPlan.schemas }
  static var stages: [MigrationStage] {
    [
      // A stage that skips a version whose neighbours need no stage.
      .custom(
        fromVersion: LadderV1.self,
        toVersion: LadderV3.self,
        willMigrate: nil,
        didMigrate: { context in
          for rung in try context.fetch(FetchDescriptor<LadderV3.Rung>()) { rung.height = 5 }
          try context.save()
        }
      )
    ]
  }
}

@Suite("Migration plans")
struct MigrationTests {
  /// A store of the first version, with two journeys of one name.
  private func firstVersion(_ folder: TemporaryFolder) throws -> URL {
    let url = folder.file("journeys.store")
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self),
      configurations: ModelConfiguration(url: url)
    )
    let context = ModelContext(container)
    for (number, name) in ["Fjord", "Fjord", "Alps"].enumerated() {
      let journey = TripsV1.Journey(
        name: name,
        destination: "d\(number)",
        start_date: Date(timeIntervalSinceReferenceDate: Double(number))
      )
      journey.stops = [TripsV1.Stop(title: "stop \(number)")]
      context.insert(journey)
    }
    try context.save()
    return url
  }

  @Test("A plan migrates the first version to the last, and runs its code in between.")
  func plan() throws {
    let folder = try TemporaryFolder()
    let url = try firstVersion(folder)
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self),
      migrationPlan: TripsPlan.self,
      configurations: ModelConfiguration(url: url)
    )
    let context = ModelContext(container)
    let journeys = try context.fetch(
      FetchDescriptor<TripsV3.Journey>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(journeys.map(\.name) == ["Alps", "Fjord"])
    #expect(journeys.map(\.destination) == ["d2!", "d0!"])
    #expect(journeys.map(\.startDate.timeIntervalSinceReferenceDate) == [2, 0])
    #expect(journeys.map(\.rating) == [3, 3] && journeys.map(\.label) == [nil, nil])
    #expect(journeys.map { $0.stops?.map(\.title) } == [["stop 2"], ["stop 0"]])
    #expect(try context.fetchCount(FetchDescriptor<TripsV3.Stop>()) == 2)
    context.insert(TripsV3.Note())
    try context.save()
  }

  @Test("A plan that fails leaves the store unchanged.")
  func failure() throws {
    let folder = try TemporaryFolder()
    let url = try firstVersion(folder)
    #expect(throws: Interruption.self) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self),
        migrationPlan: BrokenPlan.self,
        configurations: ModelConfiguration(url: url)
      )
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self),
      configurations: ModelConfiguration(url: url)
    )
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<TripsV1.Journey>()) == 3)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!files.contains { $0.contains("-migration") })
  }

  @Test("Without a plan, a migration that needs no code is automatic.")
  func lightweight() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("journeys.store")
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self),
        configurations: ModelConfiguration(url: url)
      )
      let context = ModelContext(container)
      context.insert(
        TripsV2.Journey(name: "A", destination: "d", start_date: .init(timeIntervalSince1970: 0))
      )
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self),
      configurations: ModelConfiguration(url: url)
    )
    let journey = try #require(
      try ModelContext(container).fetch(FetchDescriptor<TripsV3.Journey>()).first
    )
    #expect(journey.startDate == Date(timeIntervalSince1970: 0) && journey.rating == 3)
  }

  @Test("A name that becomes unique is refused if two objects have it, and the error shows it.")
  func duplicates() throws {
    let folder = try TemporaryFolder()
    let url = try firstVersion(folder)
    #expect {
      _ = try ModelContainer(
        for: Schema(versionedSchema: TripsV2.self),
        configurations: ModelConfiguration(url: url)
      )
    } throws: { "\($0)".contains("Journey") && "\($0)".contains("name") }
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self),
      configurations: ModelConfiguration(url: url)
    )
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<TripsV1.Journey>()) == 3)
  }

  @Test("A store of a newer version is refused by name, with and without a plan.")
  func newerVersion() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("journeys.store")
    do {
      _ = try ModelContainer(
        for: Schema(versionedSchema: TripsV3.self),
        configurations: ModelConfiguration(url: url)
      )
    }
    for plan in [nil, TripsPlan.self] as [(any SchemaMigrationPlan.Type)?] {
      #expect {
        _ = try ModelContainer(
          for: Schema(versionedSchema: TripsV1.self),
          migrationPlan: plan,
          configurations: ModelConfiguration(url: url)
        )
      } throws: {
        SwiftDataError.backwardMigration ~= $0 && "\($0)".contains("3.0.0")
      }
    }
  }

  /// Creates a store of one of the versions of the ladder, with things of some names.
  private func ladder(_ version: any VersionedSchema.Type, _ names: [String], _ url: URL) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: version),
      configurations: ModelConfiguration(url: url)
    )
    let context = ModelContext(container)
    for name in names {
      switch version {
      case is LadderV1.Type: context.insert(LadderV1.Rung(name: name))
      case is LadderV2.Type: context.insert(LadderV2.Rung(name: name))
      case is LadderV3.Type: context.insert(LadderV3.Rung(title: name))
      default: context.insert(LadderV4.Rung(title: name))
      }
    }
    try context.save()
  }

  @Test(
    "Versions without a stage between them are migrated without code, from every version.",
    arguments: 0..<4,
    [true, false]
  )
  func withoutStages(_ first: Int, _ isStageless: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("ladder.store")
    try ladder(StagelessPlan.schemas[first], ["a", "b"], url)
    let plan: any SchemaMigrationPlan.Type = isStageless ? StagelessPlan.self : OneStagePlan.self
    for _ in 0..<2 {
      let container = try ModelContainer(
        for: Schema(versionedSchema: LadderV4.self),
        migrationPlan: plan,
        configurations: ModelConfiguration(url: url)
      )
      let rungs = try ModelContext(container).fetch(
        FetchDescriptor<LadderV4.Rung>(sortBy: [SortDescriptor(\.title)])
      )
      #expect(rungs.map(\.title) == ["a", "b"])
      // The code of the stage runs for stores of the version at which it begins.
      let height = first == 0 && !isStageless ? 5 : 1
      #expect(rungs.map(\.height) == [height, height])
    }
  }

  @Test("If a missing stage is needed, the error names both versions and the store is unchanged.")
  func missingStage() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("ladder.store")
    try ladder(LadderV1.self, ["a", "a"], url)
    #expect {
      _ = try ModelContainer(
        for: Schema(versionedSchema: LadderV4.self),
        migrationPlan: StagelessPlan.self,
        configurations: ModelConfiguration(url: url)
      )
    } throws: { error in
      SwiftDataError.unknownSchema ~= error
        && ["no stage", "3.0.0", "4.0.0", "Rung", "title", "custom stage"]
          .allSatisfy("\(error)".contains)
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: LadderV1.self),
      configurations: ModelConfiguration(url: url)
    )
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LadderV1.Rung>()) == 2)
  }

  @Test("A store that is none of a plan's versions is refused, and the error shows how it differs.")
  func unknownVersion() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("journeys.store")
    do {
      _ = try ModelContainer(for: Person.self, configurations: ModelConfiguration(url: url))
    }
    #expect(throws: SwiftDataError.unknownSchema) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: TripsV3.self),
        migrationPlan: TripsPlan.self,
        configurations: ModelConfiguration(url: url)
      )
    }
  }
}
