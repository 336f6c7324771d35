import SwiftData

extension SampleTripsSchemaV3 {
  /// A trip; its tombstone contains the attributes that identify it.
  @Model
  package class Trip {
    #Index<Trip>([\.startDate], [\.endDate])

    @Attribute(.unique, .preserveValueOnDeletion) package var name: String
    package var destination: String
    @Attribute(.preserveValueOnDeletion, originalName: "start_date") package var startDate: Date
    @Attribute(.preserveValueOnDeletion, originalName: "end_date") package var endDate: Date
    /// The server's identifier; nil for trips that were never synced.
    @Attribute(.preserveValueOnDeletion) package var reference: UUID?
    package var status: TripStatus = TripStatus.idea
    package var isFavorite: Bool = false
    package var budget: Decimal?
    package var coordinate: Coordinate?
    package var rating: Double?
    package var website: URL?
    package var notes: String = ""
    package var packingList: [String] = []
    package var picturesPerDay: [Int]?
    @Attribute(.externalStorage) package var photo: Data?

    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
    package var bucketList: [BucketListItem] = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    package var livingAccommodation: LivingAccommodation?
    @Relationship(inverse: \Tag.trips)
    package var tags: [Tag] = []

    /// How often the trip was shown since the program started.
    @Transient package var views: Int = 0

    package init(name: String, destination: String, startDate: Date, endDate: Date) {
      self.name = name
      self.destination = destination
      self.startDate = startDate
      self.endDate = endDate
    }
  }

  @Model
  package final class PersonalTrip: Trip {
    package var reason: Reason = Reason.unknown
    /// The names of the companions, as in the contacts.
    package var companions: [String] = []

    package init(
      name: String,
      destination: String,
      startDate: Date,
      endDate: Date,
      reason: Reason
    ) {
      self.reason = reason
      super.init(name: name, destination: destination, startDate: startDate, endDate: endDate)
    }
  }

  @Model
  package final class BusinessTrip: Trip {
    package var perDiem: Decimal = 0
    @Attribute(.preserveValueOnDeletion) package var costCenter: UInt16 = 0
    package var expenses: [Expense] = []

    package init(
      name: String,
      destination: String,
      startDate: Date,
      endDate: Date,
      perDiem: Decimal,
      costCenter: UInt16
    ) {
      self.perDiem = perDiem
      self.costCenter = costCenter
      super.init(name: name, destination: destination, startDate: startDate, endDate: endDate)
    }
  }
}
