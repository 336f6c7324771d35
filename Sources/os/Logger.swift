/// Writes messages to standard error, one line for each.
///
/// `OS_LOG_LEVEL` is the lowest level that is written (`debug`, `info`, `default`, `error`, `fault`, or `off`;
/// `default` when unset). Values that are private are written as `<private>`, unless
/// `OS_LOG_PRIVATE` is `show`.
public struct Logger: Sendable {
  private let log: OSLog

  /// Writes lines without a subsystem.
  public init() {
    log = .default
  }

  /// Writes lines with this subsystem and category.
  public init(subsystem: String, category: String) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// Writes lines with the subsystem and category of a log.
  public init(_ logObj: OSLog) {
    log = logObj
  }

  /// Writes a message of the level `default`.
  public func log(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.default, name: "notice", message)
  }

  /// Writes a message of a level.
  public func log(level: OSLogType, _ message: @autoclosure () -> OSLogMessage) {
    log.write(level, name: level.name, message)
  }

  /// Writes a message of the level `debug`.
  public func trace(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.debug, name: "trace", message)
  }

  /// Writes a message of the level `debug`.
  public func debug(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.debug, name: "debug", message)
  }

  /// Writes a message of the level `info`.
  public func info(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.info, name: "info", message)
  }

  /// Writes a message of the level `default`.
  public func notice(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.default, name: "notice", message)
  }

  /// Writes a message of the level `error`.
  public func warning(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.error, name: "warning", message)
  }

  /// Writes a message of the level `error`.
  public func error(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.error, name: "error", message)
  }

  /// Writes a message of the level `fault`.
  public func critical(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.fault, name: "critical", message)
  }

  /// Writes a message of the level `fault`.
  public func fault(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.fault, name: "fault", message)
  }
}
