import Foundation

/// The environment's settings for logging, read once.
struct LogSettings: Sendable {
  /// The lowest level that is written; nil if nothing is written.
  var least: OSLogType?
  var showsPrivate: Bool

  /// Reads `OS_LOG_LEVEL` (`debug`, `info`, `default`, `error`, `fault`, `off`) and
  /// `OS_LOG_PRIVATE` (`show`); other words are ignored.
  init(environment: [String: String]) {
    let levels: [OSLogType] = [.debug, .info, .default, .error, .fault]
    let word = environment["OS_LOG_LEVEL"]?.lowercased()
    least = word == "off" ? nil : levels.first { $0.name == word } ?? .default
    showsPrivate = environment["OS_LOG_PRIVATE"]?.lowercased() == "show"
  }

  static let current = LogSettings(environment: ProcessInfo.processInfo.environment)
}
