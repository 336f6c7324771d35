import Audit
import Changes
import CommandLineKit
import FoundationEssentials
import Pipeline
import Report
import Store

/// What all commands that look at a history have in common.
extension Travelog {
  static let source = Parameter<String>.positional(
    "SOURCE",
    type: .file,
    help: "A store, a folder of logs, or a log; with @ and a point after it, as trips.store@412."
  )
  static let entity = Parameter<String?>.optional(
    "entity",
    type: .text,
    placeholder: "NAME",
    help: "Changes of this entity, and of those that inherit from it, also under earlier names."
  )
  static let object = Parameter<Int64?>.optional(
    "id",
    type: .objectID,
    help: "Changes of the object with this id."
  )
  static let author = Parameter<String?>.optional(
    "author",
    type: .text,
    placeholder: "NAME",
    help: "Transactions of this author; an empty text for those that have none."
  )
  static let attribute = Parameter<String?>.optional(
    "attribute",
    type: .text,
    placeholder: "NAME",
    help: "Changes of this attribute or relationship, also under earlier names."
  )
  static let since = Parameter<Date?>.optional(
    "since",
    type: .date(before: Date()),
    help: "Transactions from this time on."
  )
  static let before = Parameter<Date?>.optional(
    "until",
    type: .date(before: Date()),
    help: "Transactions before this time."
  )

  /// The parameters that say which transactions and changes are looked at.
  static let filters: [any DeclaredParameter] = [
    entity, object, author, attribute, since, before,
  ]
}

extension Call {
  func history() throws -> History { try History(arguments[Travelog.source]) }

  /// What is to be looked at, with names that the history has.
  func filter(for history: History) throws -> AuditFilter {
    var filter = filterOfObject()
    filter.entity = arguments[Travelog.entity]
    filter.id = arguments[Travelog.object]
    try filter.resolve(history)
    return filter
  }

  /// What is to be looked at of an object that is named in another way.
  func filterOfObject() -> AuditFilter {
    var filter = AuditFilter()
    filter.author = arguments[Travelog.author]
    filter.attribute = arguments[Travelog.attribute]
    filter.since = arguments[Travelog.since].map { timeText($0) }
    filter.until = arguments[Travelog.before].map { timeText($0) }
    return filter
  }
}

extension Style {
  /// The marks of texts as a terminal shows them.
  var marks: Marks {
    var marks = Marks()
    marks.added = { green($0) }
    marks.removed = { red($0) }
    marks.changed = { yellow($0) }
    marks.faint = { faint($0) }
    marks.strong = { bold($0) }
    return marks
  }
}

extension CommandLineKit.ValueType where Value == Int64 {
  static let objectID = CommandLineKit.ValueType(placeholder: "ID", forms: "a whole number") {
    Int64($0)
  }
  static let transaction = CommandLineKit.ValueType(
    placeholder: "TRANSACTION",
    forms: "the number of a transaction, as 412"
  ) { Int64($0).flatMap { $0 > 0 ? $0 : nil } }
  /// How many there may be.
  static let limit = CommandLineKit.ValueType(
    placeholder: "NUMBER",
    forms: "a whole number that is not negative"
  ) { Int64($0).flatMap { $0 >= 0 ? $0 : nil } }
}
