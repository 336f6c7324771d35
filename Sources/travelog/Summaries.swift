import Audit
import CommandLineKit
import Format
import Pipeline
import Report
import Store

/// These methods describe the results of commands in words, for a person at a terminal.
extension Call {
  private var isDryRun: Bool { arguments[Travelog.dryRun] }

  func summarize(_ result: ExportResult, of store: String, time: Duration) throws {
    try summarize(
      "\(store): \(isDryRun ? "would export" : "exported") \(count(result.transactions, changes: result.changes)),"
        + " \(byteCount(result.plainBytes)) -> \(byteCount(result.compressedBytes))"
        + " in \(time.formatted()); token \(result.to.transaction)"
    )
  }

  func summarize(_ result: ImportResult, into store: String, time: Duration) throws {
    if result.danglingLinks > 0 {
      try warn(
        "\(counted(result.danglingLinks, noun: "relationship")) in \(store)"
          + " \(result.danglingLinks == 1 ? "refers" : "refer") to missing objects, as in the exported"
          + " store. The program that wrote them does not check whether such objects exist."
      )
    }
    for index in result.violatedIndexes {
      try warn(
        "\(store) does not have the unique index or constraint '\(index)', because rows violate it, as in"
          + " the exported database. The next import creates it if the rows allow it."
      )
    }
    try summarize(
      "\(store): \(isDryRun ? "would import" : "imported") \(count(result.transactions, changes: result.changes))"
        + " in \(time.formatted()); now at transaction \(result.to.transaction)"
    )
  }

  private func count(_ transactions: Int64, changes: Int64) -> String {
    "\(counted(transactions, noun: "transaction")), \(counted(changes, noun: "change"))"
  }

  func summarize(_ result: CheckResult, of store: String, logs: String?) throws {
    if !result.isComplete {
      try warn(
        "The tables of \(store) do not match its schema, so rows were not compared with history and"
          + " nothing was recorded."
      )
    }
    if result.unknown > 0 {
      try warn(
        "Some rows were only partly compared, because the history of \(store) does not contain all"
          + " their values:"
          + " \(counted(result.unknown, noun: "object"))."
          + (logs == nil ? " Name the logs that contain them: --logs LOGS" : "")
      )
    }
    for violation in result.violations {
      try warn("Constraints of the program of \(store): SQLite reports “\(violation)”.")
    }
    if let transaction = result.recorded {
      try summarize("\(store): recorded the differences as transaction \(transaction)")
    }
  }

  func summarize(_ result: PruneResult, of store: String) throws {
    try summarize(
      result.through.map { last in
        "\(store): \(isDryRun ? "would delete" : "deleted")"
          + " \(counted(result.transactions, noun: "transaction")), up to \(last);"
          + " \(byteCount(result.bytesBefore)) -> \(byteCount(result.bytesAfter))"
      } ?? "\(store): no exported transaction is old enough to delete"
    )
    guard !result.heldBy.isEmpty else { return }
    try summarize(
      "\(store): kept transactions that filtered logs do not have yet"
        + " (\(result.heldBy.joined(separator: "), ("))); export them, or use --ignore-filtered"
    )
  }

  func summarize(_ result: CompactResult) throws {
    try summarize(
      "store \(result.store), lineage \(result.lineage)"
        + "\(result.filter.map { ", filtered: \($0)" } ?? ""):"
        + " \(isDryRun ? "would merge" : "merged") \(counted(Int64(result.filesBefore), noun: "log"))"
        + " into \(grouped(Int64(result.filesAfter))), \(byteCount(result.bytesBefore)) ->"
        + " \(byteCount(result.bytesAfter))"
    )
  }

  func summarize(_ result: RecoverResult, of store: String) throws {
    let text =
      switch result.remedy {
      case .none: "nothing needed recovery"
      case .gap:
        "recorded transactions \(result.from.transaction + 1) to \(result.resumes.transaction) as a"
          + " gap"
          + " with \(counted(result.objects, noun: "change"))"
      case .lineage:
        "lineage \(result.resumes.lineage) begins after transaction \(result.resumes.transaction)"
          + " with \(counted(result.objects, noun: "insertion"))"
      }
    try summarize(
      "\(store): \(text); exported \(counted(result.export.transactions, noun: "transaction"))"
    )
  }

  func summarize(_ result: EraseResult, of object: String) throws {
    let history =
      result.storeTransactions
      .map { ", and in \(counted($0, noun: "transaction")) of the store's history" }
      ?? (arguments[Travelog.erasedStore] == nil ? "; the store's own history is unchanged" : "")
    try summarize(
      "\(object): \(isDryRun ? "would erase" : "erased") \(counted(result.values, noun: "value")) in"
        + " \(counted(result.transactions, noun: "transaction"))"
        + " of \(counted(Int64(result.files.count), noun: "log"))" + history
    )
  }

  /// If no transaction was recorded, the undo was a dry run or changed nothing.
  func summarizeUndo(_ range: ClosedRange<Int64>, of store: String, made: Int64?) throws {
    let what = rangeText(range).lowercased()
    try summarize(
      isDryRun
        ? "\(store): \(what) can be reverted"
        : made.map { "\(store): reverted \(what) by transaction \($0)" }
          ?? "\(store): \(what) made no lasting change, so nothing was reverted"
    )
  }

  func summarize(
    _ counts: ChangeCounts,
    between left: String,
    and right: String,
    noun: String,
    isFiltered: Bool
  )
    throws
  {
    try summarize(
      counts.all == 0
        ? "\(left) and \(right) are the same"
          + (isFiltered ? " in everything that the flags select" : "")
        : "\(text(of: counts)) \(noun)\(counts.all == 1 ? "" : "s")"
    )
  }
}
