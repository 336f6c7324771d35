import ChangeLog
import CommandLineKit
import Format
import FoundationEssentials
import Glibc
import Pipeline

extension Travelog {
  static let stores = Parameter<[String]>.positionals(
    "STORE",
    type: .file,
    isRequired: true,
    help: "The stores to export."
  )
  static let to = Parameter<String>.required(
    "to",
    type: .folder,
    placeholder: "LOGS",
    help: "The log folder; - writes the logs to standard output."
  )
  static let token = Parameter<String?>.optional(
    "token",
    type: .file,
    placeholder: "FILE",
    help: "The token file, if it is not in the log folder."
  )
  static let until = Parameter<Point>.flag(
    "until",
    type: .point,
    fallback: "head",
    help: "Stop after this transaction or time."
  )
  static let snapshot = Parameter<Bool>.toggle(
    "snapshot",
    help: "Also write a snapshot, for a faster restore."
  )
  static let newFolder = Parameter<Bool>.toggle(
    "new-folder",
    help: "Start a new set of logs even if the store was exported before."
  )
  static let level = Parameter<Int>.flag(
    "level",
    type: .integer(in: 1...9),
    fallback: "6",
    help: "The compression level: 1 is fast, 9 makes small logs."
  )
  static let maximumFileSize = Parameter<Int64>.flag(
    "max-file-size",
    type: .size(from: 64 << 10, name: "64KiB"),
    fallback: "256MiB",
    help: "Start a new log when this size is reached."
  )
  static let dryRun = Parameter<Bool>.toggle(
    "dry-run",
    short: "n",
    help: "Show what the command would do, and change nothing."
  )
  static let lockWait = Parameter<Duration>.flag(
    "lock-wait",
    type: .duration,
    fallback: "0s",
    help: "How long to wait if another program uses the log folder."
  )
  static let errorIfEmpty = Parameter<Bool>.toggle(
    "error-if-empty",
    help: "Fail if there is nothing to export."
  )

  static let strict = Parameter<Bool>.toggle(
    "strict",
    help: "Fail if the model of Core Data is only a guess."
  )

  static let authors = Parameter<[String]>.repeated(
    "author",
    type: .line(placeholder: "NAME"),
    help: "Write filtered logs with only this author's transactions; '' selects those without an"
      + " author."
  )
  static let reasons = Parameter<[String]>.repeated(
    "reason",
    type: .line(placeholder: "TEXT"),
    help: "Like --author, for the reason of a transaction."
  )
  static let requests = Parameter<[String]>.repeated(
    "request",
    type: .line(placeholder: "TEXT"),
    help: "Like --author, for the request of a transaction."
  )
  static let entities = Parameter<[String]>.repeated(
    "entity",
    type: .text,
    placeholder: "NAME",
    help: "Write filtered logs with only this entity and its descendants."
  )
  static let redactions = Parameter<[ExportFilter.Redaction]>.repeated(
    "redact",
    type: .redaction,
    help: "Write filtered logs in which an attribute's values are dropped or hashed."
  )
  static let redactionKey = Parameter<String?>.optional(
    "redact-key",
    type: .file,
    help: "The file that contains the secret key for --redact with hash."
  )

  static let exportCommand = Command(
    "export",
    summary: "Writes new transactions of stores to a log folder.",
    discussion: "The first export writes the whole history. If the store no longer has its whole "
      + "history, the first export writes a snapshot. The token records the last exported "
      + "transaction; later exports write only the transactions after the token. An export updates "
      + "the token at the end. So the next run completes an interrupted export, and no transaction "
      + "is lost or exported twice. If the export of one store fails, the export of the others "
      + "continues. The first failure determines the exit status.",
    examples: [
      "travelog export trips.store --to logs": "Write new transactions.",
      "travelog export trips.store people.store --to logs": "Export two stores.",
      "travelog export trips.store --to logs --dry-run --json": "See what would be exported.",
      "travelog export people.store --to logs --entity Person --redact Person.phone=drop":
        "Write filtered logs that can be given to others.",
    ],
    parameters: [
      stores, to, token, until, snapshot, newFolder, level, maximumFileSize, dryRun, lockWait,
      errorIfEmpty, strict,
      authors, reasons, requests, entities, redactions, redactionKey,
    ],
    files: [
      "LOGS/store=UUID/_token.json": "The token: the last exported transaction and its digest.",
      "LOGS/store=UUID/lineage=N/date=DAY/FIRST-LAST.ndjson.gz": "The logs.",
      "LOGS/store=UUID/partial=NAME/": "The logs and the token of one filter.",
    ],
    exitCodes: [
      .unreadable, .empty, .missing, .locked, .historyGap, .diverged, .interrupted, .terminated,
    ]
  ) { call in
    let given = call.arguments
    let logs = LogFolder(given[to])
    let isStream = given[to] == "-"
    let filter = try exportFilter(call)
    func request(_ store: String) -> ExportRequest {
      var request = ExportRequest(store: store, logs: logs, token: given[token])
      request.wantsSnapshot = given[snapshot]
      request.until = given[until]
      request.level = given[level]
      request.maximumFileSize = given[maximumFileSize]
      request.isDryRun = given[dryRun]
      request.isStrict = given[strict]
      request.filter = filter
      request.startsNewFolder = given[newFolder]
      request.stream = isStream ? STDOUT_FILENO : nil
      return request
    }
    var lock: FolderLock?
    if isStream {
      try checkStream(call)
    } else if !given[dryRun] {
      if !logs.exists, access(logs.path, F_OK) == 0 { throw missingFolder(logs) }
      // The folder can be the mount point of a disk that is not mounted. An export that is refused
      // must not create files there, so the stores are checked first.
      if try logs.stores().isEmpty { try checkStores(given[stores].map(request)) }
      try logs.create()
      lock = try FolderLock(logs, wait: given[lockWait], purpose: "travelog export")
    }
    defer { withExtendedLifetime(lock) {} }
    let (line, tick) = call.tick()
    var isEmpty = true
    var failures: [CommandError] = []
    for store in given[stores] {
      let clock = ContinuousClock()
      var result: ExportResult?
      let time: Duration
      do {
        time = try clock.measure { result = try export(request(store), tick: tick) }
      } catch {
        try line.clear()
        guard !isStream, let description = describe(error) else {
          if let first = failures.first { try call.report(first) }
          throw error
        }
        // If the export of one store fails, the other stores are exported anyway.
        if !failures.isEmpty { try call.report(description) }
        failures.append(description)
        continue
      }
      try line.clear()
      guard let result else { continue }
      for notice in result.notices { try call.warn("\(notice)") }
      isEmpty = isEmpty && result.transactions == 0 && result.snapshot == nil
      if given[json] { try call.answer("export", result: result) }
      try call.summarize(result, of: store, time: time)
    }
    if let failure = failures.first { throw failure }
    return isEmpty && given[errorIfEmpty] ? .empty : .success
  }
}

