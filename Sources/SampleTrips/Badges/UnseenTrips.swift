import Foundation
import SwiftData

/// The trips that the widget changed since the app last showed them, which it marks with a badge.
///
/// They are found by the store's history, from the token of the last change that was taken notice of.
/// Both are kept in a file beside the store, for the next time that the app runs.
package struct UnseenTrips: Codable, Sendable {
  /// The last transaction that was looked at; nil before the first.
  private var token: DefaultHistoryToken?
  /// The trips that nobody has looked at since.
  package private(set) var trips: Set<PersistentIdentifier> = []

  /// Knows of nothing yet.
  package init() {}

  package static func file(of store: URL) -> URL {
    store.deletingLastPathComponent()
      .appendingPathComponent(store.lastPathComponent + "-unseen.json")
  }

  /// Reads what the last run knew; a store that has no such file was never looked at.
  package init(of store: URL) throws {
    let file = Self.file(of: store)
    guard FileManager.default.fileExists(atPath: file.path) else {
      self.init()
      return
    }
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
  }

  /// Writes what the next run is to know.
  package func save(beside store: URL) throws {
    try JSONEncoder().encode(self).write(to: Self.file(of: store), options: .atomic)
  }

  /// Takes notice of what the widget did since the last time; true if there was anything.
  ///
  /// Where that much of history is gone, or the store is another one, it begins anew.
  package mutating func update(from context: ModelContext) throws -> Bool {
    let widget = SampleTrips.Author.widget.rawValue
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.author == widget }
    )
    if let token {
      descriptor.predicate = #Predicate { $0.token > token && $0.author == widget }
    }
    let transactions: [DefaultHistoryTransaction]
    do {
      transactions = try context.fetchHistory(descriptor)
    } catch SwiftDataError.historyTokenExpired where token != nil {
      token = nil
      return try update(from: context)
    } catch SwiftDataError.invalidTransactionFetchRequest where token != nil {
      // Another store lies where the one was that this is about.
      self = Self()
      return try update(from: context)
    }
    for change in transactions.flatMap(\.changes) {
      guard let trip = try trip(of: change.changedPersistentIdentifier, context: context) else {
        continue
      }
      trips.insert(trip.persistentModelID)
    }
    token = transactions.last?.token ?? token
    return !transactions.isEmpty
  }

  /// Takes the badge off a trip; true if it had one.
  package mutating func see(_ trip: Trip) -> Bool {
    trips.remove(trip.persistentModelID) != nil
  }

  /// The trip that an object is or belongs to, if both are still there.
  private func trip(of id: PersistentIdentifier, context: ModelContext) throws -> Trip? {
    func find<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> Model? {
      try context.fetch(FetchDescriptor(predicate: predicate)).first
    }
    return switch id.entityName {
    case "LivingAccommodation":
      try find(#Predicate<LivingAccommodation> { $0.persistentModelID == id })?.trip
    case "BucketListItem":
      try find(#Predicate<BucketListItem> { $0.persistentModelID == id })?.trip
    case "Trip", "PersonalTrip", "BusinessTrip":
      try find(#Predicate<Trip> { $0.persistentModelID == id })
    default: nil
    }
  }
}
