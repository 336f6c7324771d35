/// A finding of an audit: something in a history that an auditor should examine.
package struct AuditFinding: Encodable, Sendable {
  package enum Kind: String, CaseIterable, Encodable, Sendable {
    case outsideOfficeHours = "outside-office-hours"
    /// A transaction with an unusually large number of changes.
    case bulk
    case foreign
    /// Changes whose details are lost.
    case gap
    case erasure
    case deletedHistory = "deleted-history"
    /// A transaction with an earlier time than the transaction before it.
    case clockBack = "clock-back"
    /// Data that does not match its digest.
    case damage
  }

  package enum Severity: String, Encodable, Comparable, Sendable {
    case serious, warning, notice

    private var rank: Int {
      switch self {
      case .serious: 0
      case .warning: 1
      case .notice: 2
      }
    }

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
  }

  /// One occurrence of the finding.
  package struct Item: Encodable, Sendable {
    /// The index of the history among the histories of the report.
    package var history: Int
    /// The transaction; zero if the finding is not about one transaction.
    package var transaction: Int64
    package var time: String?
    package var author: String?
    package var reason: String?
    package var request: String?
    /// A description of the occurrence, in a few words or a sentence.
    package var value: String
  }

  /// The occurrences by one author.
  package struct Group: Encodable, Sendable {
    /// The author; nil for transactions without an author.
    package var author: String?
    package var count: Int64 = 0
    package var weeks: [Week] = []
  }

  /// The occurrences in one week.
  package struct Week: Encodable, Sendable {
    /// The Monday with which the week begins.
    package var day: String
    package var count: Int64
  }

  package var finding: Kind
  package var severity: Severity
  package var title: String
  package var message: String
  /// The number of all occurrences, including those that are not listed.
  package var count: Int64 = 0
  /// The first occurrences, in order.
  package var items: [Item] = []
  /// All occurrences by author and week, the author with the most of them first; nil if there are
  /// few occurrences, or if some have no time.
  package var groups: [Group]?

  init(_ kind: Kind, message: String) {
    finding = kind
    severity = kind.severity
    title = kind.title
    self.message = message
  }
}

/// A kind of finding that an audit searches for, with the result of the search.
package struct AuditCheck: Encodable, Sendable {
  package enum State: String, Encodable, Sendable {
    case found, clear, unchecked
    /// Nothing was found, but a part of a history was altered, or could not be read or verified.
    case unknown
  }

  package var finding: AuditFinding.Kind
  package var title: String
  /// A text that says what the check compares, or how to enable the check.
  package var description: String
  package var state: State
  package var count: Int64
}

extension AuditFinding.Kind {
  var severity: AuditFinding.Severity {
    switch self {
    case .damage: .serious
    case .foreign, .gap, .deletedHistory, .clockBack: .warning
    case .outsideOfficeHours, .bulk, .erasure: .notice
    }
  }

  var title: String {
    switch self {
    case .outsideOfficeHours: "Changes outside office hours"
    case .bulk: "Large transactions"
    case .foreign: "Changes by other programs"
    case .gap: "Changes without recorded details"
    case .erasure: "Erased values"
    case .deletedHistory: "Deleted history"
    case .clockBack: "Times that go backwards"
    case .damage: "Damage"
    }
  }

  func message(for request: AuditRequest) -> String {
    switch self {
    case .outsideOfficeHours:
      "Changes were made outside working hours, \(request.clock.officeHoursText)."
    case .bulk: "One transaction has \(request.bulk) or more changes."
    case .foreign: "A program other than Travelog changed the store. The author is unknown."
    case .gap:
      "These changes were not recorded one by one; only their combined difference is known."
    case .erasure: "Values were erased from history."
    case .deletedHistory: "Older history was deleted, or is in no log."
    case .clockBack: "A transaction has an earlier time than the previous transaction."
    case .damage: "Data was damaged or altered: for example, a digest does not match."
    }
  }

  /// Returns a sentence that says how an audit searches for this kind of finding.
  func check(for request: AuditRequest) -> String {
    switch self {
    case .outsideOfficeHours:
      request.clock.officeHours == nil
        ? "Not checked. Give the hours, such as --office-hours 8-18."
        : "Compares the time of every transaction with working hours,"
          + " \(request.clock.officeHoursText)."
    case .bulk: "Compares the number of changes of every transaction with \(request.bulk)."
    case .foreign: "Examines how every transaction was made."
    case .gap: "Looks for transactions that are recorded as gaps, and for missing ids."
    case .erasure: "Examines whether values of a transaction were erased."
    case .deletedHistory: "Examines the first transaction, and the records of deleted history."
    case .clockBack:
      "Compares the time of every transaction with the time of the previous transaction."
    case .damage: "Compares every digest with the bytes that the digest covers."
    }
  }
}

extension WallClock {
  fileprivate var officeHoursText: String {
    let hours = officeHours.map { "\($0.lowerBound) to \($0.upperBound) o'clock" } ?? "always"
    return "Monday to Friday from \(hours) (\(zoneName))"
  }
}
