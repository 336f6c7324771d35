import SwiftData

// The common properties of the models in the first two releases, so that one seeder creates stores
// of both.

protocol EarlyTrip: PersistentModel {
  associatedtype Item: EarlyItem
  associatedtype Stay: EarlyStay

  var name: String { get set }
  var destination: String { get set }
  var start_date: Date { get set }
  var end_date: Date { get set }
  var bucketList: [Item] { get set }
  var livingAccommodation: Stay? { get set }

  init(name: String, destination: String, start_date: Date, end_date: Date)
}

protocol EarlyItem: PersistentModel {
  var hasReservation: Bool { get set }
  var isInPlan: Bool { get set }

  init(title: String, details: String)
}

protocol EarlyStay: PersistentModel {
  var isConfirmed: Bool { get set }

  init(placeName: String, address: String, isConfirmed: Bool)
}

extension SampleTripsSchemaV1.Trip: EarlyTrip {}
extension SampleTripsSchemaV1.BucketListItem: EarlyItem {}
extension SampleTripsSchemaV1.LivingAccommodation: EarlyStay {}
extension SampleTripsSchemaV2.Trip: EarlyTrip {}
extension SampleTripsSchemaV2.BucketListItem: EarlyItem {}
extension SampleTripsSchemaV2.LivingAccommodation: EarlyStay {}
