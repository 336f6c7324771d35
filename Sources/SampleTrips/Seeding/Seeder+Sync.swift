import SwiftData

// The changes that the server sends.
extension Seeder {
  /// New trips, and updates of known trips, which are found by their names.
  func receiveTrips(_ context: ModelContext) throws {
    for _ in 0..<numbers.number(in: 4...14) * syncScale {
      let trip = newTrip(in: context)
      trip.reference = numbers.uuid()
      for _ in 0..<numbers.number(in: 1...8) { addItem(to: trip) }
      if numbers.chance(40) { trip.livingAccommodation = newAccommodation() }
    }
    var names: Set<String> = []
    for _ in 0..<min(known.count, numbers.number(in: 2...10) * syncScale) {
      let entry = numbers.pick(known)
      guard names.insert(entry.name).inserted else { continue }
      let trip = newTrip(in: context, replacing: entry)
      trip.reference = numbers.uuid()
      trip.notes = "Changed on the web. \(notes())"
    }
    let tag = numbers.pick(Words.tags)
    context.insert(
      Tag(word: tag.word, color: UInt32(numbers.below(0x100_0000)), symbol: tag.symbol)
    )
  }

  /// Many small changes of many trips at once.
  func receiveItems(_ context: ModelContext) throws {
    for _ in 0..<numbers.number(in: 3...20) * syncScale {
      for item in anyTrip(in: context).bucketList.prefix(12) where numbers.chance(80) {
        item.cost = numbers.chance(10) ? nil : numbers.amount(0...90)
        item.meters = UInt32(numbers.below(20_000))
      }
    }
  }

  /// A batch deletion of items that were never planned.
  func dropItems(_ context: ModelContext) throws {
    let trip = anyTrip(in: context).persistentModelID
    try context.delete(
      model: BucketListItem.self,
      where: #Predicate { item in
        item.trip?.persistentModelID == trip && !item.isInPlan && !item.hasReservation
          && item.doneAt == nil
      }
    )
  }

  /// A batch deletion of trips that ended within a few hours.
  func cleanUp(_ context: ModelContext) throws {
    guard known.count > 40 else { return try receiveItems(context) }
    let end = numbers.pick(known).endDate
    let start = end - 2 * 3600
    let predicate = #Predicate<Trip> { $0.endDate > start && $0.endDate <= end }
    // The dates of trips have changed since they were planned, so only the store knows which trips
    // are deleted.
    let gone = Set(try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)))
    guard gone.count <= 40, gone.count * 40 <= remaining else { return try receiveItems(context) }
    try context.delete(model: Trip.self, where: predicate)
    known.removeAll { gone.contains($0.trip.persistentModelID) }
  }
}
