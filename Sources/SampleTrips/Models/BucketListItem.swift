import SwiftData

extension SampleTripsSchemaV3 {
  @Model
  package final class BucketListItem {
    @Attribute(.preserveValueOnDeletion) package var title: String
    package var details: String
    package var hasReservation: Bool
    package var isInPlan: Bool
    package var priority: Priority = Priority.someday
    package var minutes: Int32?
    package var meters: UInt32?
    package var cost: Decimal?
    package var payment: Payment = Payment.none
    package var links: [URL] = []
    package var doneAt: Date?
    package var trip: Trip?

    package init(
      title: String,
      details: String = "",
      hasReservation: Bool = false,
      isInPlan: Bool = false
    ) {
      self.title = title
      self.details = details
      self.hasReservation = hasReservation
      self.isInPlan = isInPlan
    }
  }

  /// A unique word for a kind of trip.
  @Model
  package final class Tag {
    @Attribute(.unique) package var word: String
    package var color: UInt32 = 0
    package var symbol: String?
    package var trips: [Trip] = []

    package init(word: String, color: UInt32 = 0, symbol: String? = nil) {
      self.word = word
      self.color = color
      self.symbol = symbol
    }
  }
}
