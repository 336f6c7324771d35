import Foundation
import SwiftData

/// The authors of changes.
enum TransactionAuthor {
  static let app = "app"
  static let widget = "widget"
}

/// The widget on the home screen, which confirms a booking while the app does not run.
struct AccommodationWidget {
  let modelContainer: ModelContainer

  func confirm(_ name: String) throws {
    let context = ModelContext(modelContainer)
    context.author = TransactionAuthor.widget
    let trips = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
    )
    guard let accommodation = trips.first?.livingAccommodation else { return }
    accommodation.isConfirmed = true
    try context.save()
  }
}

/// Finds the trips that the widget changed since the app last looked.
///
/// These trips get a badge.
actor UnreadTrips {
  private enum Key {
    static let historyToken = "historyToken"
    static let unreadTrips = "unreadTripIdentifiers"
  }

  private let modelContainer: ModelContainer
  private let settings: UserDefaults

  init(modelContainer: ModelContainer, settings: sending UserDefaults) {
    self.modelContainer = modelContainer
    self.settings = settings
  }

  /// The trips that had a badge when the app last stored them.
  var remembered: [PersistentIdentifier] {
    guard let data = settings.data(forKey: Key.unreadTrips) else { return [] }
    return (try? JSONDecoder().decode([PersistentIdentifier].self, from: data)) ?? []
  }

  func remember(_ identifiers: [PersistentIdentifier]) {
    settings.set(try? JSONEncoder().encode(identifiers), forKey: Key.unreadTrips)
  }

  /// The trips that the widget changed since the last call of this function.
  func findUnreadTripIdentifiers() throws -> [PersistentIdentifier] {
    let tokenData = settings.data(forKey: Key.historyToken)
    var token: DefaultHistoryToken?
    if let tokenData {
      token = try? JSONDecoder().decode(DefaultHistoryToken.self, from: tokenData)
    }

    let transactions: [DefaultHistoryTransaction]
    do {
      transactions = try findTransactions(after: token, author: TransactionAuthor.widget)
    } catch SwiftDataError.historyTokenExpired {
      // The token has expired, because the history that follows it was deleted. So the next call
      // begins without a token.
      settings.removeObject(forKey: Key.historyToken)
      return []
    }

    let (unread, newToken) = try findTrips(in: transactions)
    if let newToken {
      settings.set(try JSONEncoder().encode(newToken), forKey: Key.historyToken)
    }
    return unread
  }

  /// Deletes the history that the app has handled.
  func deleteHandledHistory() throws {
    guard let tokenData = settings.data(forKey: Key.historyToken) else { return }
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: tokenData)
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { transaction in
      transaction.token < token
    }
    try ModelContext(modelContainer).deleteHistory(descriptor)
  }

  private func findTransactions(
    after token: DefaultHistoryToken?,
    author: String
  ) throws -> [DefaultHistoryTransaction] {
    var historyDescriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      historyDescriptor.predicate = #Predicate { transaction in
        (transaction.token > token) && (transaction.author == author)
      }
    } else {
      historyDescriptor.predicate = #Predicate { transaction in
        transaction.author == author
      }
    }
    let taskContext = ModelContext(modelContainer)
    return try taskContext.fetchHistory(historyDescriptor)
  }

  private func findTrips(
    in transactions: [DefaultHistoryTransaction]
  ) throws -> ([PersistentIdentifier], DefaultHistoryToken?) {
    let taskContext = ModelContext(modelContainer)
    var resultTrips: Set<Trip> = []
    for transaction in transactions {
      for change in transaction.changes {
        let modelID = change.changedPersistentIdentifier
        let fetchDescriptor = FetchDescriptor<Trip>(
          predicate: #Predicate { trip in
            trip.livingAccommodation?.persistentModelID == modelID
          }
        )
        let fetchResults = try? taskContext.fetch(fetchDescriptor)
        guard let matchedTrip = fetchResults?.first else {
          continue
        }
        switch change {
        case .insert(_ as DefaultHistoryInsert<LivingAccommodation>):
          resultTrips.insert(matchedTrip)
        case .update(_ as DefaultHistoryUpdate<LivingAccommodation>):
          resultTrips.update(with: matchedTrip)
        case .delete(_ as DefaultHistoryDelete<LivingAccommodation>):
          resultTrips.remove(matchedTrip)
        default: break
        }
      }
    }
    return (resultTrips.map(\.persistentModelID).sorted(), transactions.last?.token)
  }
}
