import ChangeLog
import Format
import Store

/// These methods select the logs of an import.
extension ImportRequest {
  func originIdentifier(for replica: Store?) throws -> String {
    let stores = try logs.stores()
    if let origin, !stores.contains(origin) {
      throw noLogs(of: "the store \(origin)", in: logs, others: stores)
    }
    if let replica {
      if let origin, origin != replica.identifier {
        throw PipelineError(.otherStore) {
          "The store \(store) is a replica of \(replica.identifier), not of \(origin)."
            + "\nName a file that does not exist yet; import creates the replica in it."
        }
      }
      guard stores.contains(replica.identifier) else {
        throw PipelineError(.otherStore) {
          "\(store) is a replica of \(replica.identifier), and there are no logs of that store in"
            + " \(logs.path).\nName the folder with the logs of that store."
        }
      }
    }
    if let known = origin ?? replica?.identifier { return known }
    guard let store = stores.first else { throw noLogs(logs.path) }
    guard stores.count == 1 else { throw severalStores(stores, in: logs) }
    return store
  }

  // MARK: The lineage

  /// The logs of the lineage that contains the requested end.
  ///
  /// For a new replica, the result is the given lineage or the latest lineage. If this lineage
  /// begins after the requested end, the result is an earlier lineage, which has the same history
  /// up to that end. For an existing replica, the result is the lineage of the replica.
  func chain(for replica: Replica) throws -> LogChain {
    let identifier = replica.identifier
    let lineages = try logs.lineages(of: identifier)
    if let named = lineage, !lineages.contains(named) {
      throw noLogs(
        of: "lineage \(named) of the store \(identifier)",
        in: logs,
        others: lineages.map { "lineage \($0)" }
      )
    }
    let own = replica.head.lineage
    guard let wanted = lineage ?? lineages.last, replica.isEmpty || wanted != own else {
      return try LogChain(logs, store: identifier, lineage: own)
    }
    guard replica.isEmpty || wanted > own else {
      throw PipelineError(.missingLogs) {
        "The replica \(store) needs the logs of lineage \(own)."
          + " \(lineage != nil ? "The named logs have" : "The logs in \(logs.path) end with")"
          + " lineage \(wanted).\nCopy the logs of lineage \(own) into the folder."
      }
    }
    let chain = try chain(of: identifier, from: wanted, lineages: lineages)
    guard try replica.isNew || chain.lineage == own || replica.removeEmpty() else {
      let folder = lineages.contains(own) ? logs.lineageFolder(identifier, lineage: own) : nil
      throw PipelineError(.historyDiverged) {
        "The replica \(store) follows lineage \(own), but the logs in \(logs.path) continue in"
          + " lineage \(wanted), which began when the store was restored from an older copy."
          + "\nTo create a new replica, name a file that does not exist"
          + " yet.\(folder.map { " To stay in lineage \(own), name \($0)." } ?? "")"
      }
    }
    return chain
  }

  /// The logs of a lineage.
  ///
  /// If the requested end is before the given lineage, the logs are those of the earlier lineage
  /// that contains this end.
  private func chain(of store: String, from latest: Int64, lineages: [Int64]) throws -> LogChain {
    var chain = try LogChain(logs, store: store, lineage: latest)
    var parting: Int64?
    while let parent = try lineageBefore(chain, lineages: lineages) {
      parting = chain.files.first?.range.lowerBound ?? chain.snapshots.first?.range.lowerBound
      chain = try LogChain(logs, store: store, lineage: parent)
    }
    if let parting { try checkIsCommon(chain, parting: parting, latest: latest) }
    return chain
  }

