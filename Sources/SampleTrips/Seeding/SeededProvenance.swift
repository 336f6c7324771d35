import SwiftData
import Synchronization

import struct Format.Seed
import func Format.timeText
import struct Store.Author
import struct Store.Provenance

final class SeededClock: Sendable {
  private let time: Mutex<Int64>

  init(start: Date) {
    time = Mutex(Int64(start.timeIntervalSince1970 * 1_000_000))
  }

  var now: Date {
    Date(timeIntervalSince1970: Double(microseconds / 1_000_000))
  }

  var microseconds: Int64 { time.withLock { $0 } }

  /// The time in the text form that history uses.
  var text: String {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return timeText(seconds: Int(seconds), microseconds: Int(rest))
  }

  func advance(microseconds: Int64) {
    time.withLock { $0 += microseconds }
  }
}

/// The identity, the seeds and the times of a seeded store, and the counts of its history.
final class SeededProvenance: Sendable {
  private struct State {
    var numbers: SeededNumbers
    var counts = SeedingSummary()
  }

  private let clock: SeededClock
  private let state: Mutex<State>

  init(seed: UInt64, clock: SeededClock) {
    self.clock = clock
    state = Mutex(State(numbers: SeededNumbers(seed: seed)))
  }

  var counts: SeedingSummary { state.withLock { $0.counts } }

  var provenance: Provenance {
    Provenance(
      birth: { [self] in
        Provenance.Birth(
          identifier: state.withLock { $0.numbers.uuid().uuidString },
          time: clock.text
        )
      },
      stamp: { [self] author, changes in stamp(author, changes: changes) }
    )
  }

  private func stamp(_ author: Author, changes: Int64) -> Provenance.Stamp {
    // Some time passes between a change and its save.
    clock.advance(microseconds: 1)
    let seed = state.withLock { state in
      state.counts.transactions += 1
      state.counts.changes += Int(changes)
      return Seed(random: state.numbers.bytes(16))
    }
    let program = Self.program(of: author.name)
    // The program starts again each day, so its process id changes.
    let day = clock.microseconds / 86_400_000_000
    return Provenance.Stamp(
      time: clock.text,
      process: program.name,
      processID: program.number + (day &* 7919) % 9973,
      host: program.host,
      seed: seed
    )
  }

  private static func program(
    of author: String?
  ) -> (name: String, number: Int64, host: String) {
    switch author.flatMap(SampleTrips.Author.init(rawValue:)) {
    case .widget: ("TripsWidget", 20_000, "fjord")
    case .sync: ("tripsd", 300, "harbour")
    case .app, nil: ("SampleTrips", 1_000, "fjord")
    }
  }
}
