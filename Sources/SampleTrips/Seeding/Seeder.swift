import SwiftData

/// Creates a history, one save after another.
///
/// One context makes all saves, and its author changes between the saves. No other program writes,
/// so no object needs to be read again. The number of objects in memory is bounded, however long
/// the history is.
final class Seeder {
  /// A trip that can be changed again; an older trip can only be deleted.
  struct KnownTrip {
    enum Kind { case plain, personal, business }

    let trip: Trip
    let kind: Kind
    let name: String
    /// The end of the trip in the first plan of the trip.
    let endDate: Date
  }

  /// A kind of save, its frequency, and its maximum number of changes.
  private struct Step: Sendable {
    let weight: Int
    let ceiling: Int
    let author: SampleTrips.Author
    let run: @Sendable (Seeder, ModelContext) throws -> Void

    init(
      _ weight: Int,
      ceiling: Int,
      author: SampleTrips.Author,
      _ run: @escaping @Sendable (Seeder, ModelContext) throws -> Void
    ) {
      self.weight = weight
      self.ceiling = ceiling
      self.author = author
      self.run = run
    }
  }

  var numbers: SeededNumbers
  let clock: SeededClock
  let container: ModelContainer
  let hasSmallPhotos: Bool
  var remaining: Int { wanted - trips.counts.changes }

  var known: [KnownTrip] = []
  /// The tags by their words.
  ///
  /// The tags are kept here, because a fetch of tags before the save would search all pending
  /// changes.
  var tags: [String: Tag] = [:]
  /// The pictures created so far, by their numbers.
  var photos: [Int: Data] = [:]
  /// The number of the next trip, which makes its name unique.
  var serial = 0
  var deleted = 0
  /// The factor by which the server's batches are larger than in a small history.
  let syncScale: Int
  private let wanted: Int
  private let trips: SeededProvenance
  private let averageGap: Int64
  private var context: ModelContext
  /// The work that waits for the end of the save, because new objects have no permanent identity
  /// before.
  private var afterSave: [() -> Void] = []

  init(_ store: URL, changes: Int, seed: UInt64, hasSmallPhotos: Bool) throws {
    wanted = changes
    // In a large store most changes come from the server, many at a time.
    syncScale = min(max(1, changes / 25_000), 4)
    self.hasSmallPhotos = hasSmallPhotos
    numbers = SeededNumbers(seed: seed)
    clock = SeededClock(start: Date(timeIntervalSince1970: 1_704_697_200))
    trips = SeededProvenance(seed: numbers.next(), clock: clock)
    // Earlier versions used this number; without it, equal seeds would no longer give equal stores.
    _ = numbers.next()
    // About six hours pass between two saves. All saves together take at most two years.
    let saves = Int64(max(1, changes / 16))
    averageGap = min(6 * 3_600_000_000, 730 * 86_400_000_000 / saves)
    var configuration = SampleTrips.configuration(store)
    configuration.provenance = trips.provenance
    configuration.isDurable = false
    container = try SampleTrips.container(configuration)
    context = ModelContext(container)
  }

  var summary: SeedingSummary { trips.counts }

  func run(_ progress: (Int) throws -> Void) throws {
    guard wanted > 0 else { return }
    let steps = tripSteps
    try perform(Step(0, ceiling: 20, author: .sync) { try $0.addTags($1) })
    try readTags()
    // At the beginning, each kind of save happens once, for every seed and every number of changes.
    for step in [Step(0, ceiling: 40, author: .app) { try $0.planWithEverything($1) }] + steps {
      try perform(step)
    }
    while remaining > 0 {
      let possible = steps.filter { $0.ceiling <= remaining }
      try perform(possible.isEmpty ? Self.lastStep : choose(possible))
      try progress(trips.counts.changes)
    }
  }

  private func choose(_ steps: [Step]) -> Step {
    var ticket = numbers.below(steps.reduce(0) { $0 + $1.weight })
    for step in steps {
      ticket -= step.weight
      if ticket < 0 { return step }
    }
    return Self.lastStep
  }

  private func perform(_ step: Step) throws {
    guard step.ceiling <= remaining else { return }
    let jitter = numbers.fraction() * numbers.fraction() * 4
    clock.advance(microseconds: Int64(Double(averageGap) * jitter) + numbers.next0to(999_999))
    try save(as: step.author) { try step.run(self, $0) }
  }

  func save(as author: SampleTrips.Author, _ change: (ModelContext) throws -> Void) throws {
    context.author = author.rawValue
    try change(context)
    try context.save()
    for note in afterSave { note() }
    afterSave.removeAll(keepingCapacity: true)
  }

  /// Continues in a new context, and fetches the tags again: a tag that was inserted in the old
  /// context would keep all trips with that tag in memory.
  private func readTags() throws {
    context = ModelContext(container)
    for tag in try context.fetch(FetchDescriptor<Tag>()) { tags[tag.word] = tag }
  }

  private var tripSteps: [Step] {
    [
      Step(16, ceiling: 20, author: .app) { try $0.planTrip($1) },
      Step(24, ceiling: 3, author: .app) { try $0.editTrips($1) },
      Step(24, ceiling: 12, author: .app) { try $0.workThroughBucketList($1) },
      Step(12, ceiling: 6, author: .app) { try $0.extendBucketList($1, count: 6) },
      Step(6, ceiling: 4, author: .app) { try $0.shortenBucketList($1) },
      Step(8, ceiling: 3, author: .app) { try $0.book($1) },
      Step(8, ceiling: 6, author: .app) { try $0.sortWithTags($1) },
      Step(1, ceiling: 1, author: .app) { try $0.addPhoto($1) },
      Step(5, ceiling: 60, author: .app) { try $0.deleteTrip($1) },
      Step(14, ceiling: 1, author: .widget) { try $0.confirm($1) },
      Step(8, ceiling: 1, author: .widget) { try $0.tickOff($1) },
      Step(6, ceiling: 180 * syncScale, author: .sync) { try $0.receiveTrips($1) },
      Step(6, ceiling: 240 * syncScale, author: .sync) { try $0.receiveItems($1) },
      Step(3, ceiling: 30, author: .sync) { try $0.dropItems($1) },
      Step(2, ceiling: 1_500, author: .sync) { try $0.cleanUp($1) },
    ]
  }

  /// Ends the history at exactly the requested number of changes.
  private static let lastStep = Step(1, ceiling: 1, author: .app) {
    try $0.extendBucketList($1, count: min(6, $0.remaining))
  }

  // MARK: Existing objects

  /// Keeps a new trip once it has been saved.
  func remember(_ trip: Trip, kind: KnownTrip.Kind) {
    afterSave.append { [self] in
      let entry = KnownTrip(trip: trip, kind: kind, name: trip.name, endDate: trip.endDate)
      if known.count < 600 {
        known.append(entry)
      } else {
        known[numbers.below(known.count)] = entry
      }
    }
  }

  /// An existing trip, or a new one.
  func anyTrip(in context: ModelContext) -> Trip {
    known.isEmpty ? newTrip(in: context) : numbers.pick(known).trip
  }
}

extension SeededNumbers {
  mutating func next0to(_ limit: Int64) -> Int64 { Int64(below(Int(limit) + 1)) }
}
