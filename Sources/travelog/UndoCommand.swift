import Audit
import ChangeLog
import CommandLineKit
import Format
import FoundationEssentials
import Pipeline
import Report
import Store

extension Travelog {
  static let undoneStore = Parameter<String>.positional("STORE", type: .file, help: "The store.")
  static let undoneRange = Parameter<ClosedRange<Int64>>.positional(
    "RANGE",
    type: .transactions,
    help: "A transaction such as 412, or a range such as 400-412."
  )
  static let undoAuthor = Parameter<String>.flag(
    "author",
    type: .text,
    fallback: "travelog undo",
    help: "The author of the new transaction."
  )

  static let undoCommand = Command(
    "undo",
    summary: "Reverts transactions by recording a new transaction.",
    discussion: "Either all given transactions are reverted, or none. Later changes remain. If a "
      + "later change depends on a given transaction, nothing is changed, and the conflicts "
      + "are listed. A migration, and transactions before a migration, can't be reverted. A dry "
      + "run works on a copy of the store in TMPDIR.",
    examples: [
      "travelog undo trips.store 412 --dry-run": "See what would be reverted.",
      "travelog undo trips.store 400-412": "Revert transactions 400 to 412.",
    ],
    parameters: [undoneStore, undoneRange, undoAuthor, dryRun],
    exitCodes: [.unreadable, .missing, .locked, .historyGap, .differs]
  ) { call in
    let given = call.arguments
    let path = given[undoneStore]
    let range = given[undoneRange]
    let isDryRun = given[dryRun]
    var made: Int64?
    if isDryRun {
      try checkUndo(of: path, range: range)
    } else {
      let store = try Store.open(.file(URL(fileURLWithPath: path)))
      made = try store.undo(range, author: Author(name: given[undoAuthor]))
    }
    if given[json] {
      var object = JSONText(type: "undo")
      object.add("dry_run", truth: isDryRun)
      object.add("first_transaction", number: range.lowerBound)
      object.add("last_transaction", number: range.upperBound)
      object.add("made", number: made)
      try call.answer(object)
    } else if isDryRun {
      // The transactions are shown from the newest to the oldest, which is the order of an undo.
      let history = try History(name: path, source: StoreHistory(path: path), at: .head)
      for id in range.reversed() {
        try writeTimeline(
          of: history,
          only: id,
          filter: AuditFilter(),
          form: textTimeline(
            call.output.marks,
            width: String(range.upperBound).count,
            hasStatistics: false,
            hasChanges: true,
            usual: history.outline.schema.usualOperation
          )
        ) { try call.output.write(bytes: $0) }
      }
    }
    try call.summarizeUndo(range, of: path, made: made)
    return .success
  }
}

/// Runs an undo on a copy of the store, to find errors.
private func checkUndo(of path: String, range: ClosedRange<Int64>) throws {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  let copy = "\(folder.path)/\(path.split(separator: "/").last ?? "store")"
  try readableStore(path)
    .copy(to: URL(fileURLWithPath: copy))
  do {
    try Store.open(.file(URL(fileURLWithPath: copy))).checkUndo(range)
  } catch let error as StoreError {
    // The error must contain the path of the store, instead of the path of the copy.
    throw error.naming(path, insteadOf: copy)
  }
}

extension CommandLineKit.ValueType where Value == ClosedRange<Int64> {
  static let transactions = CommandLineKit.ValueType<ClosedRange<Int64>>(
    placeholder: "RANGE",
    forms: "a transaction such as 412, or a range such as 400-412"
  ) { text in
    let ids = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard let first = ids.first ?? nil, let last = ids.last ?? nil, ids.count <= 2, first > 0,
      first <= last
    else { return nil }
    return first...last
  }
}
