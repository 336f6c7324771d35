import Format
import Pipeline

/// The report of an audit: the contents of a history, and the findings that an auditor should
/// examine.
///
/// `report --json` writes this type, and the page of a report contains it. The names of the
/// properties are the keys in JSON, and `docs/audit.schema.json` describes each key.
package struct AuditReport: Encodable, Sendable {
  package enum Subject: String, Encodable, Sendable {
    case history, difference
  }

  package static let historyLimit = 100

  /// The version of the keys in JSON.
  package var schema = 2
  package var type = "report"
  package var subject = Subject.history
  /// The source as the user named it; in a comparison, the second source.
  package var source: String
  /// The first source in a comparison; nil if the report is not a comparison.
  package var comparedWith: String?
  /// The title of the page: the name of the source and what it has, unless the user gave another.
  package var title = ""
  package var produced = Production()
  package var timeZone = "UTC"
  /// The time zone's offset from UTC at the newest transaction, in seconds.
  package var timeOffset = 0
  /// The first office hour, and the first hour after office hours.
  package var officeHours: [Int]?
  /// What the histories have; in JSON, whether they have tables and rows.
  package var words = SchemaWords.entities
  /// The lineages of the stores, at most ``historyLimit``.
  package var histories: [AuditedHistory] = []
  package var omittedHistories = 0
  /// The logs that were read, up to a maximum number.
  package var inputs: [AuditedFile] = []
  package var omittedInputs = 0
  package var questions: [AuditQuestion] = []
  package var firstTime: String?
  package var lastTime: String?
  /// The number of transactions; the snapshots with which lineages begin are not counted.
  package var transactions: Int64 = 0
  package var changes = ChangeCounts()
  /// The number of objects in the snapshots with which lineages begin.
  ///
  /// The objects in snapshots are not counted as changes.
  package var snapshotObjects: Int64 = 0
  /// The number of objects that were changed.
  package var objects: Int64 = 0
  package var isObjectsEstimated = false
  package var findings: [AuditFinding] = []
  package var checks: [AuditCheck] = []
  package var authors = Ranking()
  package var entities = Ranking()
  package var operations = Ranking()
  /// The days with changes, the earliest first.
  package var days: [AuditedDay] = []
  /// The changes on the days that are not listed because the history has too many days.
  package var omittedDays = ChangeCounts()
  package var mostChanged: [MostChanged] = []
  /// Whether ``mostChanged`` is incomplete, because the history has too many objects to count the
  /// changes of each one.
  package var isMostChangedPartial = false

  package init(source: String) { self.source = source }

  private enum CodingKeys: String, CodingKey {
    case schema, type, subject, source, comparedWith, title, produced, timeZone, timeOffset
    case officeHours
    case words = "is_adopted"
    case histories, omittedHistories, inputs, omittedInputs, questions, firstTime, lastTime
    case transactions, changes, snapshotObjects, objects, isObjectsEstimated, findings, checks
    case authors, entities, operations, days, omittedDays, mostChanged, isMostChangedPartial
  }
}

extension SchemaWords: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self == .tables)
  }
}

/// The facts about how and when a report was produced.
package struct Production: Encodable, Sendable {
  package var version = ""
  /// The time in RFC 3339 in UTC.
  package var time = ""
  package var command = ""

  package init() {}
}

/// One lineage of a store, and the results of its verification.
package struct AuditedHistory: Encodable, Sendable {
  package var store: String
  package var lineage: Int64
  /// The source of the history, in a form that commands accept.
  package var source: String
  package var firstTransaction: Int64?
  package var lastTransaction: Int64?
  package var firstTime: String?
  package var lastTime: String?
  package var transactions: Int64 = 0
  package var changes = ChangeCounts()
  package var snapshotObjects: Int64 = 0
  /// The verdict: `proven`, `sound`, `damaged`, or `unverified`.
  package var verdict = "unverified"
  /// The last transaction that was found sound.
  package var head: Int64 = 0
  /// The digest of the last sound transaction.
  package var digest: String?
  /// The last transaction that a trusted digest or a store proves; nil if nothing is proven.
  package var provenTransaction: Int64?
  /// Sentences that say what was verified.
  package var statements: [String] = []
  /// The number of transactions with erased values.
  package var erased: Int64 = 0
  package var gaps: Int64 = 0
  /// The tables and columns of an adopted file that are left out; nil if there are none.
  package var leftOut: [String]?
  /// The number of transactions that programs other than Travelog made.
  package var foreign: Int64 = 0
  /// Whether a source confirms that no later log is missing; nil for a store.
  package var isEndConfirmed: Bool?
  /// The number of transactions of the store that the logs do not contain yet; nil if no store was
  /// compared.
  package var unexported: Int64?
  /// The ranges of transactions that damage made unreadable, in ascending order.
  package var unreadable: [UnreadableRange] = []
  /// Whether a part of the history is not confirmed by any source.
  package var isPartlyUnproven = false
  /// Whether the whole history was read and no damage was found.
  var isVerified: Bool {
    verdict == Verdict.proven.rawValue || verdict == Verdict.sound.rawValue
  }

  init(store: String, lineage: Int64, source: String) {
    self.store = store
    self.lineage = lineage
    self.source = source
  }
}

package struct UnreadableRange: Encodable, Sendable {
  package let first: Int64
  package let last: Int64

  package var description: String { rangeText(first...last) + " can't be read" }
}

package struct AuditedFile: Encodable, Sendable {
  package var path: String
  package var size: Int64
  /// The SHA-256 of the file; nil for a store, because the file of a store changes while the store
  /// is used.
  package var sha256: String?
}

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
  /// The answer in a few words.
  package var answer: String
  /// Sentences that explain the answer.
  package var statements: [String] = []
}

/// The names with the most changes; all other names are merged into one entry.
package struct Ranking: Encodable, Sendable {
  package struct Entry: Encodable, Sendable {
    /// The name; nil for changes without a name.
    package var name: String?
    package var transactions: Int64 = 0
    package var changes = ChangeCounts()
  }

  package var entries: [Entry] = []
  /// The sum of the names that are not listed; nil if all names are listed.
  package var others: Entry?
  /// The number of names that are not listed; ``isMinimum`` says whether more such names may exist.
  package var otherNames: Int64 = 0
  package var isMinimum = false

  package init() {}
}

/// A day in the report's time zone on which changes were made.
package struct AuditedDay: Encodable, Sendable {
  package var day: String
  package var transactions: Int64
  package var changes: ChangeCounts
  /// The number of changes in each hour of the day.
  package var hours: [Int64]
  /// The number of changes of each author in the ranking, and after them the number of all other
  /// changes.
  package var authors: [Int64]
}

package struct MostChanged: Encodable, Sendable {
  package var history: Int
  package var entity: String
  package var id: String
  package var name: String?
  package var changes: Int64
}
