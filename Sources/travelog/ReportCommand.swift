import Audit
import ChangeLog
import CommandLineKit
import Format
import FoundationEssentials
import Glibc
import Pipeline
import Report

enum ReportFormat: String, CaseIterable, Sendable {
  case html, json
}

extension Travelog {
  static let reportOutput = Parameter<String?>.optional(
    "output",
    type: .file,
    help: "The file to write instead of standard output."
  )
  static let reportFormat = Parameter<ReportFormat?>.optional(
    "format",
    type: .oneOf,
    help: "The output format; html unless --json is given."
  )
  static let title = Parameter<String?>.optional(
    "title",
    type: .text,
    placeholder: "TEXT",
    help: "The title of the page; by default, from SOURCE."
  )
  static let timeZone = Parameter<TimeZoneRules>.flag(
    "time-zone",
    type: .timeZone,
    fallback: "UTC",
    help: "The time zone of all times in the report."
  )
  static let officeHours = Parameter<Range<Int>?>.optional(
    "office-hours",
    type: .hours,
    help: "Working hours, Monday to Friday; changes at other times are findings."
  )
  static let bulk = Parameter<Int64>.flag(
    "bulk",
    type: .limit,
    fallback: "1000",
    help: "A transaction with at least this many changes is a finding."
  )
  static let failOn = Parameter<[AuditFinding.Kind]>.repeated(
    "fail-on",
    type: .oneOf,
    help: "Exit with 1 if there is a finding of this kind."
  )

  static let reportCommand = Command(
    "report",
    summary: "Writes a report for auditors: who changed what and when, and findings.",
    discussion:
      "The page is one file of at most 10 MB that needs no network. The page shows what was "
      + "verified, activity over time, the findings, and the newest transactions with their "
      + "values before and after. The page of a log folder shows all lineages of all stores. With "
      + "--head or --against, the page shows up to which transaction the history is proven.",
    examples: [
      "travelog report logs --output report.html": "Report the whole history.",
      "travelog report logs --since 7d --time-zone Europe/Berlin --office-hours 8-18 --output week.html":
        "Report the last week in Berlin time.",
      "travelog report logs --title 'Trips in 2026' --head head.txt --output report.html":
        "Also prove the history by the digests in a file.",
      "travelog report logs --output report.html --fail-on damage --fail-on foreign":
        "For cron: exit with 1 if damage or foreign changes are found.",
    ],
    parameters: [
      source, reportOutput, reportFormat, title, heads, against, publicKey, timeZone, officeHours,
      bulk, failOn,
    ] + filters,
    exitCodes: [
      .found, .unreadable, .missing, .locked, .historyGap, .diverged, .filteredLog, .interrupted,
      .terminated,
    ]
  ) { call in
    let given = call.arguments
    let format = given[reportFormat] ?? (given[json] ? .json : .html)
    if format == .html, given[reportOutput] == nil, call.output.isTerminal {
      throw CommandError(.usage) {
        "The page is for a browser, and can't be written to a terminal."
          + "\nName a file: --output report.html"
      }
    }
    let histories = try History.all(given[source])
    for history in histories { try call.warnAboutUnshownChanges(of: history) }
    var request = AuditRequest()
    request.filter = try call.filterOfObject()
    request.filter.entity = given[entity]
    request.filter.id = given[object]
    request.clock = WallClock(zone: given[timeZone], officeHours: given[officeHours])
    request.bulk = max(1, given[bulk])
    (request.heads, request.checkpoints) = try trustedHeads(
      given[heads],
      requiring: CheckpointRequirements(keys: given[publicKey])
    )
    request.against = given[against]
    try checkTrust(request, source: given[source], histories: histories)
    let (line, tick) = call.tick()
    let report: AuditReport
    let write: (_ output: ([UInt8]) throws -> Void) throws -> Void
    switch format {
    case .html:
      var page = try ReportPage(histories, of: given[source], request: request, tick: tick)
      page.report.produced = production()
      page.report.title = given[title] ?? page.report.title
      report = page.report
      write = page.write
    case .json:
      var summary = try summarize(histories, of: given[source], request: request, tick: tick)
      summary.produced = production()
      summary.title = given[title] ?? summary.title
      report = summary
      write = { [report] in try writeReport(report, of: histories, request: request, to: $0) }
    }
    try line.clear()
    if let path = given[reportOutput] {
      try writeFile(path, write)
    } else {
      try write { try call.output.write(bytes: $0) }
    }
    let found = report.findings.filter { given[failOn].contains($0.finding) }
    for finding in found { try call.warn("\(finding.finding.rawValue): \(finding.message)") }
    return found.isEmpty ? .success : .found
  }
}

