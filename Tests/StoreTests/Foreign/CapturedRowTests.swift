import Testing

@testable import Store

@Suite("The places of captured rows")
struct CapturedRowTests {
  private func place(time: Int64, series: Int64, isVictim: Bool = false) -> CapturedRow.Place {
    CapturedRow.Place(id: 1, time: time, series: series, isVictim: isVictim, seed: [])
  }

  @Test("A transaction ends before a count, a time or a pause that does not fit.")
  func ends() {
    let one = place(time: 5000, series: 7)
    for (time, series, isEnd) in [
      (5000, 8, false), (6000, 8, false), (6001, 8, true), (4999, 8, true), (5000, 7, true),
      (5000, 6, true), (.min, 8, true), (.max, 8, true),
    ] as [(Int64, Int64, Bool)] {
      #expect(one.endsTransaction(before: place(time: time, series: series)) == isEnd)
    }
  }

  @Test("Rows that one statement may replace have one count of changes, and are together.")
  func victims() {
    for (isVictim, isNextVictim) in [(false, false), (false, true), (true, false), (true, true)] {
      let one = place(time: 1, series: 7, isVictim: isVictim)
      let next = place(time: 1, series: 7, isVictim: isNextVictim)
      #expect(one.endsTransaction(before: next) == !(isVictim && isNextVictim))
      let afterPause = place(time: 1002, series: 7, isVictim: isNextVictim)
      #expect(one.endsTransaction(before: afterPause))
      let later = place(time: 1, series: 8, isVictim: isNextVictim)
      #expect(!one.endsTransaction(before: later) && later.endsTransaction(before: one))
    }
  }

  @Test("A transaction is over more than a second after its last row, whatever time the row has.")
  func over() {
    for (time, now, isOver) in [
      (5000, 5000, false), (5000, 6000, false), (5000, 6001, true), (5000, 0, false),
      (.min, 0, true), (.min, .max, true), (.max, .min, false), (.max, 0, false), (-1, .max, true),
    ] as [(Int64, Int64, Bool)] {
      #expect(place(time: time, series: 1).isOver(at: now) == isOver, "\(time) at \(now)")
    }
  }
}
