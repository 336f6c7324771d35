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

  /// Creates a logger for a subsystem and a category.
  ///
  /// Each line contains the subsystem and the category, unless they are empty.
  public init(subsystem: String, category: String) {
    log = OSLog(subsystem: subsystem, category: category)
  }

  /// Creates a logger with the subsystem and category of a log.
  ///
  /// With ``OSLog/disabled``, the logger writes nothing and does not evaluate messages.
  public init(_ logObj: OSLog) {
    log = logObj
  }

  /// Writes a message of the level `default`.
  public func log(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.default, name: "notice", message)
  }

  /// Writes a message at a level.
  ///
  /// If the level is not enabled, the message is not evaluated.
  public func log(level: OSLogType, _ message: @autoclosure () -> OSLogMessage) {
    log.write(level, name: level.name, message)
  }

  /// Writes a message at the level `debug`; there is no separate level for traces.
  public func trace(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.debug, name: "trace", message)
  }

  /// Writes a message at the level `debug`, which is not enabled by default.
  public func debug(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.debug, name: "debug", message)
  }

  /// Writes a message at the level `info`, which is not enabled by default.
  public func info(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.info, name: "info", message)
  }

  /// Writes a message of the level `default`.
  public func notice(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.default, name: "notice", message)
  }

  /// Writes a message at the level `error`; there is no separate level for warnings.
  public func warning(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.error, name: "warning", message)
  }

  /// Writes a message at the level `error`.
  ///
  /// The message is written unless `OS_LOG_LEVEL` is `fault` or `off`.
  public func error(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.error, name: "error", message)
  }

  /// Writes a message at the level `fault`; there is no separate level for critical messages.
  public func critical(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.fault, name: "critical", message)
  }

  /// Writes a message at the level `fault`.
  ///
  /// The message is written unless `OS_LOG_LEVEL` is `off`.
  public func fault(_ message: @autoclosure () -> OSLogMessage) {
    log.write(.fault, name: "fault", message)
  }
}
