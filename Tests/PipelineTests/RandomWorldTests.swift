import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import StoreTesting
import TestSupport
import Testing

@testable import Store

/// A store and its logs, to which anything may happen, and a naive model of what they contain.
private struct RandomWorld {
  let folder: URL
  let logs: LogFolder
  private(set) var store: Store
  private var random: SeededGenerator
  private var history: HistoryWorld
  /// The operations so far, for messages.
  private(set) var steps: [String] = []
  /// The digests of the transactions of each lineage, as the store had them when they were recorded.
  private(set) var digests: [Int64: [Int64: Digest]] = [:]
  /// The rows after transactions of the present lineage.
  private(set) var states: [Int64: [String]] = [:]
  /// Copies of the store, with the generator of its history.
  private var copies: [(path: String, history: HistoryWorld, head: Int64, lineage: Int64)] = []
  private var copyCount = 0
  /// The last transaction that a gap replaced; the store can have more transactions before it.
  private var gapEnd: Int64 = 0
  private(set) var hasErased = false
  /// The last transaction in the filtered logs of each lineage.
  private var filtered: [Int64: Int64] = [:]

  init(_ folder: URL, _ name: String, mode: HistoryMode?) throws {
    self.folder = folder
    // The model does not know which values a deletion erases.
    hasErased = mode == .tombstones
    random = SeededGenerator(for: name)
    history = HistoryWorld(random)
    history.hasLargeValues = false
    store = try Store.open(
      .file(folder.appendingPathComponent("0.store")),
      schema: worldSchema,
      options: Options(historyMode: mode)
    )
    logs = LogFolder(folder.path + "/logs")
    try logs.create()
    // A write may change nothing.
    while try historyRange().head.transaction == 0 { try write() }
    try export()
  }

  var path: String { store.location.path }
  var lineage: Int64 { store.lineage }

  mutating func step() throws {
    let operations: [(String, (inout RandomWorld) throws -> Void)] = [
      ("write", { try $0.write() }), ("export", { try $0.export() }),
      ("snapshot", { try $0.export { $0.wantsSnapshot = true } }),
      ("small logs", { try $0.export { $0.maximumFileSize = 1 } }),
      ("filter", { try $0.filter() }), ("erase", { try $0.erase() }),
      ("compact", { _ = try compact(CompactRequest(logs: $0.logs)) }),
      ("prune", { try $0.prune() }), ("gap", { try $0.loseHistory() }),
      ("copy", { try $0.copy() }), ("restore", { try $0.restore() }),
    ]
    guard let (name, run) = operations.randomElement(using: &random) else { return }
    steps.append(name)
    try run(&self)
    try note()
  }

  /// Adds what the store recorded to the model.
  private mutating func note() throws {
    let lineage = lineage
    try store.read { reader in
      let range = try reader.historyRange()
      let last = digests[lineage]?.keys.max() ?? range.base.transaction
      for id in max(last, range.base.transaction)..<range.head.transaction {
        digests[lineage, default: [:]][id + 1] = try reader.point(id + 1).digest
      }
    }
  }

  private mutating func write() throws {
    try writeSome()
    try note()
  }

  private mutating func writeSome() throws {
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      try history.write(to: store)
      let head = try store.read { try $0.historyRange().head.transaction }
      // An import up to transaction 0 creates no replica.
      if head > 0 { states[head] = try rowDump(of: store) }
    }
  }

  mutating func export(_ change: (inout ExportRequest) -> Void = { _ in }) throws {
    var request = ExportRequest(store: path, logs: logs)
    change(&request)
    _ = try Pipeline.export(request)
    try note()
  }

  private mutating func filter() throws {
    // Filtered logs can't continue after transactions that were never in them.
    if let last = filtered[lineage], try historyRange().base.transaction > last { return }
    var filter = ExportFilter()
    filter.authors = ["app"]
    try export { $0.filter = filter }
    filtered[lineage] = try historyRange().head.transaction
  }

  private func historyRange() throws -> HistoryRange {
    try store.read { try $0.historyRange() }
  }

  /// Erases the values of an object that is gone.
  private mutating func erase() throws {
    try export()
    let names = try rows(
      """
      SELECT DISTINCT entity || ' ' || object FROM history_change
        WHERE kind = 'delete' AND transaction_id > \(gapEnd)
      """,
      in: store
    )
    let parts = names.randomElement(using: &random)?.split(separator: " ") ?? []
    guard parts.count == 2, let id = Int64(parts[1]) else { return }
    var request = EraseRequest(logs: logs, entity: String(parts[0]), object: ObjectID(id))
    request.store = path
    if try Pipeline.erase(request).values > 0 { hasErased = true }
  }

  private mutating func prune() throws {
    try export()
    var request = PruneRequest(store: path, logs: logs, keep: .zero)
    request.ignoresFiltered = true
    _ = try Pipeline.prune(request)
  }

  /// Deletes history that is not exported, which becomes a gap.
  private mutating func loseHistory() throws {
    try write()
    let head = try store.read { try $0.historyRange().head.transaction }
    try store.deleteHistory([1...head])
    try write()
    gapEnd = try recover(RecoverRequest(store: path, logs: logs)).resumes.transaction
  }

  private mutating func copy() throws {
    copyCount += 1
    let path = folder.path + "/\(copyCount).store"
    try store.copy(to: URL(fileURLWithPath: path))
    let head = try store.read { try $0.historyRange().head.transaction }
    copies.append((path, history, head, lineage))
  }

  /// Continues with an older copy of the present lineage, in a new lineage.
  private mutating func restore() throws {
    try export()
    guard let (path, history, head, lineage) = copies.popLast(), lineage == self.lineage else {
      return
    }
    store = try Store.open(.file(URL(fileURLWithPath: path)))
    self.history = history
    states = states.filter { $0.key <= head }
    try writeSome()
    _ = try recover(RecoverRequest(store: path, logs: logs))
    store = try Store.open(.file(URL(fileURLWithPath: path)))
    // The lineage is new, unless the copy was the present state.
    digests[self.lineage] = digests[self.lineage] ?? [:]
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &random)
  }
}

