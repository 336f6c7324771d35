import SwiftData
import Synchronization
import Testing

@Model final class ShapedWatched {
  var log: [String] = []
  var name: String {
    willSet { log.append("will \(newValue)") }
    didSet {
      log.append("did \(oldValue)")
      guard name.count > 5 else { return }
      name = oldValue
    }
  }
  var count = 0 { didSet(before) { log.append("\(before) to \(count)") } }
  var level = 0 { willSet(next) { log.append("level \(next)") } }
  var flag = false {
    didSet { count += 1 }
  }
  init(name: String) { self.name = name }
}

@Suite("Observers of models")
struct ObservationShapeTests {
  /// Whether an observer that reads something is notified of a change.
  private func isSeen(read: () -> Void, change: () -> Void) -> Bool {
    let seen = Mutex(false)
    withObservationTracking(read) { seen.withLock { $0 = true } }
    change()
    return seen.withLock { $0 }
  }

  @Test("Observers see changes of the properties that they read, and of no others.")
  func tracking() {
    let trip = ShapedTrip(name: "Oslo")
    #expect(isSeen(read: { _ = trip.name }, change: { trip.name = "Bergen" }))
    #expect(!isSeen(read: { _ = trip.name }, change: { trip.count = 1 }))
    #expect(isSeen(read: { _ = trip.items }, change: { trip.items = [] }))
    #expect(isSeen(read: { _ = trip.progress }, change: { trip.progress = 1 }))
    #expect(!isSeen(read: { _ = trip.views }, change: { trip.views = 1 }))
  }

  @Test("Observers of a subclass see changes of inherited properties.")
  func inheritance() {
    let dog = ShapedDog(name: "Rex", breed: "collie")
    #expect(isSeen(read: { _ = dog.name }, change: { dog.name = "Max" }))
    #expect(isSeen(read: { _ = dog.breed }, change: { dog.breed = "mixed" }))
  }

  @Test("A model may report accesses and mutations itself.")
  func ownTracking() {
    let words = ShapedWords(class: "first")
    #expect(
      isSeen(
        read: { words.access(keyPath: \.class) },
        change: { words.withMutation(keyPath: \.class) {} }
      )
    )
  }

  @Test(
    "A class's willSet and didSet run at each change, except changes that they make themselves."
  )
  func willSetAndDidSet() {
    let watched = ShapedWatched(name: "first")
    #expect(watched.log == [])
    watched.name = "2nd"
    #expect(watched.log == ["will 2nd", "did first"])
    watched.log = []
    watched.name = "too long"
    #expect(watched.name == "2nd")
    #expect(watched.log == ["will too long", "did 2nd"])
    watched.log = []
    watched.level = 3
    watched.flag.toggle()
    #expect(watched.log == ["level 3", "0 to 1"])
  }
}
