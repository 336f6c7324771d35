/// A destination of messages; it writes lines with a subsystem and a category, or nothing if it is
/// ``disabled``.
public final class OSLog: Sendable {
  /// The program or library that writes, in reverse-DNS style.
  let subsystem: String
  /// The part of the program or library that writes.
  let category: String
  private let isDisabled: Bool

  /// Creates a log.
  ///
  /// Several logs may have the same subsystem and category.
  public init(subsystem: String, category: String) {
    self.subsystem = subsystem
    self.category = category
    isDisabled = false
  }

  private init(isDisabled: Bool) {
    subsystem = ""
    category = ""
    self.isDisabled = isDisabled
  }

  /// The log without a subsystem.
  public static let `default` = OSLog(isDisabled: false)
  /// A log that writes nothing, even if all levels are enabled.
  public static let disabled = OSLog(isDisabled: true)

  /// Whether a message of this level would be written.
  ///
  /// `OS_LOG_LEVEL` is read only once.
  public func isEnabled(type: OSLogType) -> Bool {
    guard !isDisabled, let least = LogSettings.current.least else { return false }
    return type.gravity >= least.gravity
  }

  /// Composes and writes a message, if its level is enabled.
  func write(_ type: OSLogType, name: String, _ message: () -> OSLogMessage) {
    guard isEnabled(type: type) else { return }
    let text = message().text(showsPrivate: LogSettings.current.showsPrivate)
    writeLine(logLine(name: name, subsystem: subsystem, category: category, text: text))
  }
}
