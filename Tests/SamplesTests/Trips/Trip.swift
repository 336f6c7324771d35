import SwiftData

@Model
class Trip {
  #Unique<Trip>([\.name, \.startDate, \.endDate])
  #Index<Trip>([\.name], [\.startDate, \.endDate])

  @Attribute(.preserveValueOnDeletion)
  var name: String
  var destination: String
  @Attribute(.preserveValueOnDeletion)
  var startDate: Date
  @Attribute(.preserveValueOnDeletion)
  var endDate: Date

  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = [BucketListItem]()

  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?

  init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }
}

@Model
class BucketListItem {
  var title: String
  var details: String
  var hasReservation: Bool
  var isInPlan: Bool
  var trip: Trip?

  init(title: String, details: String = "", hasReservation: Bool = false, isInPlan: Bool = false) {
    self.title = title
    self.details = details
    self.hasReservation = hasReservation
    self.isInPlan = isInPlan
  }
}

@Model
class LivingAccommodation {
  var address: String
  var placeName: String
  var isConfirmed: Bool
  var trip: Trip?

  init(address: String, placeName: String, isConfirmed: Bool = false) {
    self.address = address
    self.placeName = placeName
    self.isConfirmed = isConfirmed
  }
}

extension Trip {
  var days: Int {
    Calendar.current.dateComponents([.day], from: startDate, to: endDate).day ?? 0
  }

  static func upcoming(after date: Date, limit: Int? = nil) -> FetchDescriptor<Trip> {
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.startDate >= date },
      sortBy: [SortDescriptor(\.startDate), SortDescriptor(\.name, order: .reverse)]
    )
    descriptor.fetchLimit = limit
    return descriptor
  }

  static func search(_ text: String) -> Predicate<Trip> {
    #Predicate<Trip> { trip in
      text.isEmpty || trip.name.localizedStandardContains(text)
        || trip.destination.localizedStandardContains(text)
    }
  }
}
