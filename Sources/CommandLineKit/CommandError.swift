import FoundationEssentials
import Glibc

/// The reason why a command failed: what happened, where, what to do, and its exit code.
package struct CommandError: Error, Hashable, Sendable {
  package var code: ExitCode
  /// A sentence that says what happened and where.
  package var message: String
  /// A sentence that says what to do; nil if the message already says what to do.
  package var hint: String?

  package init(_ code: ExitCode, message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension CommandError: CustomStringConvertible {
  /// The message, and the hint on a separate line.
  package var description: String {
    hint.map { "\(message)\n\($0)" } ?? message
  }
}

/// The system's message for an error of Foundation, without the text that Foundation adds.
package func reason(of error: any Error) -> String {
  guard let system = (error as? CocoaError)?.underlying as? POSIXError else { return "\(error)" }
  return "\(String(cString: strerror(system.code.rawValue)))."
}

extension CommandError {
  /// The error as a line of JSON, for --json.
  package var json: String {
    struct Line: Encodable {
      let type = "error"
      let schema = 1
      let code: Int32
      let name: String
      let message: String
      let hint: String?
    }
    let line = Line(code: code.number, name: code.name, message: message, hint: hint)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(line), as: UTF8.self) + "\n"
    } catch {
      // Encoding numbers and strings does not fail; if it did, the message would still be shown.
      return "\(self)\n"
    }
  }
}
