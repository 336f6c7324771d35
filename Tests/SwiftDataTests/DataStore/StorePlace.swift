import Foundation
import SwiftData
import TestSupport

/// The stores that must behave alike.
enum StoreKind: String, CaseIterable, Sendable {
  case native, json, dictionary
}

/// Where a store of some kind is kept for one test; it can be opened again and again.
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

  /// Opens the store anew.
  func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types.isEmpty ? [Trip.self] : types),
      configurations: [configuration]
    )
  }

  /// A context over the store, opened anew.
  func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types.isEmpty ? [Trip.self] : types),
        configurations: [configuration]
      )
    )
  }
}

/// Reservations that keep their hotel.
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

/// A model that leads nowhere, and that nothing leads to.
@Model final class Reading {
  var value: Int
  var mood: Mood
  init(_ value: Int, mood: Mood = .calm) {
    self.value = value
    self.mood = mood
  }
}
