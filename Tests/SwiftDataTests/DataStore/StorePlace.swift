import Foundation
import SwiftData
import TestSupport

/// The kinds of stores, which must behave alike.
enum StoreKind: String, CaseIterable, Sendable {
  case native, json, dictionary
}

/// The place of a test's store of some kind, which can be opened repeatedly.
final class StorePlace {
  let kind: StoreKind
  let folder: TemporaryFolder
  let shelf = Shelf()

  init(_ kind: StoreKind) throws {
    self.kind = kind
    folder = try TemporaryFolder()
  }

  var configuration: any DataStoreConfiguration {
    switch kind {
    case .native: ModelConfiguration("place", url: folder.file("place.store"))
    case .json: JSONStoreConfiguration(name: "place", fileURL: folder.file("place.json"))
    case .dictionary: DictionaryStoreConfiguration(name: "place", schema: nil, shelf: shelf)
    }
  }

  /// Opens the store again.
  func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types.isEmpty ? [Trip.self] : types),
      configurations: [configuration]
    )
  }

  /// A context of a newly opened container.
  func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types.isEmpty ? [Trip.self] : types),
        configurations: [configuration]
      )
    )
  }
}

/// A model whose reservations deny its deletion.
@Model final class Hotel {
  var name: String
  var stars: Int?
  @Relationship(deleteRule: .deny, inverse: \Reservation.hotel)
  var reservations: [Reservation] = []
  init(name: String, stars: Int? = nil) {
    self.name = name
    self.stars = stars
  }
}

@Model final class Reservation {
  var guest: String
  var hotel: Hotel?
  init(guest: String) { self.guest = guest }
}

/// A model without relationships.
@Model final class Reading {
  var value: Int
  var mood: Mood
  init(_ value: Int, mood: Mood = .calm) {
    self.value = value
    self.mood = mood
  }
}
