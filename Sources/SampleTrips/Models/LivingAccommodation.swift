import SwiftData

extension SampleTripsSchemaV3 {
  @Model
  package final class LivingAccommodation {
    @Attribute(.preserveValueOnDeletion) package var placeName: String
    package var address: String
    package var isConfirmed: Bool
    @Attribute(.preserveValueOnDeletion) package var booking: UUID?
    package var pricePerNight: Decimal?
    package var stars: Float?
    package var warmth: Float16?
    package var floor: Int8?
    package var rooms: UInt8 = 1
    package var distance: Int16?
    package var loyaltyPoints: Int64 = 0
    package var wifiBytes: UInt64?
    package var contact: URL?
    package var doorCode: Data?
    package var amenities: [String] = []
    package var ratings: [String: Double] = [:]
    package var trip: Trip?

    package init(placeName: String, address: String, isConfirmed: Bool = false) {
      self.placeName = placeName
      self.address = address
      self.isConfirmed = isConfirmed
    }
  }
}
