import ChangeLog
import Changes
import Glibc

package struct PipelineError: Error, Sendable, Worded {
  /// The kind of failure.
  ///
  /// Later versions may add kinds, so a `switch` needs a default.
  package enum Code: String, Hashable, Sendable {
    case missingLogs, missing, historyExpired, historyDiverged, schemaMismatch, otherStore
    case unknownName, stillThere, misuse, unproven
  }

  /// The kinds of failure with their details.
  ///
  /// The details do not include the paths of the store and of the logs, which are properties of the
  /// error.
  indirect enum Reason: Sendable {
    // Folders, files and points.
    case noFolder, noLogs, noFile, isPartOfLineage, isUnreadable(Int32), onlyState(Int64)
    case noLogsOfStore(String, others: [String])
    case noLogsOfLineage(Int64, of: String, others: [Int64])
    case severalStores([String], choice: Choice)
    case notAPoint(String, in: String), afterHead(Int64, base: Int64, head: Int64)
    case beforeHistory(Point, Beginning), logsAreGone(from: Int64), hasNoState(String)
    // Names.
    case unknownEntity(String, known: [String])
    case unknownProperty(String, of: String, known: [String])
    case isDroppedAndHashed(String), hasNoKey
    // Import.
    case notAReplica, isReplica(of: String, not: String), hasNoLogsOfReplica(String)
    case isPast(Point, head: Int64), isInGap(Int64, ClosedRange<Int64>)
    case logsEndBefore(Int64, end: Int64), logsBeginAfter(Point)
    case hasNoTransactions(String), hasNoSnapshot(first: Int64, until: Point)
    case isOlderLineage(Int64, replica: Int64, isNamed: Bool)
    case isNewLineage(Int64, replica: Int64, folder: String?)
    case isAmbiguousTime(String, last: Int64, lineage: Int64, Parting, folder: String)
    case hasOtherDigest(Int64), isUnprovenSnapshot(Int64)
    case isNotProven(String), isUnprovenTransaction(Int64, proven: Int64)
    // Export.
    case tokenIsDamaged(String, any Error, isFiltered: Bool)
    case tokenHasNoLogs(HistoryPoint), tokenIsAhead(HistoryPoint, lineage: Int64, end: Int64)
    case wasExportedBefore(isFiltered: Bool), hasLogs
    case isExpired(Int64, StoreError, filtered: String?), hasDiverged(StoreError)
    case streamHasNoBeginning, firstExportIsSnapshot
    case leavesOut(ClosedRange<Int64>, again: Int64)
    case snapshotIsNotLast(Int64, head: Int64), snapshotIsFiltered
    // Recover, prune and erase.
    case hasNothingToContinue, schemaChanged, isOtherLineage(Int64, logs: Int64)
    case isOnlyCopy(transactions: Int64, isCaptured: Bool)
    case isUnlogged, areUnlogged(ClosedRange<Int64>), isUnsound(Finding)
    case isOtherHistory(StoreError)
    case isLink, isCovered, isUnexported(Int64, object: String)
    case isUnknownObject(String, entity: String), isThere(String)
    case isOfOtherEntity(String, ObjectName), hasValue(String, of: String, since: Int64)
  }

  /// The flag with which a person chooses one of several stores.
  enum Choice: Sendable { case identifier, path, file }

  /// The beginning of a history that lacks earlier transactions, and a source that may contain
  /// them.
  struct Beginning: Sendable {
    let base: Int64
    let head: Int64
    let time: String?
    let isStore: Bool
    let earlier: String?
  }

  /// The transaction at which the latest lineage separated from an earlier lineage.
  struct Parting: Sendable {
    let lineage: Int64
    let transaction: Int64
  }

  let reason: Reason
  /// The name of the store in messages.
  package var store: String
  /// The name of the log folder, or of the file that the error is about, in messages.
  package var logs: String
  /// The name of the log in messages.
  package var log: String

  init(_ reason: Reason, store: String = "", logs: String = "", log: String = "") {
    self.reason = reason
    self.store = store
    self.logs = logs
    self.log = log
  }

  /// The name that was not found, and the names that exist.
  package var names: (unknown: String, known: [String])? {
    switch reason {
    case .unknownEntity(let name, let known), .unknownProperty(let name, _, let known):
      (name, known)
    default: nil
    }
  }
}

extension PipelineError {
  package var code: Code {
    switch reason {
    case .noFolder, .noLogs, .noLogsOfStore, .noLogsOfLineage, .noFile, .isPartOfLineage,
      .onlyState,
      .isUnreadable, .afterHead, .isUnknownObject, .isOfOtherEntity:
      .missing
    case .logsAreGone, .isInGap, .logsEndBefore, .logsBeginAfter, .hasNoTransactions,
      .hasNoSnapshot, .isOlderLineage, .tokenIsDamaged, .tokenHasNoLogs, .tokenIsAhead,
      .wasExportedBefore, .hasNothingToContinue, .isOnlyCopy, .isUnlogged, .areUnlogged,
      .isUnsound:
      .missingLogs
    case .beforeHistory, .isExpired, .streamHasNoBeginning, .firstExportIsSnapshot, .leavesOut:
      .historyExpired
    case .isNewLineage, .isAmbiguousTime, .hasOtherDigest, .hasDiverged, .isOtherLineage,
      .isOtherHistory:
      .historyDiverged
    case .schemaChanged: .schemaMismatch
    case .severalStores, .isReplica, .hasNoLogsOfReplica: .otherStore
    case .unknownEntity, .unknownProperty: .unknownName
    case .isThere, .hasValue: .stillThere
    case .isUnprovenSnapshot, .isNotProven, .isUnprovenTransaction: .unproven
    case .notAPoint, .isDroppedAndHashed, .hasNoKey, .notAReplica, .isPast, .hasLogs,
      .snapshotIsNotLast, .snapshotIsFiltered, .hasNoState, .isLink, .isCovered, .isUnexported:
      .misuse
    }
  }
}

/// A request that names a store and its logs.
protocol PipelineRequest {
  var store: String { get }
  var logs: LogFolder { get }
}

extension PipelineRequest {
  func error(_ reason: PipelineError.Reason, log: String = "") -> PipelineError {
    PipelineError(reason, store: store, logs: logs.path, log: log)
  }
}

/// Throws if a folder is missing or has no logs.
package func checkHasLogs(_ logs: LogFolder) throws {
  guard logs.exists else { throw missingFolder(logs) }
  guard try logs.allFiles().isEmpty else { return }
  throw PipelineError(.noLogs, logs: logs.path)
}

/// The error for a log folder that is missing, or is not a folder.
package func missingFolder(_ logs: LogFolder) -> any Error {
  guard access(logs.path, F_OK) == 0 else { return PipelineError(.noFolder, logs: logs.path) }
  return ChainFailure.notAFolder.at(logs.path)
}
