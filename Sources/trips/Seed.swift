import CommandLineKit
import Foundation
import SampleTrips

extension Trips {
  private static let changes = Parameter<Int>.flag(
    "changes",
    short: "n",
    type: .integer(in: 0...1_000_000_000),
    fallback: "2000",
    help: "How many changes the history of trips is to have."
  )
  private static let seedNumber = Parameter<UInt64>.flag(
    "seed",
    short: "s",
    type: .natural,
    fallback: "1",
    help: "The number that everything follows from."
  )
  private static let people = Parameter<String?>.optional(
    "people",
    type: .file,
    help: "Make a store of people too, here."
  )
  private static let release = Parameter<SampleTrips.Release>.flag(
    "release",
    type: .oneOf,
    fallback: "3",
    help: "The release of the app that is to have written it; 1 and 2 had older schemas."
  )
  private static let smallPhotos = Parameter<Bool>.toggle(
    "small-photos",
    help: "Make photos of a few hundred bytes, for a store that is to be passed on."
  )

  static let seed = Command(
    "seed",
    summary: "Makes a store with a believable history.",
    discussion:
      "The same seed and number of changes give the same store: its rows, its history and "
      + "its identity. Several authors take part: the app, its widget and the sync. The store must "
      + "not be there yet, and is there only when it is finished.",
    examples: [
      .init(
        "trips seed trips.store --changes 1000000 --seed 7",
        meaning: "A store of a million changes."
      ),
      .init("trips seed trips.store --people people.store", meaning: "With the second store."),
      .init(
        "trips seed old.store --release 1 --changes 60",
        meaning: "A store for trying a migration."
      ),
    ],
    parameters: [store, changes, seedNumber, people, release, smallPhotos],
    exitCodes: [.interrupted, .terminated]
  ) { call in
    let given = call.arguments
    if given[people] != nil, given[release] != .third {
      throw TripsError.peopleOfOldRelease
    }
    let begin = ContinuousClock.now
    var shown = begin
    let summary = try SampleTrips.seed(
      URL(fileURLWithPath: given[store]),
      people: given[people].map { URL(fileURLWithPath: $0) },
      changes: given[changes],
      seed: given[seedNumber],
      release: given[release],
      hasSmallPhotos: given[smallPhotos]
    ) { done in
      try Interruption.check()
      guard call.messages.isTerminal, ContinuousClock.now - shown > .milliseconds(200) else {
        return
      }
      shown = ContinuousClock.now
      try call.messages.write("\r\(done) of \(given[changes]) changes")
    }
    if call.messages.isTerminal {
      let time = (ContinuousClock.now - begin).formatted(
        .units(allowed: [.seconds], width: .narrow, fractionalPart: .show(length: 1))
      )
      try call.messages.writeLine(
        "\rseeded \(summary.trips.transactions) transactions, \(summary.trips.changes) changes in "
          + time
      )
    }
    return .success
  }
}
