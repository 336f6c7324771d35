/// Why a question about a history has no answer: what is wrong with it, and what would work.
public struct AuditError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  public enum Code: String, Hashable, Sendable {
    /// The schema has nothing of that name.
    case unknownName
    /// History has nothing like that.
    case notFound
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
  public let code: Code
  /// What happened and where.
  public let message: String
  /// What would work.
  public let hint: String

  /// Makes an error.
  public init(_ code: Code, _ message: String, hint: String = "") {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The sentences.
  public var description: String { hint.isEmpty ? message : "\(message) \(hint)" }
}
