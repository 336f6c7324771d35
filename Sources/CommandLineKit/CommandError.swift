/// Why a command failed: what happened, where, what to do, and the code that scripts see.
package struct CommandError: Error, Hashable, Sendable {
  /// What the system is told.
  package var code: ExitCode
  /// What happened and where, in a sentence.
  package var message: String
  /// What to do about it; nil where the message says it.
  package var hint: String?

  package init(_ code: ExitCode, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// Makes an error of a command line that can't be understood.
  package static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.usage, message, hint: hint)
  }
}

extension CommandError: CustomStringConvertible {
  /// The message, and the hint on a line of its own.
  package var description: String {
    hint.map { "\(message)\n\($0)" } ?? message
  }
}
