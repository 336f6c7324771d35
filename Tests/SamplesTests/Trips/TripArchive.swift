import Foundation
import SwiftData

/// The values of a deleted trip that its tombstone keeps.
struct ArchivedTrip: Equatable {
  var name: String
  var startDate: Date
  var endDate: Date
  var deletedAt: Date
}

/// Reads the deleted trips from the tombstones in history.
func deletedTrips(_ context: ModelContext, since date: Date) throws -> [ArchivedTrip] {
  let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
    predicate: #Predicate { $0.timestamp > date }
  )
  var trips: [ArchivedTrip] = []
  for transaction in try context.fetchHistory(descriptor) {
    for change in transaction.changes {
      switch change {
      case .delete(let deletion):
        guard let deletion = deletion as? DefaultHistoryDelete<Trip>,
          let name = deletion.tombstone[\.name] as? String,
          let startDate = deletion.tombstone[\.startDate] as? Date,
          let endDate = deletion.tombstone[\.endDate] as? Date
        else { continue }
        trips.append(
          ArchivedTrip(
            name: name,
            startDate: startDate,
            endDate: endDate,
            deletedAt: transaction.timestamp
          )
        )
      case .insert, .update: break
      @unknown default: break
      }
    }
  }
  return trips
}
