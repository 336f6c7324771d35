import ChangeLog
import Changes
import CommandLineKit
import FoundationEssentials
import Glibc
import Pipeline
import Store

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
    help: "The folder for the logs; - writes them to standard output."
  )
  static let token = Parameter<String?>.optional(
    "token",
    type: .file,
    placeholder: "FILE",
    help: "Where to keep the token, instead of beside the logs."
  )
  static let until = Parameter<Point>.flag(
    "until",
    type: .point,
    fallback: "head",
    help: "Where to end."
  )
  static let snapshot = Parameter<Bool>.toggle(
    "snapshot",
    help: "Write the state too, so that a restore need not replay everything before it."
  )
  static let newFolder = Parameter<Bool>.toggle(
    "new-folder",
    help: "Start a new set of logs, although the store was exported before."
  )
  static let level = Parameter<Int>.flag(
    "level",
    type: .integer(in: 1...9),
    fallback: "6",
    help: "How hard to compress."
  )
  static let maximumFileSize = Parameter<Int64>.flag(
    "max-file-size",
    type: .size(from: 64 << 10, name: "64KiB"),
    fallback: "256MiB",
    help: "Begin a new log after the transaction that fills so many bytes."
  )
  static let dryRun = Parameter<Bool>.toggle(
    "dry-run",
    short: "n",
    help: "Say what would be done, and do nothing."
  )
  static let lockWait = Parameter<Duration>.flag(
    "lock-wait",
    type: .duration,
    fallback: "0s",
    help: "How long to wait for another program that works in the folder."
  )
  static let errorIfEmpty = Parameter<Bool>.toggle(
    "error-if-empty",
    help: "Fail where there is nothing to do."
  )

  static let authors = Parameter<[String]>.repeated(
    "author",
    type: .author,
    help: "Export transactions of this author alone, into partial logs; an empty text for none."
  )
  static let entities = Parameter<[String]>.repeated(
    "entity",
    type: .text,
    placeholder: "NAME",
    help: "Export changes of this entity and its heirs alone, into partial logs."
  )
  static let redactions = Parameter<[ExportFilter.Redaction]>.repeated(
    "redact",
    type: .redaction,
    help: "Leave out the values of an attribute, or write keyed digests for them."
  )
  static let redactionKey = Parameter<String?>.optional(
    "redact-key",
    type: .file,
    help: "The file whose bytes are the key of those digests; keep it secret."
  )

  static let exportCommand = Command(
    "export",
    summary: "Writes what is new in a store's history into logs.",
    discussion: "The first run writes the whole history, or the state where history does not reach "
      + "back; later ones what is new, from the token. The token moves last, so that a run which "
      + "was stopped is made good by the next, with nothing lost and nothing twice. Of several stores, "
      + "one that fails does not stop the others; the run ends with its code.",
    examples: [
      .init("travelog export trips.store --to logs", meaning: "Write what is new."),
      .init(
        "travelog export trips.store people.store --to logs",
        meaning: "The same of two stores."
      ),
      .init(
        "travelog export trips.store --to logs --snapshot",
        meaning: "Write the state as well."
      ),
      .init(
        "travelog export trips.store --to second --new-folder",
        meaning: "Start a second set of logs."
      ),
      .init(
        "travelog export trips.store --to logs --dry-run --json",
        meaning: "See what there is to do."
      ),
      .init(
        "travelog export people.store --to logs --entity Person --redact Person.phone=drop",
        meaning: "Write partial logs to hand on, beside the whole ones."
      ),
    ],
    parameters: [
      stores, to, token, until, snapshot, newFolder, level, maximumFileSize, dryRun, lockWait,
      errorIfEmpty,
      authors, entities, redactions, redactionKey,
    ],
    files: [
      .init(
        "LOGS/store=UUID/_token.json",
        meaning: "The token: the last transaction that was exported, and its digest."
      ),
      .init("LOGS/store=UUID/lineage=N/date=DAY/FIRST-LAST.ndjson.gz", meaning: "The logs."),
      .init(
        "LOGS/store=UUID/partial=NAME/",
        meaning: "Logs and a token of their own for each --author, --entity and --redact."
      ),
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
      // An export that can't begin leaves nothing in a folder that may be an unmounted disk.
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
          if let first = failures.first { try call.warn(first.message) }
          throw error
        }
        // One store that fails is no reason to leave the others.
        if !failures.isEmpty { try call.warn(description.message) }
        failures.append(description)
        continue
      }
      try line.clear()
      guard let result else { continue }
      for notice in result.notices { try call.warn("\(notice)") }
      isEmpty = isEmpty && result.transactions == 0 && result.snapshot == nil
      if given[json] { try call.answer("export", result: result) }
      try call.summarize(
        "\(store): \(given[dryRun] ? "would export" : "exported")"
          + " \(counted(result.transactions, noun: "transaction")),"
          + " \(counted(result.changes, noun: "change")),"
          + " \(byteCount(result.plainBytes)) -> \(byteCount(result.compressedBytes))"
          + " in \(time.formatted()); token \(result.to.transaction)"
      )
    }
    if let failure = failures.first { throw failure }
    return isEmpty && given[errorIfEmpty] ? .empty : .success
  }
}

extension Travelog {
  /// Fails if none of the exports can begin.
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

  /// What is to be left out, with the key of digests from its file.
  private static func exportFilter(_ call: Call) throws -> ExportFilter {
    var filter = ExportFilter()
    filter.authors = call.arguments[authors]
    filter.entities = call.arguments[entities]
    filter.redactions = call.arguments[redactions]
    if !filter.isEmpty, call.arguments[snapshot] {
      throw TravelogError.filteredSnapshot
    }
    let isHashed = filter.redactions.contains { $0.manner == .hash }
    guard let path = call.arguments[redactionKey] else {
      guard !isHashed else {
        throw TravelogError.hashWithoutKey
      }
      return filter
    }
    guard isHashed else {
      throw TravelogError.keyWithoutHash
    }
    guard let bytes = try readSmallFile(path) else {
      throw TravelogError.noKey(path)
    }
    guard bytes.count >= 16 else {
      throw TravelogError.shortKey(path, bytes: bytes.count)
    }
    filter.key = bytes
    return filter
  }

  /// Refuses what does not go with logs on standard output.
  private static func checkStream(_ call: Call) throws {
    if call.arguments[json] {
      throw TravelogError.streamOfJSON
    }
    if call.arguments[snapshot] {
      throw TravelogError.streamNeedsFolder("--snapshot")
    }
    if call.arguments[newFolder] {
      throw TravelogError.streamNeedsFolder("--new-folder")
    }
    if call.output.isTerminal {
      throw TravelogError.streamToTerminal
    }
  }
}

extension CommandLineKit.ValueType where Value == Point {
  static let point = CommandLineKit.ValueType(placeholder: "POINT", forms: Point.forms) {
    Point($0)
  }
}

extension CommandLineKit.ValueType where Value == String {
  /// An author as applications give it.
  static let author = CommandLineKit.ValueType<String>(
    placeholder: "NAME",
    forms: "an author's name, on one line"
  ) { text in
    text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
  }
}

extension CommandLineKit.ValueType where Value == ExportFilter.Redaction {
  /// A property and what stands for its values.
  static let redaction = CommandLineKit.ValueType<ExportFilter.Redaction>(
    placeholder: "ENTITY.ATTRIBUTE=MANNER",
    forms: "an attribute with drop or hash as Person.phone=hash"
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
  /// A length of time for people, in seconds: `0.4 s`.
  func formatted() -> String {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
