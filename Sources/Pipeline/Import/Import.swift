import ChangeLog
import Changes
import FoundationEssentials
import Glibc
import Store

/// One run of an import.
final class Import {
  /// So many changes are one SQL transaction, unless one transaction of the source has more.
  private static let batch: Int64 = 50_000
  /// Logs of so many bytes are read once.
  ///
  /// What is applied of one is committed when its end was verified. Larger ones would make the
  /// write-ahead log too large, and are read twice.
  private static let readOnce: Int64 = 64 << 20
  /// Logs of so many bytes are read once where there is no write-ahead log.
  ///
  /// More would be lost by one that is stopped than another reading costs.
  private static let readOnceDirectly: Int64 = 512 << 20
  /// Logs of so many bytes go into a new replica without a write-ahead log, which nobody reads yet.
  ///
  /// It costs two more syncs a log, and saves a sixth of the time where there is much to write.
  private static let writtenDirectly: Int64 = 1 << 20
  /// What stops a second reading as it stopped the first.
  private static let lasting: Set<StoreError.Code> = [
    .diskFull, .inputOutput, .locked, .outOfMemory, .readOnly,
  ]

  let request: ImportRequest
  private let url: URL
  let identifier: String
  private var replica: Store?
  /// True for a replica that has nothing yet, because it is to be made, or who made it was stopped.
  let isEmpty: Bool
  var result: ImportResult
  /// True where the replica's file was made by this run.
  private(set) var isMade = false
  private(set) var progress = Progress()

