import ChangeLog
import Format
import Store

/// The point at which an export begins, according to the token and the logs.
enum ExportStart {
  case beginning
  /// The export begins with a snapshot, because the beginning of history was deleted.
  case snapshot
  case after(HistoryPoint)
}

extension ExportStart {
  /// Decides where the export begins.
  ///
  /// If the token was repaired, a notice describes the repair.
  init(
    _ request: ExportRequest,
    reader: Reader,
    store: Store,
    notices: inout [Finding]
  ) throws {
    let identifier = store.identifier
    let name = request.tokenName(identifier)
    if request.stream != nil || request.trustsToken {
      // An export can't read the logs that an earlier export wrote to a stream. Only a token that
      // the request names says where the earlier export ended.
      let point = try request.token.flatMap { try readToken($0) }?.points[name]
      self = try Self.forStream(point, reader: reader, request: request)
      return
    }
    let end = try request.logs.end(of: identifier)
    if request.startsNewFolder {
      guard end == nil else {
        throw PipelineError(.misuse) {
          "\(request.logs.path) already has logs of \(request.store)."
            + "\nLeave out --new-folder to continue these logs, or name another folder."
        }
      }
      self = try Self.first(request, reader: reader, notices: &notices)
      return
    }
    let token = try request.readTokenState(of: identifier)
    try request.checkLogs(token, end: end, reader: reader)
    if let damage = token.damage {
      let reason = (damage as? StoreError)?.message ?? (damage as? LogError)?.message
      notices.append(Finding(.tokenWasDamaged(reason ?? "\(damage)"), path: token.path))
    }
    if request.logs.partial != nil {
      self = try Self.forFiltered(
        token.point,
        end: end,
        request: request,
        reader: reader,
        store: store,
        notices: &notices
      )
      return
    }
    /// Verifies all logs, or only the logs after a point, and returns the point at the end of the
    /// logs.
    func verifiedEnd(after known: HistoryPoint? = nil) throws -> HistoryPoint {
      try LogChain(request.logs, store: identifier, lineage: end?.lineage ?? 0)
        .verifiedEnd(after: known)
    }
    // The table in docs/TOKENS.md lists the cases of tokens and logs. In the cases that are missing
    // here, `checkLogs` throws.
    switch (end, token.point) {
    case (nil, _):
      self = try Self.first(request, reader: reader, notices: &notices)
    case (let end?, let point?) where end == (point.lineage, point.transaction):
      if try reader.has(point) {
        self = .after(point)
      } else {
        // The store does not have the point in the token. If the logs end at this point, the store
        // was restored from an older copy; otherwise the token was altered.
        let rebuilt = try verifiedEnd()
        if rebuilt != point {
          notices.append(Finding(.tokenWasAltered, transaction: point.transaction))
        }
        self = .after(rebuilt)
      }
    case (let end?, let point?) where point.lineage == end.lineage && point.transaction > 0:
      do {
        let rebuilt = try verifiedEnd(after: point)
        notices.append(Finding(.tokenWasBehind(point, rebuilt)))
        self = .after(rebuilt)
      } catch let error as LogError where error.code == .damaged {
        // Either the logs are damaged, or the token is wrong. If all logs are sound and the store
        // continues them, the token is wrong.
        let rebuilt = try verifiedEnd()
        guard try reader.has(rebuilt) else { throw error }
        notices.append(Finding(.tokenWasAltered, transaction: point.transaction))
        self = .after(rebuilt)
      }
    case (_?, let point?):
      // The token belongs to an earlier lineage, or to a run that was interrupted before its first log.
      let rebuilt = try verifiedEnd()
      notices.append(Finding(.tokenWasBehind(point, rebuilt)))
      self = .after(rebuilt)
    case (_?, nil):
      let rebuilt = try verifiedEnd()
      notices.append(Finding(.tokenWasMissing(end: rebuilt.transaction)))
      self = .after(rebuilt)
    }
  }

  /// Filtered logs can end before the token, because the filter left later transactions out.
  ///
  /// Filtered logs can also end after the token, if a run was interrupted before it updated the
  /// token.
  private static func forFiltered(
    _ point: HistoryPoint?,
    end: (lineage: Int64, transaction: Int64)?,
    request: ExportRequest,
    reader: Reader,
    store: Store,
    notices: inout [Finding]
  ) throws -> ExportStart {
    let end = end.flatMap { $0.lineage == store.lineage ? $0.transaction : nil }
    let known = point.flatMap { $0.lineage == store.lineage ? $0 : nil }
    if let known, known.transaction >= end ?? 0 {
      return known.transaction > 0 ? .after(known) : .beginning
    }
    guard let end else { return try first(request, reader: reader, notices: &notices) }
    notices.append(Finding(.tokenWasRebuilt(end: end)))
    return .after(try reader.point(end))
  }

  private static func forStream(
    _ point: HistoryPoint?,
    reader: Reader,
    request: ExportRequest
  ) throws -> ExportStart {
    if let point, point.transaction > 0 { return .after(point) }
    let beginsWithState = try reader.adoptedStart() != nil
    // The logs of an adopted file begin with a snapshot, which is a separate file.
    if beginsWithState, request.stream == nil { return .snapshot }
    guard try !beginsWithState && reader.lastMissingTransaction() == 0 else {
      throw PipelineError(.historyExpired) {
        (beginsWithState
          ? "The history of \(request.store) begins with the state at its adoption, and a stream has no"
            + " such state."
          : "\(request.store) no longer has its whole history, but a stream must begin with the first"
            + " transaction.")
          + "\nExport to a folder; the logs in a folder can begin with the state of the store. With the"
          + " token of the folder, a stream has the later transactions."
      }
    }
    return .beginning
  }

  private static func first(
    _ request: ExportRequest,
    reader: Reader,
    notices: inout [Finding]
  ) throws -> ExportStart {
    let adopted = try reader.adoptedStart()
    let missing = try reader.lastMissingTransaction()
    if adopted == nil, missing == 0 { return .beginning }
    guard request.logs.partial != nil else {
      if let adopted, let oldest = try reader.historyRange().oldest, !request.startsNewFolder,
        try reader.hasChanges(before: adopted)
      {
        let (ids, store, logs) = (oldest...adopted - 1, request.store, request.logs.path)
        throw PipelineError(.historyExpired) {
          "\(rangeText(ids)) of \(store) can't be written to logs, because transaction \(adopted)"
            + " recorded tables again whose earlier rows are not known. The history of \(store)"
            + " keeps \(ids.count == 1 ? "it" : "them")."
            + "\nTo begin the logs in \(logs) with the state after transaction \(adopted), run"
            + " “travelog export \(store) --to \(logs) --new-folder”."
        }
      }
      return .snapshot
    }
    let base = max(missing, adopted ?? 0)
    notices.append(Finding(.logsBeginAfter(base, of: request.store)))
    return base > 0 ? .after(try reader.point(base)) : .beginning
  }
}

extension Reader {
  /// Whether the store's history agrees with a point.
  ///
  /// If the transaction of the point was deleted from history, the result is true.
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
}
