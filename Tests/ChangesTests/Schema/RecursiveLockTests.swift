import Changes
import Foundation
import Testing

@Suite("The lock that its owner can take again")
struct RecursiveLockTests {
  /// Whether the lock is free for another thread.
  private func isFree(_ lock: RecursiveLock) -> Bool {
    final class Answer: @unchecked Sendable {
      var value: Int?
    }
    let answer = Answer()
    let done = DispatchSemaphore(value: 0)
    // The semaphore orders the two accesses to the answer.
    Thread {
      answer.value = lock.withLockIfFree { 7 }
      done.signal()
    }
    .start()
    done.wait()
    #expect(answer.value == 7 || answer.value == nil)
    return answer.value != nil
  }

  @Test("The owner takes the lock again, and another thread gets it only after its release.")
  func owners() {
    let lock = RecursiveLock()
    #expect(isFree(lock))
    lock.withLock {
      #expect(!isFree(lock))
      #expect(lock.withLock { 1 } == 1 && lock.withLockIfFree { 2 } == 2)
      #expect(!isFree(lock))
    }
    #expect(isFree(lock))
    #expect(lock.withLockIfFree { !isFree(lock) } == true)
    #expect(isFree(lock))
  }

  @Test("An error of the closure is passed on, and the lock is free after it.")
  func errors() {
    struct Stop: Error {}
    let lock = RecursiveLock()
    #expect(throws: Stop.self) { try lock.withLock { throw Stop() } }
    #expect(throws: Stop.self) { try lock.withLockIfFree { throw Stop() } }
    #expect(isFree(lock))
  }
}
