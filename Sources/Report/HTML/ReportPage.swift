import Audit
import ChangeLog
import Format
import Pipeline

/// A report as a page for people who have only a browser.
///
/// The page contains the report and the newest transactions, compressed, and the first tables as HTML
/// for browsers without a script.
package struct ReportPage {
  /// The maximum size of a page, in bytes.
  package static let limit = 10_000_000
  /// The maximum size of the names of objects, in bytes.
  private static let nameLimit = 3_000_000

  package var report: AuditReport
  private let clock: WallClock
  private let data: PageData
  /// The newest transactions as rows of a table.
  private let newest: [UInt8]
  private let names: [UInt8]

  /// Reads histories for a page.
  ///
  /// - Throws: ``PipelineError`` or ``StoreError``; a damaged log is a finding.
  package init(
    _ histories: [History],
    of source: String,
    request: AuditRequest,
    tick: Tick = { _ in }
  ) throws {
    let objects = ObjectTally()
    let usual: TransactionOperation = histories.words == .tables ? .foreign : .recorded
    let plain = PlainPage.rows(request.clock, usual: usual)
    func newest(
      of histories: [History],
      until report: AuditReport? = nil
    ) throws -> (PageData, rows: [UInt8]) {
      let data = PageData()
      let all = try readable(histories, filter: request.filter, of: report)
      return (data, try data.read(all, objects: objects, plain: plain, tick: tick))
    }
    func undamaged(_ histories: [History]) throws -> (PageData, rows: [UInt8])? {
      do {
        return try newest(of: histories)
      } catch let error as LogError where ![.inputOutput, .notPermitted].contains(error.code) {
        // A log is damaged. The summary reports the damage, and how far the logs can be read.
        return nil
      }
    }
    // The newest transactions are read first, because the page contains the names of their objects.
    // The summary verifies them.
    var page = try undamaged(histories.map { History(unverified: $0) })
    report = try summarize(histories, of: source, request: request, objects: objects, tick: tick)
    if page != nil, report.hasDamage { page = try undamaged(histories) }
    (data, self.newest) = try page ?? newest(of: histories, until: report)
    clock = request.clock
    names = Self.names(of: objects)
  }

  private static func names(of objects: ObjectTally) -> [UInt8] {
    var names: [UInt8] = Array("[".utf8)
    objects.names { history, entity, id, name in
      guard names.count < nameLimit else { return }
      if names.count > 1 { names.append(UInt8(ascii: ",")) }
      names += Array("[\(history),".utf8)
      appendJSONString(entity, to: &names)
      names.append(UInt8(ascii: ","))
      appendJSONString(id.description, to: &names)
      names.append(UInt8(ascii: ","))
      appendJSONString(name, to: &names)
      names.append(UInt8(ascii: "]"))
    }
    return names + [UInt8(ascii: "]")]
  }

  package func write(to output: ([UInt8]) throws -> Void) throws {
    let plain = PlainPage(report, clock: clock).html(newest: newest)
    let head = try Page.compressed(encoded(report))
    let names = try Page.compressed(names)
    // The size of everything except the blocks; 200,000 is for the markup, the style sheet and the
    // script.
    let rest = 200_000 + plain.count + head.count + names.count
    data.trim(to: Self.limit - rest)
    try Page.write(
      [
        "title": { try $0(Array(Page.escaped(report.title).utf8)) },
        "plain": { try $0(plain) },
        "head": { try $0(head) },
        "names": { try $0(names) },
        "blocks": { try data.write(to: $0) },
      ],
      to: output
    )
  }
}
