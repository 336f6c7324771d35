import Foundation

/// What the environment says about logging, read once.
struct LogSettings: Sendable {
  /// The least grave level that is written; nil when nothing is.
  var least: OSLogType?
  /// Whether private values are to be read.
  var showsPrivate: Bool

  /// Reads `OS_LOG_LEVEL` (`debug`, `info`, `default`, `error`, `fault`, `off`) and
  /// `OS_LOG_PRIVATE` (`show`); a word that is none of these counts as not said.
  init(environment: [String: String]) {
    let levels: [OSLogType] = [.debug, .info, .default, .error, .fault]
    let word = environment["OS_LOG_LEVEL"]?.lowercased()
    least = word == "off" ? nil : levels.first { $0.name == word } ?? .default
    showsPrivate = environment["OS_LOG_PRIVATE"]?.lowercased() == "show"
  }

  static let current = LogSettings(environment: ProcessInfo.processInfo.environment)
}
