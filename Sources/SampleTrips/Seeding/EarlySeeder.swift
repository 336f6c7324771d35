import SwiftData

/// Creates a history of the first releases of the app, which had neither widget nor sync.
final class EarlySeeder<Trip: EarlyTrip> {
  private var numbers: SeededNumbers
  private let clock: SeededClock
  private let provenance: SeededProvenance
  private let container: ModelContainer
  private let wanted: Int
  private let sharesNames: Bool
  private var known: [(id: PersistentIdentifier, name: String)] = []
  private var serial = 0

  private var remaining: Int { wanted - provenance.counts.changes }

  init(
    _ store: URL,
    version: any VersionedSchema.Type,
    year: Int,
    changes: Int,
    seed: UInt64,
    sharesNames: Bool
  ) throws {
    wanted = changes
    self.sharesNames = sharesNames
    numbers = SeededNumbers(seed: seed)
    clock = SeededClock(start: Date(timeIntervalSince1970: Double(year - 1970) * 31_556_952))
    provenance = SeededProvenance(seed: numbers.next(), clock: clock)
    let schema = Schema(
      [Trip.self, Trip.Item.self, Trip.Stay.self],
      version: version.versionIdentifier
    )
    var configuration = ModelConfiguration("trips", schema: schema, url: store)
    configuration.provenance = provenance.provenance
    configuration.isDurable = false
    container = try ModelContainer(for: schema, configurations: configuration)
  }

  func run(_ progress: (Int) throws -> Void) throws -> SeedingSummary {
    while remaining > 0 {
      let gap = numbers.number(in: 60...20 * 3600)
      clock.advance(microseconds: Int64(gap) * 1_000_000 + Int64(numbers.below(1_000_000)))
      let context = ModelContext(container)
      context.author = SampleTrips.Author.app.rawValue
      try step(context)
      try progress(provenance.counts.changes)
    }
    return provenance.counts
  }

  /// One save, with at most the remaining number of changes.
  private func step(_ context: ModelContext) throws {
    guard !known.isEmpty, numbers.chance(75) else { return try plan(context) }
    let index = numbers.below(known.count)
    guard let trip = context.model(for: known[index].id) as? Trip else {
      throw SeedingError(
        code: .notWritten,
        description:
          "The trip \(known[index].name) is not in the store that it was saved to. The file was "
          + "changed while it was being made; seed again, in another place."
      )
    }
    switch numbers.below(10) {
    case 0...2: move(trip)
    case 3...5: workThroughBucketList(trip)
    case 6...7: book(trip, context: context)
    case 8 where known.count > 5 && trip.bucketList.count + 2 <= remaining:
      known.remove(at: index)
      context.delete(trip)
    default: trip.bucketList.append(item())
    }
    try context.save()
  }

  /// A new trip with as many items of its bucket list as the remaining changes allow.
  private func plan(_ context: ModelContext) throws {
    let city = numbers.pick(Words.cities)
    serial += 1
    let name =
      sharesNames && !known.isEmpty && numbers.chance(20)
      ? numbers.pick(known).name
      : "\(numbers.pick(Words.occasions)) \(city.name) #\(String(serial, radix: 36).uppercased())"
    let start = clock.now + Double(numbers.number(in: 1...300)) * 86_400
    let trip = Trip(
      name: name,
      destination: "\(city.name), \(city.country)",
      start_date: start,
      end_date: start + Double(numbers.number(in: 2...20)) * 86_400
    )
    context.insert(trip)
    for _ in 0..<min(numbers.number(in: 1...6), remaining - 1) { trip.bucketList.append(item()) }
    try context.save()
    known.append((trip.persistentModelID, name))
  }

  private func move(_ trip: Trip) {
    if numbers.chance(50) {
      let city = numbers.pick(Words.cities)
      trip.destination = "\(city.name), \(city.country)"
    }
    let delay = Double(numbers.number(in: 1...9)) * 86_400
    trip.start_date += delay
    trip.end_date += delay
  }

  private func workThroughBucketList(_ trip: Trip) {
    for item in trip.bucketList.prefix(min(4, remaining)) {
      if numbers.chance(50) { item.isInPlan.toggle() } else { item.hasReservation.toggle() }
    }
  }

  /// Adds a missing place to stay, or changes whether an existing place is confirmed.
  private func book(_ trip: Trip, context: ModelContext) {
    if let place = trip.livingAccommodation {
      place.isConfirmed.toggle()
    } else {
      let street = "\(numbers.pick(Words.streets)) \(numbers.number(in: 1...140))"
      trip.livingAccommodation = Trip.Stay(
        placeName: numbers.pick(Words.stays),
        address: street,
        isConfirmed: numbers.chance(30)
      )
    }
  }

  private func item() -> Trip.Item {
    Trip.Item(
      title: numbers.pick(Words.activities),
      details: numbers.chance(40) ? numbers.pick(Words.remarks) : ""
    )
  }
}
