/// Identifies one of several overlapping intervals with the same name.
public struct OSSignpostID: Hashable, Comparable, Sendable {
  /// The number that distinguishes the identifier; the same in every line of an interval.
  public let rawValue: UInt64

  /// Creates an identifier from a number.
  ///
  /// Two identifiers with the same number are equal.
  public init(_ value: UInt64) {
    rawValue = value
  }

  /// The identifier for intervals that never overlap.
  public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
  /// No identifier.
  public static let null = OSSignpostID(0)
  /// The identifier that no interval has.
  public static let invalid = OSSignpostID(UInt64.max)

  /// Orders identifiers by their numbers.
  ///
  /// The order has no other meaning.
  public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// An interval that has begun.
///
/// If the interval is never passed to `endInterval`, no duration is written.
public final class OSSignpostIntervalState: Sendable {
  let id: OSSignpostID
  let start: ContinuousClock.Instant

  init(id: OSSignpostID) {
    self.id = id
    start = .now
  }
}

/// Marks events and measures intervals, as lines of the level `debug`.
///
/// Nothing is written unless `OS_LOG_LEVEL` is `debug`.
public struct OSSignposter: Sendable {
  private let log: OSLog

  /// Creates a signposter without a subsystem.
  public init() {
    log = .default
  }

  /// Creates a signposter for a subsystem and a category.
  ///
  /// Each line contains the subsystem and the category, unless they are empty.
  public init(subsystem: String, category: String) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// Creates a signposter with the subsystem and category of a log.
  ///
  /// With ``OSLog/disabled``, the signposter writes nothing.
  public init(logHandle: OSLog) {
    log = logHandle
  }

  /// A signposter that writes nothing, even if the level `debug` is enabled.
  public static let disabled = OSSignposter(logHandle: .disabled)

  /// Whether lines would be written; false unless `OS_LOG_LEVEL` is `debug`.
  public var isEnabled: Bool { log.isEnabled(type: .debug) }

  /// Creates an identifier that no other interval has.
  public func makeSignpostID() -> OSSignpostID {
    OSSignpostID(UInt64.random(in: 1..<UInt64.max))
  }

  /// Writes a line for one point in time.
  ///
  /// Nothing is written unless the level `debug` is enabled.
  public func emitEvent(
    _ name: StaticString,
    id: OSSignpostID = .exclusive,
    _ message: @autoclosure () -> OSLogMessage = ""
  ) {
    mark("\(name)", message)
  }

  /// Begins an interval; writes a line if the level is enabled.
  ///
  /// - Returns: The interval, for `endInterval`.
  public func beginInterval(
    _ name: StaticString,
    id: OSSignpostID = .exclusive,
    _ message: @autoclosure () -> OSLogMessage = ""
  ) -> OSSignpostIntervalState {
    mark("\(name) begins", message)
    return OSSignpostIntervalState(id: id)
  }

  /// Ends an interval and writes a line with its duration.
  ///
  /// Ending an interval twice writes two lines.
  public func endInterval(
    _ name: StaticString,
    _ state: OSSignpostIntervalState,
    _ message: @autoclosure () -> OSLogMessage = ""
  ) {
    mark("\(name) took \(ContinuousClock.now - state.start)", message)
  }

  /// Measures the duration of a function.
  ///
  /// The interval also ends if the function throws.
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
