import TestSupport
import Testing

@testable import Store

@Suite("The order of the captured changes of one row")
struct ChainOrderTests {
  private func steps(_ states: [(Int64, Int64)]) -> [ChainStep] {
    states.map { ChainStep(before: $0, after: $1, time: 0) }
  }

  @Test("Changes that fit keep their order, from any state.")
  func fitting() {
    let order = ChainOrder(steps([(4, 5), (5, 0), (0, 7), (7, 7)]), end: 7)
    #expect(order.order == [0, 1, 2, 3] && order.nested.isEmpty && order.gaps.isEmpty)
    #expect(!order.endsWithGap)
  }

  @Test("A change that was captured before its cause follows it.")
  func nested() {
    // An insertion, whose trigger updates the row twice.
    let inner = ChainOrder(steps([(1, 2), (2, 3), (0, 1)]), end: 3)
    #expect(inner.order == [2, 0, 1] && inner.nested == [1, 2] && inner.gaps.isEmpty)
    // The trigger of the trigger was captured first.
    let deep = ChainOrder(steps([(9, 1), (1, 3), (2, 1), (1, 2), (3, 4)]), end: 4)
    #expect(deep.order == [0, 3, 2, 1, 4] && deep.gaps.isEmpty)
  }

  @Test("The changes of two statements that were captured in reverse order stay apart.")
  func blocks() {
    let order = ChainOrder(steps([(1, 2), (0, 1), (3, 4), (2, 3)]), end: 4)
    #expect(order.order == [1, 0, 3, 2] && order.nested == [1, 3])
  }

  @Test("If only the last state shows that the order is wrong, the last state decides.")
  func last() {
    #expect(ChainOrder(steps([(2, 1), (1, 2)]), end: 1).order == [1, 0])
    #expect(ChainOrder(steps([(2, 1), (1, 2)]), end: 2).order == [0, 1])
    #expect(ChainOrder(steps([(2, 1), (1, 2)]), end: nil).order == [0, 1])
  }

  @Test("The state before the changes follows from all changes and their last state.")
  func start() {
    // The row is inserted, changed by a trigger that was captured first, and replaced, three times.
    let group: [(Int64, Int64)] = [(5, 5), (0, 5), (5, 0)]
    let order = ChainOrder(steps(group + group + group.dropLast()), end: 5)
    #expect(order.order == [1, 0, 2, 4, 3, 5, 7, 6])
    #expect(order.gaps.isEmpty && !order.endsWithGap)
  }

  @Test("Changes of statements at different times do not exchange their places.")
  func times() {
    // Each insertion is changed by a trigger that was captured first; a deletion is between them.
    let changes: [(Int64, Int64, Int64)] = [
      (1, 2, 1), (0, 1, 1), (2, 0, 2), (2, 1, 3), (0, 2, 3), (1, 0, 4),
    ]
    let order = ChainOrder(
      changes.map { ChainStep(before: $0, after: $1, time: $2) },
      end: 0
    )
    #expect(order.order == [1, 0, 2, 4, 3, 5] && order.gaps.isEmpty)
  }

  @Test("The captured order can be kept, with its own gaps.")
  func keptOrder() {
    let order = ChainOrder(steps([(1, 2), (0, 1), (2, 3)]), end: 4, keepsOrder: true)
    #expect(order.order == [0, 1, 2] && order.gaps == [1, 2] && order.endsWithGap)
  }

  @Test("If no order fits, the captured order remains, and the gaps are known.")
  func gaps() {
    let order = ChainOrder(steps([(1, 2), (3, 4), (4, 5)]), end: 6)
    #expect(order.order == [0, 1, 2] && order.gaps == [1] && order.endsWithGap)
    let toggled = ChainOrder(steps((0..<1000).map { _ in (1, 2) }), end: 2)
    #expect(toggled.gaps.count == 999 && !toggled.endsWithGap)
  }

  @Test("Changes of nested statements are found again in the order in which they were made.")
  func random() {
    var random = SeededGenerator(seed: 38)
    for _ in 0..<500 {
      // Each statement makes a change, and then its triggers make some more. The changes of the
      // triggers are captured first.
      var state: Int64 = 0
      var made: [ChainStep] = []
      var captured: [ChainStep] = []
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        var group: [ChainStep] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let next = Int64.random(in: 1...1_000_000, using: &random)
          group.append(ChainStep(before: state, after: next, time: 0))
          state = next
        }
        made += group
        captured += Bool.random(using: &random) ? group : Array(group[1...]) + [group[0]]
      }
      let order = ChainOrder(captured, end: state)
      #expect(order.order.map { captured[$0] } == made && order.gaps.isEmpty)
    }
  }
}
