/// Why a question about a history has no answer: what is wrong with it, and what would work.
package struct AuditError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  package enum Code: String, Hashable, Sendable {
    /// The schema has nothing of that name.
    case unknownName
    /// History has nothing like that.
    case notFound
    /// History does not reach back to what was asked for, or lacks a part of what came after it.
    case historyExpired
    /// Several things are meant.
    case ambiguous
    /// The two sides can't be compared.
    case schemaMismatch
    /// What is asked for goes against something else.
    case misuse
    /// The disk failed.
    case inputOutput
  }

  /// What kind of failure it was.
  package let code: Code
  /// What happened and where.
  package let message: String
  /// What would work.
  package let hint: String

  /// A name that is not known, and those that are.
  package private(set) var names: (unknown: String, known: [String])?

  /// Makes the error of a name that is not known.
  init(unknown name: String, among known: Set<String>, _ message: String) {
    self.init(.unknownName, message, hint: "There are \(known.sorted().joined(separator: ", ")).")
    names = (name, known.sorted())
  }

  package init(_ code: Code, _ message: String, hint: String = "") {
    self.code = code
    self.message = message
    self.hint = hint
  }

  package var description: String { hint.isEmpty ? message : "\(message) \(hint)" }
}