  /// The number of the earlier lineage that a lineage continues.
  ///
  /// The result is nil if the earlier lineage has no logs, or if the requested end is in the given
  /// lineage.
  private func lineageBefore(_ chain: LogChain, lineages: [Int64]) throws -> Int64? {
    guard until != .head, chain.lineage != lineages.first else { return nil }
    guard let file = chain.files.first, try chain.beginsLineage() else {
      guard try snapshot(of: chain, before: chain.files.first?.range.lowerBound) == nil else {
        return nil
      }
      return lineages.last { $0 < chain.lineage }
    }
    if case .transaction(let id) = until, id >= file.range.lowerBound { return nil }
    let first = try chain.open(file, after: nil).next()
    if case .time(let time) = until, let first, first.time <= time { return nil }
    return lineages.first { $0 == first?.lineageOrigin?.parent }
  }

  /// Throws if the earlier lineage has transactions after the fork and up to the requested time.
  ///
  /// The latest lineage does not contain the transactions of the earlier lineage after the fork.
  /// Therefore a time after the fork is ambiguous: the two lineages have different states at this
  /// time.
  private func checkIsCommon(_ chain: LogChain, parting: Int64, latest: Int64) throws {
    guard case .time(let time) = until, !chain.files.isEmpty else { return }
    let history: History
    do {
      let source = try FolderHistory(logs, store: chain.store, lineage: chain.lineage)
      history = try History(name: logs.path, source: source, at: until)
    } catch let error as PipelineError where error.code == .historyExpired {
      // The requested time is before the first log, and so before the fork.
      return
    }
    // A lineage that begins with a later state does not say when it began. So a time after the end
    // of the earlier lineage can be a time in both lineages.
    let isAfterEnd = history.last == history.outline.head && history.last < parting
    guard history.last > parting || isAfterEnd else { return }
    let lineage = chain.lineage
    throw PipelineError(.historyDiverged) {
      "The time \(time) is ambiguous: at this time, lineage \(lineage) in \(logs.path) was at"
        + " transaction \(history.last), but lineage \(latest) contains the transactions of lineage"
        + " \(lineage) only up to \(parting)."
        + "\nName a transaction up to \(parting), or an earlier time. For the state of lineage"
        + " \(lineage), name its folder: \(logs.lineageFolder(chain.store, lineage: lineage))."
    }
  }

  // MARK: The snapshot

  /// The snapshot with which a new replica begins, if the request requires one or if the logs lack
  /// the beginning of history.
  func firstSnapshot(of chain: LogChain) throws -> LogFolder.File? {
    let first = chain.files.first?.range.lowerBound
    let beginsLineage = try chain.beginsLineage()
    guard fromSnapshot || !beginsLineage else { return nil }
    // Without logs, there is only the state of a snapshot; otherwise the oldest one keeps all history.
    let file = try snapshot(of: chain, before: first, isOldest: !fromSnapshot && first != nil)
    guard file == nil, !beginsLineage else { return file }
    guard let first else {
      throw PipelineError(.missingLogs) {
        "The folder of the store \(chain.store) in \(logs.path) contains no logs."
          + "\nCopy the logs into the folder, or export the store after its first transaction."
      }
    }
    throw PipelineError(.missingLogs) {
      "The logs in \(logs.path) begin with transaction \(first), and there is no snapshot of the"
        + " state before this transaction\(until == .head ? "" : " and before \(until)")."
        + "\nCopy the logs from the first transaction on, or a snapshot, into the folder."
    }
  }

  /// The newest or the oldest snapshot with which the import can begin.
  func snapshot(
    of chain: LogChain,
    before first: Int64?,
    isOldest: Bool = false
  ) throws -> LogFolder.File? {
    func isUsable(_ file: LogFolder.File) throws -> Bool {
      let id = file.range.lowerBound
      if let first, id < first - 1 { return false }
      switch until {
      case .head: return true
      case .transaction(let last): return id <= last
      case .time(let time):
        let reader = try chain.open(file, after: nil)
        return try reader.next().map { $0.time <= time } ?? false
      }
    }
    return try isOldest
      ? chain.snapshots.first(where: isUsable) : chain.snapshots.last(where: isUsable)
  }
}
