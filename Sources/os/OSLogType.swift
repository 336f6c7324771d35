/// The level of a message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  /// The number that Apple's systems give this level.
  public let rawValue: UInt8

  /// Names the level with this number.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Normal events.
  public static let `default` = OSLogType(rawValue: 0x00)
  /// Helpful details.
  public static let info = OSLogType(rawValue: 0x01)
  /// Details for debugging.
  public static let debug = OSLogType(rawValue: 0x02)
  /// Failures.
  public static let error = OSLogType(rawValue: 0x10)
  /// Failures because of a bug.
  public static let fault = OSLogType(rawValue: 0x11)
}

extension OSLogType {
  /// The severity as a number, because raw values are not ordered by severity.
  var gravity: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .error: 3
    case .fault: 4
    default: 2
    }
  }

  /// The word for the level in a line of the log, and in the environment.
  var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .error: "error"
    case .fault: "fault"
    default: "default"
    }
  }
}
