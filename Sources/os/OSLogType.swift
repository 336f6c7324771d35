/// How grave a logged message is.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  /// The number that Apple's systems give this level.
  public let rawValue: UInt8

  /// Names the level with this number.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// What tells the story of normal work.
  public static let `default` = OSLogType(rawValue: 0x00)
  /// What helps, but is not needed, to understand what went on.
  public static let info = OSLogType(rawValue: 0x01)
  /// What only a person who looks for a fault wants to read.
  public static let debug = OSLogType(rawValue: 0x02)
  /// What failed.
  public static let error = OSLogType(rawValue: 0x10)
  /// What failed because a program is wrong.
  public static let fault = OSLogType(rawValue: 0x11)
}

extension OSLogType {
  /// Its place in the order of gravity, which the raw values do not follow.
  var gravity: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .error: 3
    case .fault: 4
    default: 2
    }
  }

  /// The word for it in a line of the log, and in the environment.
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
