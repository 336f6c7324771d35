import Foundation
import FoundationExtras
import Testing

private actor Counter {
  private let queue: DispatchSerialQueue
  private var count = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(queue: DispatchSerialQueue) { self.queue = queue }

  func increase() -> Int {
    queue.checkIsolated()
    count += 1
    return count
  }

  nonisolated func increaseNow() -> Int {
    queue.sync { assumeIsolated { $0.increase() } }
  }
}

@Suite("DispatchSerialQueue")
struct DispatchSerialQueueTests {
  @Test("An actor whose executor is a DispatchSerialQueue runs on that queue, one job at a time.")
  func executor() async {
    let queue = DispatchSerialQueue(label: "counter", qos: .userInitiated)
    #expect(queue.label == "counter")
    let counter = Counter(queue: queue)
    await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { _ = await counter.increase() } }
    }
    #expect(counter.increaseNow() == 101)
  }

  @Test("A queue runs closures in their order, also after a delay.")
  func closures() async {
    let queue = DispatchSerialQueue(label: "closures")
    let order = await withCheckedContinuation { continuation in
      nonisolated(unsafe) var order: [Int] = []  // Only the queue uses it.
      queue.async { order.append(1) }
      queue.sync { order.append(2) }
      queue.asyncAfter(deadline: .now() + 0.01) {
        order.append(3)
        continuation.resume(returning: order)
      }
    }
    #expect(order == [1, 2, 3])
  }
}