  init(_ request: ImportRequest) throws {
    self.request = request
    url = URL(fileURLWithPath: request.store)
    if try !Store.isUnmade(url) {
      let replica = try Store.open(.file(url), options: Options(isReadOnly: request.isDryRun))
      guard replica.isReplica else {
        throw PipelineError(
          .misuse,
          "The store \(request.store) is no replica, so that nothing can be imported into it.",
          hint: "Name a file that is not there yet; it is made as a replica."
        )
      }
      self.replica = replica
    }
    identifier = try originIdentifier(request, replica)
    let lineage = replica?.lineage ?? 0
    let beginning = HistoryPoint(
      lineage: lineage,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: identifier, lineage: lineage)
    )
    let head = try replica?.read { try $0.historyRange().head } ?? beginning
    isEmpty = head.transaction == 0
    result = ImportResult(
      store: request.store,
      identifier: identifier,
      from: head,
      to: head,
      isNew: replica == nil
    )
  }

  func run(_ tick: Tick) throws -> ImportResult {
    if try request.logs.lineages(of: identifier).isEmpty,
      let name = try request.logs.partials(of: identifier).first
    {
      throw LogError(
        .partial,
        "The logs of the store \(identifier) in \(request.logs.path) have something left out, so that"
          + " they can't be replayed. Bring the whole ones.",
        path: request.logs.partial(named: name).storeFolder(identifier)
      )
    }
    try replica?.read { try $0.checkIsNotPast(request.until, store: request.store) }
    let chain = try chainToReplay()
    if isEmpty {
      result.from = chain.beginning
      result.to = chain.beginning
      try begin(chain, tick)
    }
    progress.total = total(chain)
    var gap: ClosedRange<Int64>?
    for file in chain.files where file.range.upperBound > result.to.transaction {
      guard try !isBeyond(file) else { break }
      let size = size(of: file.path)
      let isDirect = result.isNew && size >= Self.writtenDirectly
      if try mayBeReadOnce(file, size, chain, isDirect: isDirect) {
        do {
          try applyAtOnce(file, chain, isDirect: isDirect, tick)
          result.files += 1
          continue
        } catch let error as StoreError where !Self.lasting.contains(error.code) {
          // What is wrong with the log itself is to be said first, and what comes before a change
          // that does not fit is to be applied: reading it twice does both.
        }
      }
      let wanted = try verify(file, chain, tick)
      gap = gap ?? wanted.gap
      let last = wanted.end.transaction
      guard last > result.to.transaction else { break }
      if request.isDryRun {
        pass(wanted)
      } else {
        try apply(wanted, of: file, chain, isDirect: isDirect, tick)
      }
      result.files += 1
      if last < file.range.upperBound { break }
    }
    if case .transaction(let id) = request.until, id > result.to.transaction {
      if let gap { throw inside(gap, id) }
      throw PipelineError(
        .missingLogs,
        "The logs in \(request.logs.path) end at transaction \(result.to.transaction), and"
          + " transaction \(id) was asked for.",
        hint: "Bring the missing logs, or name an earlier point."
      )
    }
    if isEmpty, request.until != .head, result.to == chain.beginning,
      request.until != .transaction(0)
    {
      throw PipelineError(
        .missingLogs,
        "The logs in \(request.logs.path) begin after \(request.until): there is no state to make"
          + " \(request.store) from.",
        hint: "Name a later point, or bring earlier logs."
      )
    }
    if let replica, !request.isDryRun {
      try replica.setWriteAheadLog(isUsed: true)
      result.danglingLinks = try replica.read { try $0.danglingLinks() }
    }
    return result
  }

  /// Gives the replica its write-ahead log again, after a failure.
  func takeBackWriteAheadLog() {
    // What failed before says more, and the next run does this again.
    _ = try? replica?.setWriteAheadLog(isUsed: true)
  }

  /// How many transactions are to be replayed, by the names of the logs; nil for up to a time.
  private func total(_ chain: LogChain) -> Int64? {
    let last = chain.files.last?.range.upperBound ?? 0
    return switch request.until {
    case .head: max(0, last - result.to.transaction)
    case .transaction(let id): max(0, min(id, last) - result.to.transaction)
    case .time: nil
    }
  }

  private func isBeyond(_ file: LogFolder.File) throws -> Bool {
    if case .transaction(let id) = request.until { return file.range.lowerBound > id }
    return false
  }

  /// True for a log that is small, wanted whole, and begins with nothing but transactions.
  private func mayBeReadOnce(
    _ file: LogFolder.File,
    _ size: Int64,
    _ chain: LogChain,
    isDirect: Bool
  ) throws -> Bool {
    guard request.until == .head, !request.isDryRun,
      chain.lineage == 0 || result.to != chain.beginning
    else { return false }
    return try size <= Self.readOnce
      || size <= Self.readOnceDirectly && isDirect && isWrittenDirectly(file, chain)
  }

  /// True where a log goes into the replica's file without a write-ahead log.
  ///
  /// Tables that change are written with one, and so is what somebody else has open.
  private func isWrittenDirectly(_ file: LogFolder.File, _ chain: LogChain) throws -> Bool {
    guard let replica else { return true }
    return try chain.open(file, after: nil).header.schema == replica.schema
      && replica.setWriteAheadLog(isUsed: false)
  }

  /// Applies a log in one transaction of the replica, which is not committed before all of the log
  /// was verified.
  private func applyAtOnce(
    _ file: LogFolder.File,
    _ chain: LogChain,
    isDirect: Bool,
    _ tick: Tick
  ) throws {
    let isOverlapping = file.range.lowerBound <= result.to.transaction
    let reader = try chain.open(file, after: isOverlapping ? nil : result.to)
    let before = progress
    do {
      try passOver(reader, from: reader.header.first)
      let source = ReadAhead(reader)
      defer { source.stop() }
      _ = try replayBatch(source, reader.header, isDirect: isDirect, tick) {
        try chain.checkEnd(reader, file)
      }
    } catch {
      progress = before
      throw error
    }
  }

  /// Reads over what the replica has already.
  private func passOver(_ reader: LogReader, from first: Int64) throws {
    var next = first
    while next <= result.to.transaction, let transaction = try reader.next() {
      try checkDivergence(transaction, reader.path)
      next = transaction.id + 1
    }
  }

  private func checkDivergence(_ transaction: Transaction, _ path: String) throws {
    guard transaction.id == result.to.transaction, transaction.chainDigest != result.to.digest
    else { return }
    throw PipelineError(
      .historyDiverged,
      "Transaction \(transaction.id) in the log \(path) has another digest than in the"
        + " replica \(request.store).",
      hint: "Make a new replica from the logs."
    )
  }

  /// The error for a transaction that was asked for, and that is among those of a gap.
  private func inside(_ gap: ClosedRange<Int64>, _ id: Int64) -> PipelineError {
    PipelineError(
      .missingLogs,
      "Transactions \(gap.lowerBound) to \(gap.upperBound) are a gap, which the logs in"
        + " \(request.logs.path) hold as one, and transaction \(id) was asked for, which is among"
        + " them.",
      hint: "Name the transaction before the gap, \(gap.lowerBound - 1), or its last,"
        + " \(gap.upperBound)."
    )
  }

  /// What of a log is wanted, and is not in the replica yet.
  private struct Wanted {
    /// The last transaction.
    var end: HistoryPoint
    var transactions: Int64 = 0
    var changes: Int64 = 0
    var snapshotObjects: Int64 = 0
    /// The state that a lineage after the first begins with, if this log begins it.
    var lineageStart: HistoryPoint?
    /// The transactions of the gap that the requested end lies in.
    var gap: ClosedRange<Int64>?
  }

  /// Goes on as if what was verified had been applied.
  private func pass(_ wanted: Wanted) {
    result.to = wanted.end
    result.transactions += wanted.transactions
    result.changes += wanted.changes
    result.snapshotObjects += wanted.snapshotObjects
  }

  /// Reads a log whole, and returns what of it is wanted.
  private func verify(_ file: LogFolder.File, _ chain: LogChain, _ tick: Tick) throws -> Wanted {
    let isOverlapping = file.range.lowerBound <= result.to.transaction
    let reader = try chain.open(file, after: isOverlapping ? nil : result.to)
    var wanted = Wanted(end: result.to)
    var isWanted = true
    while let transaction = try reader.next() {
      try checkDivergence(transaction, file.path)
      if transaction.operation == .snapshot, chain.lineage > 0,
        result.to == chain.beginning, transaction.id == result.to.transaction + 1
      {
        wanted.lineageStart = transaction.point(inLineage: chain.lineage)
      }
      switch request.until {
      case .head: break
      case .transaction(let id): isWanted = isWanted && transaction.id <= id
      case .time(let time): isWanted = isWanted && transaction.time <= time
      }
      if isWanted {
        add(transaction, to: &wanted, chain)
      } else if case .transaction(let id) = request.until, wanted.gap == nil, transaction.id > id,
        let first = transaction.gap?.first, first <= id
      {
        wanted.gap = first...transaction.id
      }
      if request.isDryRun, isWanted { progress.transactions += 1 }
      try tick(progress)
    }
    try chain.checkEnd(reader, file)
    return wanted
  }

  private func add(_ transaction: Transaction, to wanted: inout Wanted, _ chain: LogChain) {
    guard transaction.id > wanted.end.transaction,
      let end = transaction.point(inLineage: chain.lineage)
    else { return }
    wanted.end = end
    if wanted.end.transaction == wanted.lineageStart?.transaction {
      wanted.snapshotObjects += transaction.count
    } else {
      wanted.transactions += 1
      wanted.changes += transaction.count
    }
  }

  private func apply(
    _ wanted: Wanted,
    of file: LogFolder.File,
    _ chain: LogChain,
    isDirect: Bool,
    _ tick: Tick
  ) throws {
    let reader = try chain.open(file, after: nil)
    var next = reader.header.first
    if let start = wanted.lineageStart {
      try applySnapshot(reader, start, isDirect: isDirect, tick)
      result.to = start
      next = start.transaction + 1
    }
    try passOver(reader, from: next)
    let source = ReadAhead(reader)
    defer { source.stop() }
    let last = wanted.end.transaction
    while result.to.transaction < last,
      try replayBatch(source, reader.header, through: last, Self.batch, isDirect: isDirect, tick)
    {}
  }

  /// Replays transactions in one transaction of the replica; false where none came.
  private func replayBatch(
    _ source: ReadAhead,
    _ header: LogHeader,
    through last: Int64 = .max,
    _ limit: Int64 = .max,
    isDirect: Bool,
    _ tick: Tick,
    beforeCommit check: () throws -> Void = {}
  ) throws -> Bool {
    var changes: Int64 = 0
    var reached = result.to
    var count: Int64 = 0
    try withReplayer(header, isDirect: isDirect) { replayer in
      while changes < limit, reached.transaction < last {
        guard
          let transaction =
            try replayNext(source, replayer, next: reached.transaction + 1, tick),
          let point = transaction.point(inLineage: header.lineage)
        else { break }
        reached = point
        changes += transaction.count
        count += 1
      }
      try check()
    }
    guard reached != result.to else { return false }
    result.to = reached
    result.transactions += count
    result.changes += changes
    return true
  }

  private func replayNext(
    _ source: ReadAhead,
    _ replayer: Replayer,
    next: Int64,
    _ tick: Tick
  ) throws -> Transaction? {
    while let step = try source.next() {
      switch step {
      case .begin(let transaction, let count):
        try replayer.begin(transaction, count: count, first: next)
      case .changes(let changes, let range):
        for index in range {
          try replayer.apply(changes, at: index)
          progress.changes += 1
          if progress.changes & 0xfff == 0 { try tick(progress) }
        }
      case .end(let transaction):
        try replayer.end(transaction)
        progress.transactions += 1
        try tick(progress)
        return transaction
      }
    }
    return nil
  }

  // MARK: The store

  /// Takes an empty replica away, which was made of another lineage; false where that can't be.
  func removeEmpty() throws -> Bool {
    guard isEmpty, !request.isDryRun else { return false }
    replica = nil
    guard try Store.removeUnused(url) else { return false }
    result.isNew = true
    return true
  }

  /// Calls with what replays transactions of a log, in one transaction of the replica.
  ///
  /// The replica is made where there is none, and follows where the log has another schema. A direct
  /// replay does without its write-ahead log.
  func withReplayer(
    _ header: LogHeader,
    isDirect: Bool,
    _ body: (Replayer) throws -> Void
  ) throws {
    let content = { [blobs = request.logs.blobs] digest in try blobs.value(digest) }
    let replica = try replica ?? make(header.schema, lineage: header.lineage)
    guard replica.schema != header.schema else {
      self.replica = replica
      try replica.setWriteAheadLog(isUsed: !isDirect)
      return try replica.replay(content: content, body)
    }
    // Whoever changes tables has to be alone in this process.
    self.replica = nil
    defer {
      // Where it can't be opened, whoever needs it next opens it, and says why.
      if self.replica == nil { self.replica = try? Store.open(.file(url)) }
    }
    try Migration.replay(url, to: header.schema, content: content, body)
    self.replica = try Store.open(.file(url))
  }

  private func make(_ schema: StoreSchema, lineage: Int64) throws -> Store {
    let path = url.path(percentEncoded: false)
    // For the owner alone, as logs are, from the first moment on: what is made beside a store takes
    // the file's permissions.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // An empty file that is there is taken, and where there is no folder, it says so who opens it.
    guard descriptor >= 0 || errno == EEXIST || errno == ENOENT else {
      throw LogError(
        .inputOutput,
        "The replica \(request.store) can't be made: \(String(cString: strerror(errno))). Check the"
          + " folder and its permissions.",
        path: path
      )
    }
    if descriptor >= 0 {
      close(descriptor)
      isMade = true
    }
    do {
      return try Store.open(
        .file(url),
        schema: schema,
        options: Options(origin: ReplicaOrigin(identifier: identifier, lineage: lineage))
      )
    } catch {
      if descriptor >= 0 {
        unlink(path)
        isMade = false
      }
      throw error
    }
  }
}

extension Reader {
  /// The links that lead to nothing.
  fileprivate func danglingLinks() throws -> Int64 {
    let check = try connection.prepare("SELECT count(*) FROM pragma_foreign_key_check")
    return try check.step() ? check.int64(at: 0) : 0
  }
}
