import Foundation

extension NotificationCenter {
  /// The notifications with a name, as they are posted.
  ///
  /// If a sender is given, only its notifications are returned.
  public func notifications(
    named name: Notification.Name,
    object: AnyObject? = nil
  ) -> Notifications {
    Notifications(center: self, name: name, sender: object)
  }

  /// The notifications of a name that are posted after the iteration begins.
  ///
  /// Notifications that are posted between two iterations of a loop wait for the next iteration.
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    // The class is Sendable because all members are constant, the center is thread-safe, and the
    // sender is only used for comparisons.
    private let center: NotificationCenter
    private let name: Notification.Name
    private let sender: AnyObject?

    init(center: NotificationCenter, name: Notification.Name, sender: AnyObject?) {
      self.center = center
      self.name = name
      self.sender = sender
    }

    /// Starts to observe notifications; only those posted from now on are returned.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
      let token = center.addObserver(forName: name, object: sender, queue: nil) { notification in
        continuation.yield(Posted(notification: notification))
      }
      let observation = Observation(center: center, token: token)
      continuation.onTermination = { _ in observation.end() }
      return Iterator(posted: stream.makeAsyncIterator())
    }

    /// Returns one notification after another.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var posted: AsyncStream<Posted>.AsyncIterator

      /// Waits for the next notification; nil means that the task was cancelled.
      public mutating func next() async -> Notification? {
        await posted.next()?.notification
      }

      /// Waits for the next notification on the caller's actor; nil means that the task was
      /// cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> Notification? {
        await posted.next(isolation: actor)?.notification
      }
    }
  }
}

/// A notification on its way from the thread that posts it to the task that waits for it.
private struct Posted: @unchecked Sendable {
  // The type is Sendable as on Apple's systems: the poster no longer uses the notification.
  let notification: Notification
}

/// The registration of an observer with the center.
private struct Observation: @unchecked Sendable {
  // The type is Sendable because the token is only passed to the center, which is thread-safe.
  let center: NotificationCenter
  let token: any NSObjectProtocol

  func end() {
    center.removeObserver(token)
  }
}
