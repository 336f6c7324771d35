import SwiftData

/// The trips that the widget changed since the app last showed them.
///
/// The app shows a badge on each unseen trip.
///
/// The trips are found in the store's history after a token. The token and the trips are kept in a
/// file beside the store.
package struct UnseenTrips: Codable, Sendable {
  /// The last transaction that was read; nil before the first reading.
  private var token: DefaultHistoryToken?
  /// The trips that have not been shown since their last change.
  package private(set) var trips: Set<PersistentIdentifier> = []

  package init() {}

  package static func file(of store: URL) -> URL {
    store.deletingLastPathComponent()
      .appendingPathComponent(store.lastPathComponent + "-unseen.json")
  }

  /// Reads the file of the last run, if there is one.
  package init(of store: URL) throws {
    let file = Self.file(of: store)
    guard FileManager.default.fileExists(atPath: file.path) else {
      self.init()
      return
    }
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
  }

  /// Writes the file for the next run.
  package func save(beside store: URL) throws {
    try JSONEncoder().encode(self).write(to: Self.file(of: store), options: .atomic)
  }

  /// Reads the widget's changes since the last reading; returns whether there were any.
  ///
  /// If the history after the last reading was deleted, or the file is about another store, reading
  /// starts at the beginning.
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
      // The file is about another store.
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

  /// Removes the badge of a trip; returns whether the trip had a badge.
  package mutating func see(_ trip: Trip) -> Bool {
    trips.remove(trip.persistentModelID) != nil
  }

  /// The trip for an object: the object itself, or the trip to which it belongs; nil if there is no
  /// such trip any more.
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
