import ChangeLog
import Format
import FoundationEssentials
import Glibc
import Store

/// Erases values of one object from logs, snapshots and large values.
///
/// If an erase request names a store, the values are also erased from the history of this store.
///
/// If an erase request names a store, a transaction of this store records the erasure before any
/// log is rewritten; an erasure of very many lines has several such transactions. They also confirm
/// the values that remain. Without a store, the erasure is recorded only beside the logs, and no
/// transaction covers these records.
///
/// An erasure does not change the digests of transactions. Its records contain who erased what, and
/// the digests of the remaining lines. If the program is stopped, the next run with an equal
/// request completes the erasure.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func erase(_ request: EraseRequest, tick: Tick = { _ in }) throws -> EraseResult {
  try checkHasLogs(request.logs)
  let store = try request.store.map { path in
    try Store.refuseApple(path)
    let store = try Store.open(
      .file(URL(fileURLWithPath: path)),
      options: Options(isReadOnly: request.isDryRun)
    )
    if !request.isDryRun { try store.sealForeignChanges() }
    return store
  }
  var erasure = try Erase(request, store: store)
  return try erasure.run(tick)
}

private struct Erase {
  private var request: EraseRequest
  let store: Store?
  let identifier: String

  init(_ request: EraseRequest, store: Store?) throws {
    self.request = request
    self.store = store
    let stores = try request.logs.stores()
    let wanted = store?.identifier ?? request.origin
    if let wanted {
      guard stores.contains(wanted) else {
        throw noLogs(of: "the store \(wanted)", in: request.logs, others: stores)
      }
      identifier = wanted
    } else {
      guard let only = stores.first, stores.count == 1 else {
        throw severalStores(
          stores,
          in: request.logs,
          hint: "\nUse --store to name the file of one of these stores."
        )
      }
      identifier = only
    }
  }

  mutating func run(_ tick: Tick) throws -> EraseResult {
    var mark = EraseMark(request)
    if let begun = try EraseMark.read(request.logs, store: identifier) {
      guard mark.isSame(as: begun) else { return try refuseOther() }
      mark = begun
    }
    let chains = try openChains()
    let schemas = try chains.reduce(into: []) { try $1.addSchemas(to: &$0) }
    if !request.attributes.isEmpty {
      request.implied = Set(generatedColumns(of: request.entity, in: schemas))
        .subtracting(request.attributes)
      request.attributes += request.implied
    }
    var scan = try EraseScan(request, chains: chains, filtered: openFiltered(), schemas: schemas)
    let plan = try scan.run(tick)
    try checkStore(plan)
    var result = EraseResult(store: identifier)
    result.transactions = plan.transactions
    result.values = plan.values
    guard !request.isDryRun else {
      result.files = plan.files.map(\.file.path)
      return result
    }
    let isRecorded = try recordErasure(plan, result: &result, tick: tick)
    mark.largeValues = Set(mark.largeValues).union(plan.largeValues).sorted()
    try mark.write(request.logs, store: identifier)
    var erasures: [Int64: Erasures] = [:]
    for file in plan.files {
      let lineage = file.chain.lineage
      var records = erasures[lineage] ?? file.chain.erasures
      try rewrite(
        file,
        of: plan,
        erasures: &records,
        request: request,
        isRecorded: isRecorded,
        tick: tick
      )
      erasures[lineage] = records
      result.files.append(file.file.path)
    }
    // Files that an interrupted run left can also contain the values.
    try request.logs.removeLeftovers(of: identifier)
    result.largeValues = try removeLargeValues(mark.largeValues, logs: request.logs)
    if !isRecorded { result.storeTransactions = try eraseHistory(plan) }
    try addToTokens(
      chains.map { ($0.lineage, erasures[$0.lineage] ?? $0.erasures) },
      of: identifier,
      logs: request.logs
    )
    try request.logs.removeMark(identifier)
    return result
  }

  private func refuseOther() throws -> EraseResult {
    try request.logs.checkErasing(identifier)
    return EraseResult(store: identifier)
  }

  /// Opens the filtered logs, which can also contain values to erase.
  private func openFiltered() throws -> [LogChain] {
    try request.logs.partials(of: identifier).flatMap { name in
      let folder = request.logs.partial(named: name)
      return try folder.lineages(of: identifier).map { lineage in
        try LogChain(
          folder,
          store: identifier,
          lineage: lineage,
          erasures: Erasures(store: identifier, lineage: lineage)
        )
      }
    }
  }

