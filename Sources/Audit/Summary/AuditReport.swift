/// The report of an audit: what a history contains, and what an auditor should examine.
///
/// `report --json` writes this type, and the page contains it. The keys in JSON are the names of
/// the properties; `docs/audit.schema.json` describes each key.
package struct AuditReport: Encodable, Sendable {
  package enum Subject: String, Encodable, Sendable {
    case history, difference
  }

  /// The most histories that the report lists.
  package static let historyLimit = 100

  /// The version of this model.
  package var schema = 2
  package var type = "report"
  package var subject = Subject.history
  /// The source as the user named it; in a difference, the second source.
  package var source: String
  /// The first source of a difference.
  package var comparedWith: String?
  package var produced = Production()
  /// The time zone of days and hours.
  package var timeZone = "UTC"
  /// The difference from UTC at the newest transaction, in seconds.
  package var timeOffset = 0
  /// The first office hour, and the first hour after office hours.
  package var officeHours: [Int]?
  /// The lineages of the stores, up to a limit.
  package var histories: [AuditedHistory] = []
  package var omittedHistories = 0
  /// The logs that were read, up to a limit.
  package var inputs: [AuditedFile] = []
  package var omittedInputs = 0
  package var questions: [AuditQuestion] = []
  package var firstTime: String?
  package var lastTime: String?
  /// The number of transactions, without the snapshots with which lineages begin.
  package var transactions: Int64 = 0
  package var changes = ChangeCounts()
  /// The number of objects in the snapshots with which lineages begin.
  ///
  /// Objects of snapshots are not counted as changes.
  package var snapshotObjects: Int64 = 0
  /// The number of objects that changed.
  package var objects: Int64 = 0
  /// Whether the number of objects is an estimate.
  package var isObjectsEstimated = false
  package var findings: [AuditFinding] = []
  package var checks: [AuditCheck] = []
  package var authors = Ranking()
  package var entities = Ranking()
  package var operations = Ranking()
  /// The days with changes, in order.
  package var days: [AuditedDay] = []
  /// The changes on days that are not listed, because the history has too many days.
  package var omittedDays = ChangeCounts()
  /// The objects with the most changes.
  package var mostChanged: [MostChanged] = []
  /// Whether the history has too many objects to count the changes of each object.
  package var isMostChangedPartial = false

  package init(source: String) { self.source = source }
}

/// How a report was produced.
package struct Production: Encodable, Sendable {
  package var version = ""
  /// RFC 3339 in UTC.
  package var time = ""
  package var command = ""

  package init() {}
}

/// One lineage of a store, and what was verified of it.
package struct AuditedHistory: Encodable, Sendable {
  package var store: String
  package var lineage: Int64
  /// A source that commands can read.
  package var source: String
  package var firstTransaction: Int64?
  package var lastTransaction: Int64?
  package var firstTime: String?
  package var lastTime: String?
  package var transactions: Int64 = 0
  package var changes = ChangeCounts()
  package var snapshotObjects: Int64 = 0
  /// `proven`, `sound`, `damaged`, or `unverified`.
  package var verdict = "unverified"
  /// The last sound transaction.
  package var head: Int64 = 0
  /// Its digest.
  package var digest: String?
  /// What was verified, in sentences.
  package var statements: [String] = []
  /// The transactions with erased values.
  package var erased: Int64 = 0
  package var gaps: Int64 = 0
  /// The transactions of other programs.
  package var foreign: Int64 = 0
  /// Whether something confirms that no later log is missing; nil for a store.
  package var isEndConfirmed: Bool?
  /// Whether nothing confirms a part of the history.
  package var isPartlyUnproven = false

  init(store: String, lineage: Int64, source: String) {
    self.store = store
    self.lineage = lineage
    self.source = source
  }
}

/// A file that was read.
package struct AuditedFile: Encodable, Sendable {
  package var path: String
  package var size: Int64
  /// The SHA-256 of the file; nil for a store, which changes while it is used.
  package var sha256: String?
}

/// A question of an auditor with its answer.
package struct AuditQuestion: Encodable, Sendable {
  package enum Subject: String, Encodable, Sendable {
    case integrity, erasures, gaps, foreign, end
  }

  package enum State: String, Encodable, Sendable {
    case good, attention, bad, unknown
  }

  package var question: Subject
  package var title: String
  package var state: State
  /// A few words.
  package var answer: String
  /// Sentences that explain the answer.
  package var statements: [String] = []
}

/// The names with the most changes; all others are merged.
package struct Ranking: Encodable, Sendable {
  package struct Entry: Encodable, Sendable {
    /// Nil for changes without a name.
    package var name: String?
    package var transactions: Int64 = 0
    package var changes = ChangeCounts()
  }

  package var entries: [Entry] = []
  /// The sum of all names that are not listed; nil if all names are listed.
  package var others: Entry?
  /// The number of names that are not listed; ``isMinimum`` says whether there may be more.
  package var otherNames: Int64 = 0
  package var isMinimum = false

  package init() {}
}

/// A day with changes, in the time zone of the report.
package struct AuditedDay: Encodable, Sendable {
  package var day: String
  package var transactions: Int64
  package var changes: ChangeCounts
  /// The changes of each hour.
  package var hours: [Int64]
  /// The changes of each author in the ranking, and then the changes of all other authors.
  package var authors: [Int64]
}

/// An object and the number of its changes.
package struct MostChanged: Encodable, Sendable {
  package var history: Int
  package var entity: String
  package var id: String
  /// The object's name for people.
  package var name: String?
  package var changes: Int64
}
