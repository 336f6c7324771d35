/// Identifies one of several overlapping intervals with the same name.
public struct OSSignpostID: Hashable, Comparable, Sendable {
  /// The number itself.
  public let rawValue: UInt64

  /// Takes a number as it is.
  public init(_ value: UInt64) {
    rawValue = value
  }

  /// For intervals that never overlap.
  public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
  /// No identifier.
  public static let null = OSSignpostID(0)
  /// An invalid identifier.
  public static let invalid = OSSignpostID(UInt64.max)

  /// Orders identifiers by their numbers.
  public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// An interval that has begun.
public final class OSSignpostIntervalState: Sendable {
  let id: OSSignpostID
  let start: ContinuousClock.Instant

  init(id: OSSignpostID) {
    self.id = id
    start = .now
  }
}

/// Marks events and measures intervals, as lines of the level `debug`.
public struct OSSignposter: Sendable {
  private let log: OSLog

  /// Marks lines without a subsystem.
  public init() {
    log = .default
  }

  /// Marks lines with this subsystem and category.
  public init(subsystem: String, category: String) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// Marks lines with the subsystem and category of a log.
  public init(logHandle: OSLog) {
    log = logHandle
  }

  /// A signposter that writes nothing.
  public static let disabled = OSSignposter(logHandle: .disabled)

  /// Whether anything would be written.
  public var isEnabled: Bool { log.isEnabled(type: .debug) }

  /// Creates an identifier that no other interval has.
  public func makeSignpostID() -> OSSignpostID {
    OSSignpostID(UInt64.random(in: 1..<UInt64.max))
  }

  /// Marks a point in time.
  public func emitEvent(
    _ name: StaticString,
    id: OSSignpostID = .exclusive,
    _ message: @autoclosure () -> OSLogMessage = ""
  ) {
    mark("\(name)", message)
  }

  /// Begins an interval.
  public func beginInterval(
    _ name: StaticString,
    id: OSSignpostID = .exclusive,
    _ message: @autoclosure () -> OSLogMessage = ""
  ) -> OSSignpostIntervalState {
    mark("\(name) begins", message)
    return OSSignpostIntervalState(id: id)
  }

  /// Ends an interval and writes how long it was.
  public func endInterval(
    _ name: StaticString,
    _ state: OSSignpostIntervalState,
    _ message: @autoclosure () -> OSLogMessage = ""
  ) {
    mark("\(name) took \(ContinuousClock.now - state.start)", message)
  }

  /// Measures the duration of a function.
  public func withIntervalSignpost<Result>(
    _ name: StaticString,
    id: OSSignpostID = .exclusive,
    around task: () throws -> Result
  ) rethrows -> Result {
    let state = beginInterval(name, id: id)
    defer { endInterval(name, state) }
    return try task()
  }

  private func mark(_ words: @autoclosure () -> String, _ message: () -> OSLogMessage) {
    log.write(.debug, name: "signpost") {
      var parts = [OSLogInterpolation.Part.words(words())]
      let more = message().parts
      if !more.isEmpty { parts.append(.words(" ")) }
      return OSLogMessage(parts: parts + more)
    }
  }
}
