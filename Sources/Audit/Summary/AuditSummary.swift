import Changes
import Pipeline

/// The summary of a history: how much happened, when, by whom, and what an auditor should examine.
package struct AuditSummary {
  package struct Entry: Sendable {
    package var summary: TransactionSummary
    /// The changes that are shown.
    package var differences: [ObjectDifference]
    /// The number of changes that are not shown.
    package var omitted: Int64
  }

  /// A deleted object, and who deleted it.
  package struct Deletion: Sendable {
    package var touch: Touch
    /// The object with the values of its tombstone.
    package var difference: ObjectDifference
  }

  /// An object and the number of its changes.
  package struct Activity: Sendable {
    package var object: ObjectName
    /// The object's name for people.
    package var label: String?
    package var changes: Int64
  }

  package var history: History
  /// The time zone of all times.
  package var clock: WallClock
  /// The selected transactions; nil if there are none.
  package var range: ClosedRange<Int64>?
  package var firstTime = ""
  package var lastTime = ""
  /// Without the snapshot of a lineage.
  package var transactions: Int64 = 0
  /// The number of objects in that snapshot, which are not counted as changes.
  package var snapshotObjects: Int64 = 0
  package var counts = ChangeCounts()
  /// By the number of changes.
  package var entities: [EntityCounts] = []
  /// By the number of changes.
  package var authors: [TimelineGroup] = []
  /// In order.
  package var days: [TimelineGroup] = []
  package var busiest: [Activity] = []
  /// Whether there were too many objects to count all.
  package var isBusiestApproximate = false
  /// The deleted objects that are shown.
  package var deletions: [Deletion] = []
  package var findings: [AuditFinding] = []
  /// The transactions that are shown, the newest first.
  package var entries: [Entry] = []
  package var integrity: Integrity

  /// Whether parts are left out because there are too many.
  package var isSummarized: Bool {
    Int64(entries.count) < transactions || Int64(deletions.count) < counts.deleted
  }
}

/// Something in a history that an auditor should examine.
package struct AuditFinding: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case outsideOfficeHours = "outside-office-hours"
    /// A transaction with very many changes.
    case bulk
    case foreign
    /// Changes without recorded details.
    case gap
    case erasure
    case deletedHistory = "deleted-history"
    /// A transaction that is older than the one before.
    case clockBack = "clock-back"
    /// Something that does not have its digest.
    case damage
  }

  package var kind: Kind
  package var message: String
  /// The first transactions that it is about, in order.
  package var transactions: [Int64]
  /// The number of all of them.
  package var count: Int64
}

/// The result of verifying a history.
package struct Integrity: Hashable, Sendable {
  /// What was verified, and the result.
  package var statements: [String] = []
  /// Whether everything that was verified is sound.
  package var isSound = true
  /// The last sound transaction.
  package var head: Int64 = 0
  /// The digest of that transaction in hexadecimal digits; nil if there is none.
  package var headDigest: String?
}

package struct AuditRequest: Sendable {
  package var filter = AuditFilter()
  package var clock = WallClock()
  /// The number of changes of a transaction that is reported.
  package var bulk: Int64 = 1000
  /// The number of transactions that are shown with their changes.
  package var limit = 10_000
  /// The number of changes of one transaction that are shown.
  package var changeLimit = 200

  package init() {}
}
