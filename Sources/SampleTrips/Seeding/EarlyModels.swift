import SwiftData

// What the models of the first two releases have in common, so that one seeder makes stores of
// both.

/// A trip as the first releases knew it.
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

/// Something to do, as the first releases knew it.
protocol EarlyItem: PersistentModel {
  var hasReservation: Bool { get set }
  var isInPlan: Bool { get set }

  init(title: String, details: String)
}

/// A place to stay, as the first releases knew it.
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
