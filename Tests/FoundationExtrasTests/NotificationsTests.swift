import Foundation
import FoundationExtras
import Testing

@Suite("Notifications as a sequence")
struct NotificationsTests {
  let center = NotificationCenter()
  let name = Notification.Name("saved")

  @Test("An iterator returns the notifications that are posted after it was created, in order.")
  func order() async throws {
    var iterator = center.notifications(named: name).makeAsyncIterator()
    for number in 0..<100 {
      center.post(name: name, object: nil, userInfo: ["number": number])
    }
    for number in 0..<100 {
      let notification = try #require(await iterator.next())
      #expect(notification.name == name)
      #expect(notification.userInfo?["number"] as? Int == number)
    }
  }

  @Test("Notifications of another name or another sender are not returned.")
  func filter() async throws {
    let sender = NSObject()
    var iterator = center.notifications(named: name, object: sender).makeAsyncIterator()
    center.post(name: name, object: NSObject())
    center.post(name: Notification.Name("other"), object: sender)
    center.post(name: name, object: sender, userInfo: ["mine": true])
    let notification = try #require(await iterator.next())
    #expect(notification.userInfo?["mine"] as? Bool == true)
  }

  @Test("Two iterators of one sequence each return every notification.")
  func twoIterators() async {
    let sequence = center.notifications(named: name)
    var first = sequence.makeAsyncIterator()
    var second = sequence.makeAsyncIterator()
    center.post(name: name, object: nil)
    #expect(await first.next()?.name == name)
    #expect(await second.next()?.name == name)
  }

  @Test("A cancelled task leaves the loop over notifications.")
  func cancellation() async {
    let center = center
    let name = name
    let task = Task { @MainActor in
      for await _ in center.notifications(named: name) {}
      return true
    }
    task.cancel()
    #expect(await task.value)
  }

  @Test("Operators of the sequence turn notifications into values that can be sent elsewhere.")
  func operators() async {
    let numbers = center.notifications(named: name).compactMap { $0.userInfo?["number"] as? Int }
    var iterator = numbers.makeAsyncIterator()
    center.post(name: name, object: nil)
    center.post(name: name, object: nil, userInfo: ["number": 7])
    #expect(await iterator.next() == 7)
  }

  @Test("A released iterator stops observing.")
  func dropped() async {
    weak var sender: NSObject?
    do {
      let held = NSObject()
      sender = held
      var iterator = center.notifications(named: name, object: held).makeAsyncIterator()
      center.post(name: name, object: held)
      #expect(await iterator.next() != nil)
    }
    #expect(sender == nil)
  }
}
