import ChangeLog
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
    _ reader: Reader,
    store: Store,
    _ notices: inout [String]
  ) throws {
    let identifier = store.identifier
    let name = request.tokenName(identifier)
    if request.stream != nil || request.trustsToken {
      // What went into a stream is somewhere else: the token alone tells what that was.
      let point = try request.token.flatMap { try readToken($0) }?.points[name]
      self = try Self.forStream(point, reader, request)
      return
    }
    let path = request.token ?? request.logs.token(of: identifier)
    let end = try request.logs.end(of: identifier)
    var point: HistoryPoint?
    do {
      point = try readToken(path)?.points[name]
    } catch  where isDamagedToken(error) {
      guard end != nil else {
        throw PipelineError(
          .missingLogs,
          "The token \(path) can't be read (\(error)), and there are no logs of the store"
            + " \(identifier) in \(request.logs.path) to make it anew from.",
          hint: "Name the folder that has the logs; to begin anew, remove the token."
        )
      }
      notices.append("The token \(path) could not be read: \(error)")
    }
    if request.logs.partial != nil {
      self = try Self.forPartial(point, end, request, reader, store, &notices)
      return
    }
    guard let end else {
      guard let point, point.transaction > 0 else {
        self = try reader.reachesBack() ? .beginning : .snapshot
        return
      }
      throw Self.missing(request, point, "there are no logs of the store in \(request.logs.path)")
    }
    if let point, (point.lineage, point.transaction) > (end.lineage, end.transaction) {
      throw Self.missing(
        request,
        point,
        "the logs in \(request.logs.path) end at transaction \(end.transaction)"
          + (point.lineage == end.lineage ? "" : " of lineage \(end.lineage)")
      )
    }
    if let point, point.lineage == end.lineage, point.transaction == end.transaction,
      try reader.has(point)
    {
      self = .after(point)
      return
    }
    let chain = try LogChain(request.logs, store: identifier, lineage: end.lineage)
    let isAtEnd = point.map { ($0.lineage, $0.transaction) == (end.lineage, end.transaction) }
    let known = point.flatMap { $0.lineage == end.lineage && isAtEnd == false ? $0 : nil }
    let rebuilt: HistoryPoint
    // Where the logs have the same at their end, the store is another.
    let isAltered: Bool
    do {
      rebuilt = try chain.verifiedEnd(after: known)
      isAltered = isAtEnd == true && rebuilt != point
    } catch let error as LogError where error.code == .damaged && known != nil {
      rebuilt = try chain.verifiedEnd(after: nil)
      // Where the store goes on after sound logs, the token is what was altered.
      guard try reader.has(rebuilt) else { throw error }
      isAltered = true
    }
    if let point, isAltered || isAtEnd == true {
      if isAltered {
        notices.append(
          "The token had another digest of transaction \(point.transaction) than the logs: it was made"
            + " anew from them."
        )
      }
      self = .after(rebuilt)
      return
    }
    notices.append(
      point == nil
        ? "There was no token: it was made anew from the logs, which are whole up to transaction"
          + " \(rebuilt.transaction)."
        : "The token was behind the logs: it was at transaction \(point?.transaction ?? 0)"
          + (known == nil ? " of lineage \(point?.lineage ?? 0)" : "")
          + ", and they are whole up to transaction \(rebuilt.transaction)"
          + (known == nil ? " of lineage \(rebuilt.lineage)." : ".")
    )
    self = .after(rebuilt)
  }

  /// Logs with something left out may end before what the token says, because there was nothing more
  /// for them; where they end after it, a program was stopped before it had moved the token.
  private static func forPartial(
    _ point: HistoryPoint?,
    _ end: (lineage: Int64, transaction: Int64)?,
    _ request: ExportRequest,
    _ reader: Reader,
    _ store: Store,
    _ notices: inout [String]
  ) throws -> ExportStart {
    let end = end.flatMap { $0.lineage == store.lineage ? $0.transaction : nil }
    let known = point.flatMap { $0.lineage == store.lineage ? $0 : nil }
    if let known, known.transaction >= end ?? 0 {
      return known.transaction > 0 ? .after(known) : .beginning
    }
    guard let end else {
      if try reader.reachesBack() { return .beginning }
      let base = try reader.historyRange().base
      notices.append(
        "The history of \(request.store) does not reach back to its beginning, so that the logs begin"
          + " after transaction \(base.transaction)."
      )
      return base.transaction > 0 ? .after(base) : .beginning
    }
    notices.append(
      "The token was not there or behind the logs: it was made anew from them, which end at"
        + " transaction \(end)."
    )
    return .after(try reader.point(end))
  }

  private static func forStream(
    _ point: HistoryPoint?,
    _ reader: Reader,
    _ request: ExportRequest
  ) throws -> ExportStart {
    if let point, point.transaction > 0 { return .after(point) }
    guard try reader.reachesBack() else {
      throw PipelineError(
        .historyExpired,
        "The history of \(request.store) does not reach back to its beginning, and a stream begins"
          + " there.",
        hint: "Export to a folder, which begins with the state of the store."
      )
    }
    return .beginning
  }

  private static func missing(
    _ request: ExportRequest,
    _ point: HistoryPoint,
    _ what: String
  ) -> PipelineError {
    PipelineError(
      .missingLogs,
      "Logs are missing: the token says that \(request.store) was exported up to transaction"
        + " \(point.transaction), and \(what).",
      hint: "Bring the logs back, or name the folder that has them. To begin anew with an empty"
        + " folder, remove the token."
    )
  }
}

extension Reader {
  /// False where the store has another history than that of a point, for all that can be told.
  fileprivate func has(_ point: HistoryPoint) throws -> Bool {
    do {
      try checkContinuation(after: point)
    } catch let error as StoreError where error.code == .historyDiverged {
      return false
    } catch let error as StoreError where error.code == .historyExpired {
      return true
    }
    return true
  }

  /// True where history begins with the first transaction, and has all of them.
  func reachesBack() throws -> Bool {
    try historyRange().base.transaction == 0 && lastDeletedTransaction() == nil
  }
}

extension LogFolder {
  /// The last transaction that the names of a store's logs promise, of the latest lineage.
  func end(of store: String) throws -> (lineage: Int64, transaction: Int64)? {
    for lineage in try lineages(of: store).reversed() {
      let files = try files(of: store, lineage: lineage) + snapshots(of: store, lineage: lineage)
      if let last = files.map(\.range.upperBound).max() { return (lineage, last) }
    }
    return nil
  }
}
