/// Why a log could not be written or read: what happened, where, and what to do.
public struct LogError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  public struct Code: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
      case missing, inputOutput, diskFull, damaged, incomplete, newerFormat, notALog, exists, gap
      case locked, partial, lineTooLong, unfinished, outOfMemory
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// There is no such file or folder.
    public static let missing = Code(.missing)
    /// Reading or writing failed.
    public static let inputOutput = Code(.inputOutput)
    /// There was no memory.
    public static let outOfMemory = Code(.outOfMemory)
    /// The disk is full.
    public static let diskFull = Code(.diskFull)
    /// Bytes that the writer would not have written, or digests that do not fit them.
    public static let damaged = Code(.damaged)
    /// The file ends before its trailer.
    public static let incomplete = Code(.incomplete)
    /// A version of the format, or a feature, that is not known.
    public static let newerFormat = Code(.newerFormat)
    /// The file is something else.
    public static let notALog = Code(.notALog)
    /// A file of that name is there already.
    public static let exists = Code(.exists)
    /// Transactions are missing between files, or twice there.
    public static let gap = Code(.gap)
    /// Another program works in the folder.
    public static let locked = Code(.locked)
    /// The log has something left out, so that it is no good for what was asked.
    public static let partial = Code(.partial)
    /// Something was begun in the folder, and not finished.
    public static let unfinished = Code(.unfinished)
    /// A change makes a line that is longer than readers take.
    public static let lineTooLong = Code(.lineTooLong)
  }

  /// What kind of failure it was.
  public let code: Code
  /// What happened, where, and what to do.
  public let message: String
  /// The file.
  public let path: String
  /// The line in the file, from 1 on; zero where no line is meant.
  public let line: Int
  /// The transaction; zero where none is meant.
  public let transaction: Int64

  /// Makes an error.
  public init(
    _ code: Code,
    _ message: String,
    path: String,
    line: Int = 0,
    transaction: Int64 = 0
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.line = line
    self.transaction = transaction
  }

  /// The sentence.
  public var description: String { message }
}

extension LogError {
  static func memory(_ path: String) -> LogError {
    LogError(
      .outOfMemory,
      "There was no memory left for the log \(path). Try again when other programs need less, or raise"
        + " the limit of this one.",
      path: path
    )
  }
}
