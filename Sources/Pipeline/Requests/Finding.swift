import ChangeLog
import Format
import Glibc
import Store

/// Something about a store or its logs that a person should read: an error, or a notice.
package struct Finding: Hashable, Encodable, Sendable, Worded {
  package enum Kind: String, Encodable, Hashable, Sendable {
    /// Bytes that no export writes, or bytes that do not match their digests.
    case damaged
    /// A file that ends before its trailer.
    case incomplete
    /// Transactions that are missing, or that occur twice.
    case gap
    /// A large value whose file is missing or altered.
    case value
    /// A missing end of the logs: a token or a given digest belongs to a transaction after the last
    /// transaction in the logs.
    case endMissing = "end-missing"
    /// A file that is not a log, or that this program can't read.
    case unreadable
    /// An erasure that was not finished.
    case unfinished
    /// A stray file: readers would take it for a log, but it is not a log in its place.
    case misplaced
    /// A difference between the store and a replay of the logs.
    case differs
    /// A fact that a person should know and that is not a failure.
    case notice
  }

  enum Reason {
    case isCovered(folder: String)
    case isUnknownErasure(Digest)
    case hasNoParent(lineage: Int64)
    case otherEnd(HistoryPoint, named: HistoryPoint, by: Int64)
    case tokenIsAhead(end: Int64)
    case tokenIsOther
    case treeIsAhead(end: Int64)
    case tokenIsDamaged(any Error)
    case headIsMissing(Digest, end: HistoryPoint)
    case erasuresAreOther(Digest)
    case positionIsMissing(TrustedPosition)
    case isOtherHistory(PipelineError)
    case rowDiffers(RowDifference, folder: String)
    case moreRowsDiffer(Int)
    case moreStrays(Int)
    case stateDiffers(RowDifference, StatePlace)
    case filteredIsOther
    case startIsNotInParent(lineage: Int64, end: HistoryPoint)
    case checkpointIsMissing(Checkpoint, end: HistoryPoint)
    case othersMayWrite
    case recordIsAhead(end: Int64)
    case lineageIsMissing(Int64, next: Int64)
    case isUnexported(Int64, after: Int64)
    case tokenWasDamaged(String)
    case tokenWasAltered
    case tokenWasBehind(HistoryPoint, HistoryPoint)
    case tokenWasMissing(end: Int64)
    case tokenWasRebuilt(end: Int64)
    case logsBeginAfter(Int64, of: String)
    case beginsWithSnapshot(ClosedRange<Int64>, of: String, String)
    case treeIsNotWhole(String)
    case snapshotIsUnproven
    case isReplica
    /// No trigger captured some changes of these tables.
    case isNotCaptured([String], isRecorded: Bool)
    /// Captured changes of an adopted file are not in the history, because they can't be written.
    case isNotSealed(Int64)
    /// Why the model of a store of Core Data is a guess.
    case modelIsGuessed(String)
    /// Where the write-ahead log of a store of Core Data ends too early.
    case logIsDamaged(String)
    /// A program changed these tables of a replica.
    case isAltered([String])
    case isNotErased(Int, by: Int64, of: ObjectName, [String])
  }

  /// The state that a replay of the logs must give.
  enum StatePlace: Hashable, Sendable {
    case snapshot
    /// The state with which a lineage begins.
    case lineage(Int64)
  }

  package let kind: Kind
  /// The file; empty if the finding is not about a file.
  package private(set) var path: String
  /// The line in the file, from 1; zero if the finding is not about a line.
  package let line: Int
  /// The transaction; zero if the finding is not about a transaction.
  package let transaction: Int64
  /// The message says what is wrong and where; the hint says what to do.
  package private(set) var wording: Wording

  init(_ reason: Reason, path: String = "", transaction: Int64 = 0) {
    kind = reason.kind
    wording = reason.wording(path: path, transaction: transaction)
    (self.path, self.transaction) = (path, transaction)
    line = 0
  }

  private init(_ kind: Kind, _ wording: Wording, at error: LogError) {
    (self.kind, self.wording) = (kind, wording)
    (path, line, transaction) = (error.path, error.line, error.transaction)
  }

  init(_ kind: Kind, _ error: LogError) { self.init(kind, error.wording, at: error) }

  /// Creates a finding from an error; nil if the cause is not in the logs, such as a full disk.
  init?(_ error: LogError) {
    let kinds: [LogError.Code: Kind] = [
      .damaged: .damaged, .incomplete: .incomplete, .gap: .gap, .newerFormat: .unreadable,
      .notALog: .unreadable, .filtered: .unreadable, .missing: .value, .unfinished: .unfinished,
      .stray: .misplaced, .missingTile: .damaged, .refuted: .damaged,
    ]
    guard let kind = kinds[error.code] else { return nil }
    self.init(kind, error)
  }

  init(stray error: LogError) {
    self.init(error.code == .damaged ? .damaged : .misplaced, error)
  }

  private enum CodingKeys: String, CodingKey {
    case kind, message, path, line, transaction
  }

  /// In JSON a notice is the sentence that people see.
  package func encode(to encoder: any Encoder) throws {
    guard kind != .notice else {
      var container = encoder.singleValueContainer()
      return try container.encode(description)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(description, forKey: .message)
    try container.encode(path, forKey: .path)
    try container.encode(line, forKey: .line)
    try container.encode(transaction, forKey: .transaction)
  }

  /// The finding with other names of files.
  package func naming(_ name: (String) -> String) -> Finding {
    var result = self
    (result.path, result.wording) = (name(path), wording.naming(name))
    return result
  }
}

/// Returns a notice for each file that users other than its owner can write.
///
/// Only a digest that is kept elsewhere shows whether another user changed a log.
func permissionNotices(_ paths: [String]) -> [Finding] {
  paths.filter { path in
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o022 != 0
  }
  .map { Finding(.othersMayWrite, path: $0) }
}