/// Throws if a flag names a source of trust with which the histories can't be compared.
private func checkTrust(
  _ request: AuditRequest,
  source: String,
  histories: [History]
) throws {
  guard wholeFolder(of: histories) != nil else {
    let hasDigests = histories.allSatisfy(\.hasDigests)
    guard request.against == nil, hasDigests || request.heads.isEmpty && request.checkpoints.isEmpty
    else {
      throw CommandError(.usage) {
        "--head needs a log folder or a store, and --against needs a log folder."
          + "\nName the log folder, or leave out the flag."
      }
    }
    return
  }
  // Only the logs of one store can be compared with a store. Opening the folder as one history
  // throws if there are several stores.
  guard request.against != nil, Set(histories.map(\.outline.store)).count > 1 else { return }
  _ = try History(source)
}

/// The facts about this run of the program that a report contains.
///
/// If `SOURCE_DATE_EPOCH` is set, its time replaces the present time, and a build can produce an
/// identical page again.
func production() -> Production {
  var production = Production()
  production.version = Travelog.program.version
  let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap { Double($0) }
  production.time = epoch.map { timeText(Date(timeIntervalSince1970: $0)) } ?? currentTime()
  production.command = shellLine(["travelog"] + processArguments().dropFirst())
  return production
}

/// Replaces a file in one step, so readers see either the old page or the new page.
private func writeFile(
  _ path: String,
  _ pieces: @escaping (_ output: ([UInt8]) throws -> Void) throws -> Void
) throws {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
    do {
      return try writeDurably(to: path, isForAll: true) { write in
        try pieces { bytes in try bytes.withUnsafeBytes { try write($0) } }
      }
    } catch let error as LogError
      where error.path.hasSuffix(".writing") || error.path == parentFolder(path)
    {
      // Only an error about the page's own files is an error of writing. Other errors come from the
      // history, which is read while the page is written.
      throw CommandError(.failure) {
        "Can't write \(path): \(error.message)"
          + "\nName a file in a folder that you can write to, on a disk with free space."
      }
    }
  }
  // A pipe or a device is opened for writing, because it can't be replaced.
  let descriptor = open(path, O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else {
    let number = errno
    throw CommandError(.failure) { "Can't open \(path): \(systemText(number))." }
  }
  defer { close(descriptor) }
  let output = Output(descriptor: descriptor, name: path)
  try pieces { try output.write(bytes: $0) }
  try output.flush()
}

extension CommandLineKit.ValueType where Value == TimeZoneRules {
  static let timeZone = CommandLineKit.ValueType<TimeZoneRules>(
    placeholder: "ZONE",
    forms: "a time zone such as Europe/Berlin or UTC"
  ) { TimeZoneRules(named: $0) }
}

extension CommandLineKit.ValueType where Value == Range<Int> {
  static let hours = CommandLineKit.ValueType<Range<Int>>(
    placeholder: "HOURS",
    forms: "a first and a last hour such as 8-18"
  ) { text in
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let from = parts[0], let to = parts[1], (0...24).contains(from),
      (0...24).contains(to), from < to
    else { return nil }
    return from..<to
  }
}