  private func openChains() throws -> [LogChain] {
    let chains = try request.logs.lineages(of: identifier).map { lineage in
      let erasures = try Erasures(
        path: request.logs.erasures(of: identifier, lineage: lineage),
        store: identifier,
        lineage: lineage
      )
      return try LogChain(
        request.logs,
        store: identifier,
        lineage: lineage,
        erasures: erasures,
        acceptsUnfinishedErasures: true
      )
    }
    if let file = chains.flatMap({ $0.files + $0.snapshots }).first(where: { isLink($0.path) }) {
      throw PipelineError(.misuse) {
        "The log \(file.path) is a symbolic link, so the values would remain in the target of the"
          + " link.\nPut the file itself into the folder."
      }
    }
    if let file = chains.flatMap(\.covered).first {
      throw PipelineError(.misuse) {
        "The transactions of the log \(file.path) are also in another log: a compaction was"
          + " interrupted.\nRun “travelog compact \(request.logs.path)” first."
      }
    }
    guard !chains.isEmpty else {
      guard try !request.logs.partials(of: identifier).isEmpty else {
        throw noLogs(of: "the store \(identifier)", in: request.logs)
      }
      throw PipelineError(.missing) {
        "All logs of the store \(identifier) in \(request.logs.path) are filtered, and only an erasure"
          + " in the folder with its whole logs can record what they lose."
          + "\nErase there; then export with the same filter to a new folder, and delete this one."
      }
    }
    // A stray file can be a copy of a log, or a link to one. An erasure would leave the values in
    // it.
    let folders =
      try [request.logs]
      + request.logs.partials(of: identifier).map { request.logs.partial(named: $0) }
    let strays = try folders.flatMap { try $0.strays(of: identifier) } + request.logs.strays()
    if let stray = strays.first { throw stray }
    return chains
  }

  /// Throws if the store's history has changes of the object that are missing in the logs.
  private func checkStore(_ plan: ErasePlan) throws {
    guard let store else { return }
    let targets = try request.targets(in: store)
    try store.read { reader in
      try reader.check(plan.end, through: plan.end.transaction)
      let cursor = try reader.history(after: plan.end.transaction)
      while let transaction = try cursor.nextTransaction() {
        let targets = try targets.under(transaction.schema)
        while let change = try cursor.nextChange() {
          guard change.isOf(request.object), targets.hasEntity(of: change) else { continue }
          throw PipelineError(.misuse) {
            "Transaction \(transaction.id) of \(store.location.path) changed \(request.entity)"
              + " \(request.object), and is not exported yet."
              + "\nRun “travelog export \(store.location.path) --to \(request.logs.path)” first."
          }
        }
      }
    }
  }

  /// Erases the values from the store's history and records the erasure, in one SQL transaction.
  ///
  /// The record of the erasure is exported at once, because logs with erased lines must never lack
  /// the record.
  ///
  /// The result is false if no store was given. It is also false for a replica, because only the
  /// history of its origin can record an erasure.
  private func recordErasure(
    _ plan: ErasePlan,
    result: inout EraseResult,
    tick: Tick
  ) throws -> Bool {
    guard let store, !store.isReplica else { return false }
    let lines = try RestatedLines()
    for file in plan.files { try restate(file, of: plan, tick: tick, lines.add) }
    let details = ErasureDetails(
      of: ObjectName(request.entity, id: request.object),
      properties: request.attributes.sorted(),
      restatements: []
    )
    result.storeTransactions = try eraseHistory(plan, recording: (details, lines))
    if try store.read({ try $0.sealedHead() }) > plan.end.transaction {
      let export = ExportRequest(store: store.location.path, logs: request.logs)
      _ = try Pipeline.export(export, tick: tick)
    }
    return true
  }

  private func eraseHistory(
    _ plan: ErasePlan,
    recording: (details: ErasureDetails, lines: RestatedLines)? = nil
  ) throws -> Int64? {
    guard let store else { return nil }
    let author = Author(name: request.author, reason: request.reason)
    let targets = try request.targets(in: store)
    return try store.eraseHistory(
      of: request.object,
      author: author,
      recording: recording
    ) { transaction, change, value in
      guard let property = try targets.under(transaction.schema).property(of: value, in: change)
      else { return false }
      return !plan.isPresent(
        property,
        value: value,
        lineage: store.lineage,
        transaction: transaction.id,
        isSnapshot: false
      )
    }
  }
}

extension EraseRequest {
  fileprivate func targets(in store: Store) throws -> CatalogTargets {
    CatalogTargets(
      entity: entity,
      attributes: attributes,
      schemas: try store.read { try $0.schemas() }
    )
  }
}

private func isLink(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
}
