public import Pipeline
import Store

/// What an auditor looks at first: how much happened, when, by whom, and what deserves a look.
public struct AuditSummary {
  /// One transaction with what it changed.
  public struct Entry: Sendable {
    /// The transaction, counted.
    public var summary: TransactionSummary
    /// Its changes, as many as are shown.
    public var differences: [ObjectDifference]
    /// The changes that are not shown.
    public var omitted: Int64
  }

  /// An object that went, and who let it go.
  public struct Deletion: Sendable {
    /// The transaction.
    public var touch: Touch
    /// The object with what its tombstone keeps.
    public var difference: ObjectDifference
  }

  /// An object and how often it was changed.
  public struct Activity: Sendable {
    /// The object.
    public var object: FoundObject
    /// What a person would call it.
    public var label: String?
    /// The number of its changes.
    public var changes: Int64
  }

  /// What the history is of.
  public var history: History
  /// The clock that times are shown by.
  public var clock: WallClock
  /// The transactions that were looked at; nil where there are none.
  public var range: ClosedRange<Int64>?
  /// When the first of them was.
  public var firstTime = ""
  /// When the last of them was.
  public var lastTime = ""
  /// The number of transactions.
  public var transactions: Int64 = 0
  /// All changes.
  public var counts = ChangeCounts()
  /// What happened to each entity, the busiest first.
  public var entities: [EntityCounts] = []
  /// What each author did, the busiest first.
  public var authors: [TimelineGroup] = []
  /// What happened each day, in order.
  public var days: [TimelineGroup] = []
  /// The most changed objects.
  public var busiest: [Activity] = []
  /// True where not every object could be counted.
  public var isBusiestApproximate = false
  /// The objects that went, as many as are shown.
  public var deletions: [Deletion] = []
  /// What deserves a look.
  public var findings: [AuditFinding] = []
  /// The transactions, as many as are shown, the newest first.
  public var entries: [Entry] = []
  /// What is known of whether all of this is as it was written.
  public var integrity: Integrity

  /// True where a part is left out for its length.
  public var isSummarized: Bool {
    Int64(entries.count) < transactions || Int64(deletions.count) < counts.deleted
  }
}

/// Something in a history that deserves a look.
public struct AuditFinding: Hashable, Sendable {
  /// What kind of thing it is.
  public enum Kind: String, CaseIterable, Sendable {
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

  /// What kind of thing it is.
  public var kind: Kind
  /// What it is, in a sentence.
  public var message: String
  /// The first transactions that it is about, in order.
  public var transactions: [Int64]
  /// The number of all of them.
  public var count: Int64
}

/// What is known of whether a history is as it was written.
public struct Integrity: Hashable, Sendable {
  /// What was done to find out, and what came of it, in sentences.
  public var statements: [String] = []
  /// True where everything that was looked at is sound.
  public var isSound = true
  /// The last transaction that was found sound.
  public var head: Int64 = 0
  /// The digest of that transaction, in hexadecimal digits; nil where there is none.
  public var headDigest: String?
}

/// What an auditor wants to know.
public struct AuditRequest: Sendable {
  /// Which transactions are looked at.
  public var filter = AuditFilter()
  /// The clock that times are shown by.
  public var clock = WallClock()
  /// So many changes in a transaction deserve a look.
  public var bulk: Int64 = 1000
  /// So many transactions are shown with their changes.
  public var limit = 10_000
  /// So many changes of one transaction are shown.
  public var changeLimit = 200

  /// Asks for everything.
  public init() {}
}