extension Travelog {
  /// If no export can begin, throws the error of the first export.
  private static func checkStores(_ requests: [ExportRequest]) throws {
    var first: (any Error)?
    for request in requests {
      do {
        try checkBeginning(request)
        return
      } catch {
        first = first ?? error
      }
    }
    if let first { throw first }
  }

  /// The filter from the call's parameters, with the key that was read from its file.
  private static func exportFilter(_ call: Call) throws -> ExportFilter {
    var filter = ExportFilter()
    filter.authors = call.arguments[authors]
    filter.reasons = call.arguments[reasons]
    filter.requests = call.arguments[requests]
    filter.entities = call.arguments[entities]
    filter.redactions = call.arguments[redactions]
    if !filter.isEmpty, call.arguments[snapshot] {
      throw CommandError(.usage) {
        "A snapshot contains the whole store, so it can't be filtered."
          + "\nLeave out --snapshot, or the filters."
      }
    }
    let isHashed = filter.redactions.contains { $0.manner == .hash }
    guard let path = call.arguments[redactionKey] else {
      guard !isHashed else {
        throw CommandError(.usage) {
          "--redact …=hash needs a key, or anyone could find the values by guessing."
            + "\nGive --redact-key with a file of random bytes."
        }
      }
      return filter
    }
    guard isHashed else {
      throw CommandError(.usage) {
        "--redact-key has no effect without --redact …=hash.\nLeave out --redact-key."
      }
    }
    guard let bytes = try readSmallFile(path, isNamed: true) else {
      throw CommandError(.missing) {
        "There is no file \(path) with a key.\nCreate a key: head -c 32 /dev/urandom > \(path)"
      }
    }
    guard bytes.count >= 16 else {
      throw CommandError(.usage) {
        "The key \(path) is \(counted(Int64(bytes.count), noun: "byte")) long; at least 16 bytes"
          + " are required to resist guessing."
      }
    }
    filter.key = bytes
    return filter
  }

  /// Throws if the call has a flag that can't be combined with logs on standard output.
  private static func checkStream(_ call: Call) throws {
    if call.arguments[json] {
      throw CommandError(.usage) {
        "--json and --to - both need standard output.\nLeave out one of the flags."
      }
    }
    for (flag, isGiven) in [
      ("--snapshot", call.arguments[snapshot]), ("--new-folder", call.arguments[newFolder]),
    ] where isGiven {
      throw CommandError(.usage) { "\(flag) needs a folder; it can't be combined with --to -." }
    }
    if call.output.isTerminal {
      throw CommandError(.usage) {
        "Compressed logs can't be written to a terminal."
          + "\nPipe the logs to a program or a file, or name a folder."
      }
    }
  }
}

extension CommandLineKit.ValueType where Value == Point {
  static let point = CommandLineKit.ValueType(
    placeholder: "POINT",
    forms: Point.forms,
    hint: { hintOfZone($0) }
  ) { Point($0) }
}

extension CommandLineKit.ValueType where Value == String {
  /// A text that the header of a filtered log can contain as a part of its description.
  static func line(placeholder: String) -> CommandLineKit.ValueType<String> {
    CommandLineKit.ValueType<String>(placeholder: placeholder, forms: "a text on one line") {
      text in
      text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
    }
  }
}

extension CommandLineKit.ValueType where Value == ExportFilter.Redaction {
  static let redaction = CommandLineKit.ValueType<ExportFilter.Redaction>(
    placeholder: "ENTITY.ATTRIBUTE=MANNER",
    forms: "ENTITY.ATTRIBUTE=drop or ENTITY.ATTRIBUTE=hash, such as Person.phone=hash"
  ) { text in
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    let names = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, names.count == 2, names.allSatisfy({ !$0.isEmpty }),
      let manner = ExportFilter.Redaction.Manner(rawValue: String(parts[1]))
    else { return nil }
    return ExportFilter.Redaction(entity: names[0], attribute: names[1], manner: manner)
  }
}

extension Duration {
  /// The duration in seconds, such as `0.4 s`.
  func formatted() -> String {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
