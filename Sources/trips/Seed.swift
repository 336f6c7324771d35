import CommandLineKit
import Foundation
import SampleTrips

extension Trips {
  private static let changes = Parameter<Int>.flag(
    "changes",
    short: "n",
    type: .integer(in: 0...1_000_000_000),
    fallback: "2000",
    help: "The number of changes in the history."
  )
  private static let seedNumber = Parameter<UInt64>.flag(
    "seed",
    short: "s",
    type: .natural,
    fallback: "1",
    help: "The seed; equal seeds create equal stores."
  )
  private static let release = Parameter<SampleTrips.Release>.flag(
    "release",
    type: .oneOf,
    fallback: "3",
    help: "The release of the app; 1 and 2 have older schemas."
  )
  private static let smallPhotos = Parameter<Bool>.toggle(
    "small-photos",
    help: "Create photos of a few hundred bytes, for a small store."
  )

  static let seed = Command(
    "seed",
    summary: "Creates a store with a plausible history.",
    discussion:
      "The same seed and number of changes always create the same store: rows, history and "
      + "identifier. The history has several authors: the app, its widget and the sync. The store "
      + "must not exist yet; its file appears when the store is complete.",
    examples: [
      "trips seed trips.store --changes 1000000 --seed 7": "Create a store with a million changes.",
      "trips seed old.store --release 1 --changes 60":
        "Create a store of an old release, to try a migration.",
    ],
    parameters: [store, changes, seedNumber, release, smallPhotos],
    exitCodes: [.interrupted, .terminated]
  ) { call in
    let given = call.arguments
    let begin = ContinuousClock.now
    var shown = begin
    let summary = try SampleTrips.seed(
      URL(fileURLWithPath: given[store]),
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
        "\rseeded \(counted(Int64(summary.transactions), noun: "transaction")),"
          + " \(counted(Int64(summary.changes), noun: "change")) in "
          + time
      )
    }
    return .success
  }
}
