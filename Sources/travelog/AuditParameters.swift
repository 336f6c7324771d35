import Audit
import CommandLineKit
import Format
import FoundationEssentials
import Pipeline
import Report

/// These parameters belong to commands that read a history.
extension Travelog {
  static let source = Parameter<String>.positional(
    "SOURCE",
    type: .file,
    help: "A store, log folder or log, with an optional point: trips.store@412."
  )
  static let entity = Parameter<String?>.optional(
    "entity",
    type: .text,
    placeholder: "NAME",
    help: "Only changes of this entity or its descendants, even under earlier names."
  )
  static let object = Parameter<ObjectID?>.optional(
    "id",
    type: .objectID,
    help: "Only changes of the object with this id."
  )
  static let author = Parameter<String?>.optional(
    "author",
    type: .text,
    placeholder: "NAME",
    help: "Only transactions by this author; empty means transactions without an author."
  )
  static let reason = Parameter<String?>.optional(
    "reason",
    type: .text,
    placeholder: "TEXT",
    help: "Like --author, for the reason of a transaction."
  )
  static let request = Parameter<String?>.optional(
    "request",
    type: .text,
    placeholder: "TEXT",
    help: "Like --author, for the request of a transaction."
  )
  static let attribute = Parameter<String?>.optional(
    "attribute",
    type: .text,
    placeholder: "NAME",
    help: "Only changes of this attribute or relationship, even under earlier names."
  )
  static let since = Parameter<Since?>.optional(
    "since",
    type: .since,
    help: "From this time on, or after a token of SwiftData."
  )
  static let before = Parameter<Date?>.optional(
    "until",
    type: .date(before: Date()),
    help: "Only transactions before this time."
  )

  static let kinds = Parameter<[ChangeKind]>.repeated(
    "op",
    type: .oneOf,
    help: "Only changes of this kind."
  )

  static let filters: [any DeclaredParameter] = [
    entity, object, author, reason, request, attribute, since, before,
  ]
}

extension Call {
  func history() throws -> History {
    let history = try History(arguments[Travelog.source])
    try warnAboutUnshownChanges(of: history)
    return history
  }

  /// Says how many captured changes the history does not have yet.
  ///
  /// They wait if this user may not write to the file, or if recording them would take long.
  func warnAboutUnshownChanges(of history: History) throws {
    let (outline, count) = (history.outline, history.outline.unshownChanges)
    if outline.uncapturedCommits > 0 {
      try warn(
        "\(counted(outline.uncapturedCommits, noun: "commit")) changed recorded tables of"
          + " \(outline.path) without the triggers, so the history lacks these changes."
          + "\n“travelog export” records them."
      )
    }
    for fact in [outline.guessedModel, outline.damagedLog] {
      if let fact { try warn(visible("\(outline.path): \(fact)")) }
    }
    guard count > 0, history.last == outline.head else { return }
    try warn(
      "\(counted(count, noun: "captured change")) of \(outline.path) \(count == 1 ? "is" : "are")"
        + " not shown yet.\nA user who may write to the file can record them: "
        + shellLine(["travelog", "status", outline.path])
    )
  }

  /// The filter from the call's parameters, after its names were looked up in the history.
  func filter(for history: History) throws -> AuditFilter {
    var filter = try filterOfObject()
    filter.entity = arguments[Travelog.entity]
    filter.id = arguments[Travelog.object]
    filter.kinds = Set(arguments[Travelog.kinds])
    try filter.resolve(history)
    return filter
  }

  /// The filter of a call in which other parameters name the object.
  func filterOfObject() throws -> AuditFilter {
    if case .time(let since) = arguments[Travelog.since], let end = arguments[Travelog.before],
      since > end
    {
      throw CommandError(.usage) {
        "--since is after --until, so no transaction is selected."
          + "\nGive --since the earlier of the two times."
      }
    }
    var filter = AuditFilter()
    filter.author = arguments[Travelog.author]
    filter.reason = arguments[Travelog.reason]
    filter.request = arguments[Travelog.request]
    filter.attribute = arguments[Travelog.attribute]
    switch arguments[Travelog.since] {
    case .time(let time): filter.since = timeText(time)
    case .token(let token): filter.token = token
    case nil: break
    }
    filter.until = arguments[Travelog.before].map { timeText($0) }
    return filter
  }
}

extension Output {
  /// The colors, quotation marks and ellipsis that the output supports.
  var marks: Marks {
    var marks = Marks()
    let style = style
    marks.added = { style.green($0) }
    marks.removed = { style.red($0) }
    marks.changed = { style.yellow($0) }
    marks.faint = { style.faint($0) }
    marks.strong = { style.bold($0) }
    if isASCII {
      marks.quotes = ("\"", "\"")
      marks.ellipsis = "..."
    }
    return marks
  }
}

extension CommandLineKit.ValueType where Value == ObjectID {
  static let objectID = CommandLineKit.ValueType(
    placeholder: "ID",
    forms: "a whole number, or a key in the form that logs contain"
  ) { text in
    Array(text.utf8).withUnsafeBytes { RowName(canonical: $0) }.map { ObjectID($0) }
  }
}

extension CommandLineKit.ValueType where Value == Date {
  /// A day, a time with its zone, or a time before now: `7d`.
  static func date(before now: Date) -> CommandLineKit.ValueType<Date> {
    CommandLineKit.ValueType(
      placeholder: "DATE",
      forms: "a day such as 2026-03-01, a time such as 2026-03-01T08:30Z or an age such as 7d",
      hint: { hintOfZone($0) }
    ) { text in
      readTime(text)
        ?? CommandLineKit.ValueType<Duration>.duration.parse(text).map {
          now.addingTimeInterval(-$0.seconds)
        }
    }
  }
}

/// Where the selected transactions begin.
enum Since: Hashable, Sendable {
  case time(Date)
  /// After the last transaction of each store in a history token of Core Data or SwiftData.
  case token([String: Int64])
}

extension CommandLineKit.ValueType where Value == Since {
  static var since: CommandLineKit.ValueType<Since> {
    let date = CommandLineKit.ValueType<Date>.date(before: Date())
    return CommandLineKit.ValueType(
      placeholder: date.placeholder,
      forms: date.forms + #", or a token such as {"STORE":412}"#,
      hint: { hintOfZone($0) }
    ) { text in
      guard text.hasPrefix("{") else { return date.parse(text).map { .time($0) } }
      return token(text).map { .token($0) }
    }
  }

  /// Reads a `DefaultHistoryToken` of Apple's frameworks: the last transaction of each store.
  private static func token(_ text: String) -> [String: Int64]? {
    // The usage error explains more than the error of the decoder.
    guard let stores = try? JSONDecoder().decode([String: Int64].self, from: Data(text.utf8)),
      !stores.isEmpty, stores.values.allSatisfy({ $0 >= 0 })
    else { return nil }
    var result: [String: Int64] = [:]
    for (store, number) in stores {
      guard let identifier = UUID(uuidString: store)?.uuidString, result[identifier] == nil else {
        return nil
      }
      result[identifier] = number
    }
    return result
  }
}

extension CommandLineKit.ValueType where Value == Int64 {
  static let transaction = CommandLineKit.ValueType(
    placeholder: "TRANSACTION",
    forms: "the id of a transaction such as 412"
  ) { Int64($0).flatMap { $0 > 0 ? $0 : nil } }
  static let limit = CommandLineKit.ValueType(
    placeholder: "NUMBER",
    forms: "a whole number from 0 to \(Int64.max)"
  ) { Int64($0).flatMap { $0 >= 0 ? $0 : nil } }
}
