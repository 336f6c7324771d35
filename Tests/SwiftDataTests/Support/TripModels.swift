import SwiftData

@Model final class Trip {
  @Attribute(.unique) var name: String
  var destination: String
  var startDate: Date
  var endDate: Date?
  var budget = 0.0
  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []
  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?

  init(name: String, destination: String = "", startDate: Date = .distantPast) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
  }
}

@Model final class BucketListItem {
  var title: String
  var hasReservation = false
  var trip: Trip?
  var tags: [Tag] = []

  init(title: String, trip: Trip? = nil) {
    self.title = title
    self.trip = trip
  }
}

@Model final class LivingAccommodation {
  var placeName: String
  var isConfirmed: Bool
  var trip: Trip?

  init(placeName: String, isConfirmed: Bool = false) {
    self.placeName = placeName
    self.isConfirmed = isConfirmed
  }
}

@Model final class Tag {
  var label: String
  @Relationship(inverse: \BucketListItem.tags) var items: [BucketListItem] = []

  init(label: String) { self.label = label }
}

/// A container of trips in memory.
func tripContainer() throws -> ModelContainer {
  try ModelContainer(for: Trip.self, configurations: .init(isStoredInMemoryOnly: true))
}
