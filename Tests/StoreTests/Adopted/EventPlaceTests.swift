import Changes
import Testing

@testable import Store

@Suite("The ends of captured transactions")
struct EventPlaceTests {
  @Test(
    "An event seems to end a transaction after 1001 ms, or if a number does not rise.",
    arguments: [
      (0, 1, false), (1000, 1, false), (1001, 1, true), (-1, 1, true), (0, 0, true),
      (0, -1, true), (1000, 0, true), (1001, 2, true), (1000, 2, false),
    ]
  )
  func adopted(_ pause: Int64, _ rise: Int64, _ isOver: Bool) {
    let event = EventPlace(clock: 7, time: 5000, series: 40)
    let next = EventPlace(clock: 8, time: 5000 + pause, series: 40 + rise)
    #expect(event.seemsOver(before: next) == isOver)
  }

  private func place(
    _ time: Int64,
    _ series: Int64,
    isVictim: Bool = false
  ) -> CapturedRow.Place {
    CapturedRow.Place(id: 1, time: time, series: series, isVictim: isVictim, seed: [])
  }

  @Test(
    "A foreign row ends a transaction after 1001 ms, or if a number does not rise.",
    arguments: [
      (0, 1, false), (1000, 1, false), (1001, 1, true), (-1, 1, true), (0, 0, true),
      (0, -1, true), (1000, 0, true), (1001, 2, true), (1000, 2, false),
    ]
  )
  func foreign(_ pause: Int64, _ rise: Int64, _ isOver: Bool) {
    let next = place(5000 + pause, 40 + rise)
    #expect(place(5000, 40).endsTransaction(before: next) == isOver)
  }

  @Test("Two rows that REPLACE may delete belong together if they have the same number.")
  func victims() {
    let victim = place(5000, 40, isVictim: true)
    #expect(!victim.endsTransaction(before: place(6000, 40, isVictim: true)))
    #expect(victim.endsTransaction(before: place(6001, 40, isVictim: true)))
    #expect(victim.endsTransaction(before: place(4999, 40, isVictim: true)))
    #expect(victim.endsTransaction(before: place(5000, 39, isVictim: true)))
    #expect(victim.endsTransaction(before: place(5000, 40)))
    #expect(place(5000, 40).endsTransaction(before: victim))
  }

  @Test("A foreign transaction is over 1001 ms after its last row, whatever its time is.")
  func isOver() {
    #expect(!place(5000, 1).isOver(at: 4000))
    #expect(!place(5000, 1).isOver(at: 6000))
    #expect(place(5000, 1).isOver(at: 6001))
    #expect(place(.min, 1).isOver(at: 5000))
    #expect(!place(.max, 1).isOver(at: -5000))
    #expect(!place(0, 1).isOver(at: 1000))
    #expect(place(-1, 1).isOver(at: .max))
  }
}