@Suite("Random worlds")
struct RandomWorldTests {
  @Test(
    "Whatever happens to a store and its logs, verify, prove and import agree with a naive model.",
    arguments: 1...trials(9, long: 200)
  )
  func worlds(_ round: Int) throws {
    // In every second world, one transaction restates at most 3 of the lines that an erasure changes.
    try RestatedRows.$most.withValue(round.isMultiple(of: 2) ? 3 : RestatedRows.most) {
      try withTemporaryFolder { folder in try live(in: folder, round) }
    }
  }

  private func live(in folder: URL, _ round: Int) throws {
    let mode: HistoryMode? = round.isMultiple(of: 3) ? .tombstones : nil
    var world = try RandomWorld(folder, "random world \(round)", mode: mode)
    for _ in 0..<14 {
      do {
        try world.step()
        try world.export()
        try verifyAll(&world)
        try follow(world)
      } catch {
        Issue.record("\(error) after \(world.steps)")
        return
      }
    }
    try replay(&world)
  }

  private func verifyAll(_ world: inout RandomWorld) throws {
    let identifier = world.store.identifier
    var request = VerifyRequest(logs: world.logs)
    let head = try world.store.read { try $0.historyRange().head }
    request.heads = [head.digest]
    let results = try verify(request)
    let steps: Comment = "\(world.steps)"
    #expect(results.flatMap(\.findings) == [], steps)
    #expect(results.last?.to == head && results.last?.proven == head, steps)
    var proven: [(Int64, Digest)] = []
    for result in results {
      proven.removeAll()
      let model = world.digests[result.lineage] ?? [:]
      // Only in a new lineage transactions were erased before their export.
      let allowed: Set<ExceptedPart.Kind> = result.lineage > 0 ? [.unanchored] : []
      let unproven = Set(result.except.filter { !$0.isProven }.map(\.kind))
      #expect(unproven.isSubset(of: allowed), steps)
      let history = try FolderHistory(world.logs, store: identifier, lineage: result.lineage)
      var read = 0
      try history.read(
        history.outline().base + 1...history.outline().head,
        wants: { _ in false },
        change: { _, _ in },
        transaction: { transaction in
          read += 1
          guard let known = model[transaction.id] else { return }
          #expect(transaction.chainDigest == known, steps)
          if transaction.operation != .gap { proven.append((transaction.id, known)) }
        }
      )
      // A later lineage begins with a state.
      let states = result.lineage > 0 ? 1 : 0
      #expect(Int64(read - states) == result.transactions, steps)
    }
    guard let (id, digest) = world.pick(proven) else { return }
    let proof = try prove(ProveRequest(logs: world.logs, transaction: id))
    #expect(try proof.check().transaction == id, steps)
    #expect(String(decoding: proof.closing, as: UTF8.self).contains("\(digest)"), steps)
  }

  /// Imports new logs into a replica of the lineage, which erases what the store has erased.
  private func follow(_ world: RandomWorld) throws {
    let path = world.folder.path + "/follower \(world.lineage).store"
    _ = try importLogs(ImportRequest(logs: world.logs, store: path))
    let follower = try Store.open(.file(URL(fileURLWithPath: path)))
    let steps: Comment = "\(world.steps)"
    #expect(try rowDump(of: follower) == rowDump(of: world.store), steps)
    // The follower has a gap instead of the transactions before the gap's end. In tombstone mode,
    // the store can still have some of these transactions.
    let gap = try rows("SELECT max(id) FROM history_transaction WHERE op = 'gap'", in: follower)
    let base =
      try [world.store, follower].map { try $0.read { try $0.historyRange().base.transaction } }
      .reduce(Int64(gap.first ?? "") ?? 0, max)
    #expect(
      try lines(of: follower, after: base) == lines(of: world.store, after: base),
      steps
    )
  }

  /// Imports the logs up to the head, and up to an earlier state.
  private func replay(_ world: inout RandomWorld) throws {
    let steps: Comment = "\(world.steps)"
    try world.store.check { Issue.record("\($0)") }
    let head = try world.store.read { try $0.historyRange().head.transaction }
    var request = ImportRequest(logs: world.logs, store: world.folder.path + "/replica.store")
    _ = try importLogs(request)
    let replica = try Store.open(.file(URL(fileURLWithPath: request.store)))
    #expect(try rowDump(of: replica) == rowDump(of: world.store), steps)
    #expect(try replica.read { try $0.historyRange().head.transaction } == head, steps)
    guard !world.hasErased, let (id, rows) = world.pick(Array(world.states)) else { return }
    request.store = world.folder.path + "/earlier.store"
    request.until = .transaction(id)
    do {
      _ = try importLogs(request)
    } catch let error as PipelineError where error.code == .missingLogs {
      // It is inside a gap.
      return
    }
    let earlier = try Store.open(.file(URL(fileURLWithPath: request.store)))
    #expect(try rowDump(of: earlier) == rows, steps)
  }
}
