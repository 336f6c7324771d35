import CBenchmarkPeer
import SwiftData

@Model
final class Trip {
  var name: String
  var destination: String
  var startDate: Date
  var endDate: Date
  var rating: Int
  var isFavorite: Bool
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []

  init(_ values: TripValues) {
    name = values.name
    destination = values.destination
    startDate = values.startDate
    endDate = values.endDate
    rating = values.rating
    isFavorite = values.isFavorite
  }
}

@Model
final class BucketListItem {
  var title: String
  var trip: Trip?

  init(title: String) {
    self.title = title
  }
}

/// The values of a trip, created before the clock starts.
struct TripValues {
  let name: String
  let destination: String
  let startDate: Date
  let endDate: Date
  let rating: Int
  let isFavorite: Bool

  init(_ trip: peer_trip) {
    name = withUnsafeBytes(of: trip.name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    destination = String(cString: trip.destination)
    startDate = Date(timeIntervalSinceReferenceDate: trip.start_date)
    endDate = Date(timeIntervalSinceReferenceDate: trip.end_date)
    rating = Int(trip.rating)
    isFavorite = trip.is_favorite != 0
  }
}

extension Trip {
  /// Every attribute in one number, which must equal the peer's.
  var sum: Int {
    name.utf8.count + destination.utf8.count + Int(startDate.timeIntervalSinceReferenceDate)
      + Int(endDate.timeIntervalSinceReferenceDate) + rating + (isFavorite ? 1 : 0)
  }
}
