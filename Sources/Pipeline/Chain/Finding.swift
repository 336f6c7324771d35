import ChangeLog
import Changes
import Glibc

/// An error that verification found.
package struct Finding: Equatable, Sendable, Worded {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
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
  }

  indirect enum Reason: Sendable {
    case log(Kind, LogError)
    case isCovered(folder: String)
    case isUnknownErasure(Digest)
    case hasNoParent(lineage: Int64)
    case endIsMissing(lineage: Int64, end: Int64, next: Int64)
    case endIsOther(lineage: Int64, HistoryPoint, end: HistoryPoint, next: Int64)
    case tokenIsAhead(end: Int64)
    case tokenIsOther
    case treeIsAhead(end: Int64)
    case tokenIsDamaged(any Error)
    case headIsMissing(Digest, end: HistoryPoint)
    case erasuresAreOther(Digest)
    case positionIsMissing(TrustedPosition)
    case isOtherHistory(PipelineError)
    case rowDiffers(ChangeKind, object: String, properties: String, folder: String)
    case moreRowsDiffer(Int)
    case moreStrays(Int)
    case stateDiffers(ChangeKind, object: String, properties: String, StatePlace)
    case filteredIsOther
    case startIsNotInParent(lineage: Int64, parent: Int64, end: HistoryPoint)
    case checkpointIsMissing(Checkpoint, end: HistoryPoint)
  }

  /// The state that a replay of the logs must give.
  enum StatePlace: Hashable, Sendable {
    case snapshot
    /// The state with which a lineage begins.
    case lineage(Int64)
  }

  let reason: Reason
  /// The file; empty if the finding is not about a file.
  package let path: String
  /// The transaction; zero if the finding is not about a transaction.
  package let transaction: Int64

  /// The line in the file, from 1; zero if the finding is not about a line.
  package var line: Int { if case .log(_, let error) = reason { error.line } else { 0 } }

  init(_ reason: Reason, path: String = "", transaction: Int64 = 0) {
    self.reason = reason
    self.path = path
    self.transaction = transaction
  }

  /// Whether two findings have equal kinds, places and texts.
  package static func == (left: Finding, right: Finding) -> Bool {
    left.kind == right.kind && left.path == right.path && left.line == right.line
      && left.transaction == right.transaction && left.wording == right.wording
  }

  /// Creates a finding from an error; nil if the cause is not in the logs, such as a full disk.
  init?(_ error: LogError) {
    let kinds: [LogError.Code: Kind] = [
      .damaged: .damaged, .incomplete: .incomplete, .gap: .gap, .newerFormat: .unreadable,
      .notALog: .unreadable, .filtered: .unreadable, .missing: .value, .unfinished: .unfinished,
      .stray: .misplaced, .missingTile: .damaged, .refuted: .damaged,
    ]
    guard let kind = kinds[error.code] else { return nil }
    self.init(.log(kind, error), path: error.path, transaction: error.transaction)
  }

  init(stray error: LogError) {
    let kind: Kind = error.code == .damaged ? .damaged : .misplaced
    self.init(.log(kind, error), path: error.path, transaction: error.transaction)
  }

  package func naming(_ name: (String) -> String) -> Finding {
    let reason: Reason =
      switch reason {
      case .log(let kind, let error): .log(kind, error.naming(name))
      case .isCovered(let folder): .isCovered(folder: name(folder))
      case .rowDiffers(let kind, let object, let properties, let folder):
        .rowDiffers(kind, object: object, properties: properties, folder: name(folder))
      default: reason
      }
    return Finding(reason, path: name(path), transaction: transaction)
  }
}

/// A fact that a person should know and that is not a failure.
package enum Notice: Hashable, Encodable, Sendable, Worded {
  case othersMayWrite(String)
  case recordIsAhead(String, transaction: Int64, end: Int64)
  case lineageIsMissing(Int64, next: Int64)
  case isUnexported(String, Int64, after: Int64)
  case tokenWasDamaged(String, String)
  case tokenWasAltered(Int64)
  case tokenWasBehind(HistoryPoint, HistoryPoint)
  case tokenWasMissing(end: Int64)
  case tokenWasRebuilt(end: Int64)
  case logsBeginAfter(Int64, of: String)
  case beginsWithSnapshot(ClosedRange<Int64>, of: String, String)
  case treeIsNotWhole(String)
  case snapshotIsUnproven(Int64)
  case isReplica(String)
  /// No trigger captured some changes of these tables.
  case isNotCaptured([String], of: String, isRecorded: Bool)
  /// Captured changes of an adopted file are not in the history, because they can't be written.
  case isNotSealed(Int64, of: String)
  /// A program changed these tables of a replica.
  case isAltered([String], of: String)
  case isNotErased(Int, by: Int64, of: ObjectName, [String], String)

  /// In JSON a notice is the sentence that people see.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  package func naming(_ name: (String) -> String) -> Notice {
    switch self {
    case .othersMayWrite(let path): .othersMayWrite(name(path))
    case .recordIsAhead(let path, let id, let end):
      .recordIsAhead(name(path), transaction: id, end: end)
    case .isNotErased(let count, let id, let object, let properties, let path):
      .isNotErased(count, by: id, of: object, properties, name(path))
    default: self
    }
  }
}

/// Returns a notice for each file that users other than its owner can write.
///
/// Only a digest that is kept elsewhere shows whether another user changed a log.
func permissionNotices(_ paths: [String]) -> [Notice] {
  paths.compactMap { path in
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o022 != 0 else { return nil }
    return .othersMayWrite(path)
  }
}
