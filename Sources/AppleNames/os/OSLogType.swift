/// The level of a message.
///
/// Messages below the level in `OS_LOG_LEVEL` are not written.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  /// The number of the level.
  ///
  /// The numbers are the same as on Apple's systems, and are not ordered by severity.
  public let rawValue: UInt8

  /// Creates a level from its number.
  ///
  /// A message of an unknown level is written like a message of the level `default`.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Normal events, such as the start of a program.
  public static let `default` = OSLogType(rawValue: 0x00)
  /// Helpful details, which are not written by default.
  public static let info = OSLogType(rawValue: 0x01)
  /// Details for debugging, which are not written by default.
  public static let debug = OSLogType(rawValue: 0x02)
  /// Failures, such as a file that can't be read.
  public static let error = OSLogType(rawValue: 0x10)
  /// Failures because of a bug in the program, such as a state that must not occur.
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
