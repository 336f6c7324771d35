import Pipeline
import Store

/// What an auditor looks at first: how much happened, when, by whom, and what deserves a look.
package struct AuditSummary {
  /// One transaction with what it changed.
  package struct Entry: Sendable {
    package var summary: TransactionSummary
    /// Its changes, as many as are shown.
    package var differences: [ObjectDifference]
    /// The changes that are not shown.
    package var omitted: Int64
  }

  /// An object that went, and who let it go.
  package struct Deletion: Sendable {
    package var touch: Touch
    /// The object with what its tombstone keeps.
    package var difference: ObjectDifference
  }

  /// An object and how often it was changed.
  package struct Activity: Sendable {
    package var object: FoundObject
    /// What a person would call it.
    package var label: String?
    package var changes: Int64
  }

  /// What the history is of.
  package var history: History
  /// The clock that times are shown by.
  package var clock: WallClock
  /// The transactions that were looked at; nil if there are none.
  package var range: ClosedRange<Int64>?
  /// When the first of them was.
  package var firstTime = ""
  /// When the last of them was.
  package var lastTime = ""
  /// The number of transactions, without the snapshot that a lineage begins with.
  package var transactions: Int64 = 0
  /// The number of objects in that snapshot, which are not counted as changes.
  package var snapshotObjects: Int64 = 0
  /// All changes.
  package var counts = ChangeCounts()
  /// What happened to each entity, the busiest first.
  package var entities: [EntityCounts] = []
  /// What each author did, the busiest first.
  package var authors: [TimelineGroup] = []
  /// What happened each day, in order.
  package var days: [TimelineGroup] = []
  /// The most changed objects.
  package var busiest: [Activity] = []
  /// Whether not every object could be counted.
  package var isBusiestApproximate = false
  /// The objects that went, as many as are shown.
  package var deletions: [Deletion] = []
  /// What deserves a look.
  package var findings: [AuditFinding] = []
  /// The transactions, as many as are shown, the newest first.
  package var entries: [Entry] = []
  /// What is known of whether all of this is as it was written.
  package var integrity: Integrity

  /// Whether a part is left out for its length.
  package var isSummarized: Bool {
    Int64(entries.count) < transactions || Int64(deletions.count) < counts.deleted
  }
}

/// Something in a history that deserves a look.
package struct AuditFinding: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Changes outside the hours of work.
    case outsideOfficeHours = "outside-office-hours"
    /// Very many changes at once.
    case bulk
    /// Changes by a program that is no writer of ours.
    case foreign
    /// Changes that were made up later, because no history was written of them.
    case gap
    /// Values that were erased from history.
    case erasure
    /// Transactions that were deleted from history.
    case deletedHistory = "deleted-history"
    /// A transaction that says it is older than the one before.
    case clockBack = "clock-back"
    /// Something that is not as it was written.
    case damage
  }

  package var kind: Kind
  package var message: String
  /// The first transactions that it is about, in order.
  package var transactions: [Int64]
  /// The number of all of them.
  package var count: Int64
}

/// What is known of whether a history is as it was written.
package struct Integrity: Hashable, Sendable {
  /// What was done to find out, and what came of it, in sentences.
  package var statements: [String] = []
  /// Whether everything that was looked at is sound.
  package var isSound = true
  /// The last transaction that was found sound.
  package var head: Int64 = 0
  /// The digest of that transaction, in hexadecimal digits; nil if there is none.
  package var headDigest: String?
}

/// What an auditor wants to know.
package struct AuditRequest: Sendable {
  /// Which transactions are looked at.
  package var filter = AuditFilter()
  /// The clock that times are shown by.
  package var clock = WallClock()
  /// So many changes in a transaction deserve a look.
  package var bulk: Int64 = 1000
  /// So many transactions are shown with their changes.
  package var limit = 10_000
  /// So many changes of one transaction are shown.
  package var changeLimit = 200

  /// Asks for everything.
  package init() {}
}
