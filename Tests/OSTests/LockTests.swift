import Testing
import os

@Suite("OSAllocatedUnfairLock")
struct LockTests {
  @Test("A lock serialises the additions of many tasks.")
  func counting() async {
    let lock = OSAllocatedUnfairLock(initialState: 0)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1_000 { lock.withLock { $0 += 1 } } }
      }
    }
    #expect(lock.withLock { $0 } == 8_000)
  }

  @Test("An error of the closure is thrown to the caller, and the lock is free again.")
  func errors() {
    struct Refused: Error {}
    let lock = OSAllocatedUnfairLock(initialState: 1)
    #expect(throws: Refused.self) { try lock.withLock { _ in throw Refused() } }
    #expect(lock.withLockIfAvailable { $0 } == 1)
  }

  @Test("A lock is not available while it is held.")
  func availability() {
    let lock = OSAllocatedUnfairLock(uncheckedState: [1])
    lock.withLockUnchecked { state in
      state.append(2)
      #expect(lock.withLockIfAvailable { $0.count } == nil)
      lock.precondition(.owner)
    }
    lock.precondition(.notOwner)
    #expect(lock.withLockIfAvailableUnchecked { $0 } == [1, 2])
  }

  @Test("A lock without a state protects code.")
  func codeOnly() {
    let lock = OSAllocatedUnfairLock()
    lock.lock()
    #expect(!lock.lockIfAvailable())
    lock.unlock()
    #expect(lock.lockIfAvailable())
    lock.unlock()
    #expect(lock.withLock { 7 } == 7)
    #expect(lock.withLockUnchecked { 7 } == 7)
  }

  @Test("Locking twice, unlocking a free lock, and a wrong claim of ownership stop the program.")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      let lock = OSAllocatedUnfairLock()
      lock.lock()
      lock.lock()
    }
    await #expect(processExitsWith: .failure) { OSAllocatedUnfairLock().unlock() }
    await #expect(processExitsWith: .failure) { OSAllocatedUnfairLock().precondition(.owner) }
  }

  @Test("A lock releases its state when it is released.")
  func release() {
    final class Guarded: Sendable {}
    weak var guarded: Guarded?
    do {
      let lock = OSAllocatedUnfairLock(initialState: Guarded())
      guarded = lock.withLock { $0 }
      #expect(guarded != nil)
    }
    #expect(guarded == nil)
  }
}
