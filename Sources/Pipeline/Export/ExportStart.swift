import ChangeLog
import Changes
import Store

/// Where an export begins, by the token and the logs that there are.
enum ExportStart {
  /// At the first transaction of history.
  case beginning
  /// With the state of the store, because history does not reach back.
  case snapshot
  /// After what was exported before.
  case after(HistoryPoint)
}

extension ExportStart {
  /// Finds out where to begin; a notice says what was not as it should be, and is mended.
  init(
    _ request: ExportRequest,
    reader: Reader,
    store: Store,
    notices: inout [Notice]
  ) throws {
    let identifier = store.identifier
    let name = request.tokenName(identifier)
    if request.stream != nil || request.trustsToken {
      // What went into a stream is somewhere else: the token alone tells what that was.
      let point = try request.token.flatMap { try readToken($0) }?.points[name]
      self = try Self.forStream(point, reader: reader, request: request)
      return
    }
    let end = try request.logs.end(of: identifier)
    if request.startsNewFolder {
      guard end == nil else { throw request.error(.hasLogs) }
      self = try Self.first(request, reader: reader, notices: &notices)
      return
    }
    let token = try request.readTokenState(of: identifier)
    try request.checkLogs(token, end: end, reader: reader)
    if let damage = token.damage {
      notices.append(.tokenWasDamaged(token.path, "\(damage)"))
    }
    if request.logs.partial != nil {
      self = try Self.forPartial(
        token.point,
        end: end,
        request: request,
        reader: reader,
        store: store,
        notices: &notices
      )
      return
    }
    /// Where the logs end, as they prove by themselves, or from a point on.
    func verifiedEnd(after known: HistoryPoint? = nil) throws -> HistoryPoint {
      try LogChain(request.logs, store: identifier, lineage: end?.lineage ?? 0)
        .verifiedEnd(after: known)
    }
    // As docs/TOKENS.md has it, for all that `checkLogs` lets through.
    switch (end, token.point) {
    case (nil, _):
      self = try Self.first(request, reader: reader, notices: &notices)
    case (let end?, let point?) where end == (point.lineage, point.transaction):
      if try reader.has(point) {
        self = .after(point)
      } else {
        // If the logs agree with the token, the store is the one that differs.
        let rebuilt = try verifiedEnd()
        if rebuilt != point { notices.append(.tokenWasAltered(point.transaction)) }
        self = .after(rebuilt)
      }
    case (let end?, let point?) where point.lineage == end.lineage && point.transaction > 0:
      do {
        let rebuilt = try verifiedEnd(after: point)
        notices.append(.tokenWasBehind(point, rebuilt))
        self = .after(rebuilt)
      } catch let error as LogError where error.code == .damaged {
        // If the store continues sound logs, the token is what was altered.
        let rebuilt = try verifiedEnd()
        guard try reader.has(rebuilt) else { throw error }
        notices.append(.tokenWasAltered(point.transaction))
        self = .after(rebuilt)
      }
    case (_?, let point?):
      // Of an earlier lineage, or of a run that was stopped before its first log was whole.
      let rebuilt = try verifiedEnd()
      notices.append(.tokenWasBehind(point, rebuilt))
      self = .after(rebuilt)
    case (_?, nil):
      let rebuilt = try verifiedEnd()
      notices.append(.tokenWasMissing(end: rebuilt.transaction))
      self = .after(rebuilt)
    }
  }

  /// Logs with something left out may end before what the token says, because there was nothing more
  /// for them; where they end after it, a program was stopped before it had moved the token.
  private static func forPartial(
    _ point: HistoryPoint?,
    end: (lineage: Int64, transaction: Int64)?,
    request: ExportRequest,
    reader: Reader,
    store: Store,
    notices: inout [Notice]
  ) throws -> ExportStart {
    let end = end.flatMap { $0.lineage == store.lineage ? $0.transaction : nil }
    let known = point.flatMap { $0.lineage == store.lineage ? $0 : nil }
    if let known, known.transaction >= end ?? 0 {
      return known.transaction > 0 ? .after(known) : .beginning
    }
    guard let end else { return try first(request, reader: reader, notices: &notices) }
    notices.append(.tokenWasRebuilt(end: end))
    return .after(try reader.point(end))
  }

  private static func forStream(
    _ point: HistoryPoint?,
    reader: Reader,
    request: ExportRequest
  ) throws -> ExportStart {
    if let point, point.transaction > 0 { return .after(point) }
    guard try reader.reachesBack() else {
      throw request.error(.streamHasNoBeginning)
    }
    return .beginning
  }

  /// Where the first logs in a folder begin.
  private static func first(
    _ request: ExportRequest,
    reader: Reader,
    notices: inout [Notice]
  ) throws -> ExportStart {
    if try reader.reachesBack() { return .beginning }
    guard request.logs.partial != nil else { return .snapshot }
    let base = try reader.historyRange().base
    notices.append(.logsBeginAfter(base.transaction, of: request.store))
    return base.transaction > 0 ? .after(base) : .beginning
  }
}

extension Reader {
  /// False if the store has another history than that of a point, for all that can be told.
  fileprivate func has(_ point: HistoryPoint) throws -> Bool {
    do {
      try check(point)
    } catch let error as StoreError where error.code == .historyDiverged {
      return false
    } catch let error as StoreError where error.code == .historyExpired {
      return true
    }
    return true
  }

  /// Whether history begins with the first transaction, and has all of them.
  func reachesBack() throws -> Bool {
    try historyRange().base.transaction == 0 && lastDeletedTransaction() == nil
  }
}
