import Foundation
import SwiftData
import TestSupport
import Testing

enum VoyagesV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Voyage.self, Luggage.self] }

  @Model final class Voyage {
    var title: String
    var stars: Int32
    var oldNote: String
    var mood: Mood = Mood.calm
    var luggage: Luggage?
    init(title: String, stars: Int32) {
      self.title = title
      self.stars = stars
      oldNote = "note of \(title)"
    }
  }

  @Model final class Luggage {
    var weight: Int = 1
    init() {}
  }
}

enum VoyagesV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Voyage.self] }

  @Model final class Voyage {
    @Attribute(originalName: "title") var name: String
    @Attribute(originalName: "stars") var rating: Double
    var mood: Mood = Mood.calm
    init(name: String, rating: Double) {
      self.name = name
      self.rating = rating
    }
  }
}

@Suite("History from before a migration")
struct PastSchemaTests {
  @Test("History has renamed, converted and removed properties from before a migration.")
  func migration() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("voyages.store")
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: VoyagesV1.self),
        configurations: ModelConfiguration(url: url)
      )
      let context = ModelContext(container)
      let voyage = VoyagesV1.Voyage(title: "Fjord", stars: 4)
      voyage.luggage = VoyagesV1.Luggage()
      context.insert(voyage)
      try context.save()
      voyage.title = "Fjords"
      voyage.oldNote = "other"
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: VoyagesV2.self),
      configurations: ModelConfiguration(url: url)
    )
    let context = ModelContext(container)
    context.insert(VoyagesV2.Voyage(name: "New", rating: 0.5))
    try context.save()
    let all = try allHistory(context)
    // Two saves, the deletion of the removed entity's objects, the migration, and a save.
    #expect(all.count == 5)
    let inserted = try #require(
      all[0].changes.first { $0.changedPersistentIdentifier.entityName == "Voyage" }
    )
    guard case .insert(let insert as DefaultHistoryInsert<VoyagesV2.Voyage>) = inserted else {
      Issue.record("\(inserted)")
      return
    }
    #expect(insert.values[\.name] as? String == "Fjord")
    #expect(insert.values[\.rating] as? Double == 4)
    #expect(insert.values[\.mood] as? Mood == .calm)
    #expect(insert.values["oldNote"] as? String == "note of Fjord")
    #expect(insert.values["name"] as? String == "Fjord")
    #expect(insert.values["title"] == nil)
    #expect(insert.values.names == ["name", "rating", "oldNote", "mood", "luggage"])
    let luggage = insert.values["luggage"] as? PersistentIdentifier
    #expect(luggage?.entityName == "Luggage")
    let gone = try #require(
      all[0].changes.first { $0.changedPersistentIdentifier.entityName == "Luggage" }
    )
    guard case .insert(let unknown as DefaultHistoryInsert<UnknownModel>) = gone else {
      Issue.record("\(gone)")
      return
    }
    #expect(unknown.changedPersistentIdentifier == luggage)
    #expect(unknown.values["weight"] as? Int64 == 1)
    guard case .update(let update as DefaultHistoryUpdate<VoyagesV2.Voyage>) = all[1].changes[0]
    else { return }
    #expect(update.updatedAttributes == [\.name])
    #expect(update.values.names == ["name", "oldNote"])
    #expect(update.previousValues["oldNote"] as? String == "note of Fjord")
    // Its objects were deleted with the entity.
    let deleted = all[2].changes.filter { if case .delete = $0 { true } else { false } }
    #expect(deleted.map(\.changedPersistentIdentifier.entityName) == ["Luggage"])
    let name = "Luggage"
    let found = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate {
          $0.changes.contains { $0.changedPersistentIdentifier.entityName == name }
        }
      )
    )
    #expect(found.map(\.id) == [1, 3])
  }

  @Test("A renamed entity has its present name in changes and in predicates.")
  func renamedEntity() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("renamed.store")
    do {
      let container = try ModelContainer(
        for: VoyagesV1.Luggage.self,
        configurations: ModelConfiguration(url: url)
      )
      let context = ModelContext(container)
      context.insert(VoyagesV1.Luggage())
      try context.save()
    }
    // Models can't rename an entity, so the catalog is changed.
    try renameEntity("Luggage", to: "Baggage", in: url)
    let context = ModelContext(
      try ModelContainer(for: Baggage.self, configurations: ModelConfiguration(url: url))
    )
    let baggage = try #require(try context.fetch(FetchDescriptor<Baggage>()).first)
    let all = try allHistory(context)
    guard case .insert(let insert as DefaultHistoryInsert<Baggage>) = all[0].changes[0] else {
      Issue.record("\(all[0].changes)")
      return
    }
    #expect(insert.changedPersistentIdentifier == baggage.persistentModelID)
    #expect(insert.values[\.weight] as? Int == 1)
    let identifier = baggage.persistentModelID
    for predicate in [
      #Predicate<DefaultHistoryTransaction> {
        $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Baggage" }
      },
      #Predicate<DefaultHistoryTransaction> {
        $0.changes.contains { $0.changedPersistentIdentifier == identifier }
      },
    ] {
      #expect(try context.fetchHistory(HistoryDescriptor(predicate: predicate)).first == all[0])
    }
  }

  @Test("A value that its type does not have any more is an error in the throwing accessor.")
  func removedCase() throws {
    let context = ModelContext(
      try ModelContainer(for: AllTypes.self, configurations: .init(isStoredInMemoryOnly: true))
    )
    context.insert(AllTypes())
    try context.save()
    let change = try #require(try allHistory(context).first?.changes.first)
    guard case .insert(let insert as DefaultHistoryInsert<AllTypes>) = change else { return }
    #expect(try insert.values.value(for: \.mood) as? Mood == .calm)
    #expect(try insert.values.value(named: "nothing of that name") == nil)
  }
}

@Model final class Baggage {
  var weight: Int = 1
  init() {}
}
