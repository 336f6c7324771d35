import ChangeLog
import Format
import FoundationEssentials
import Pipeline
import Store

/// The stores whose states are read together, each opened once.
///
/// If a store had two readers that were opened one after the other, they would leave its files `-wal`
/// and `-shm`.
final class OpenedStores {
  private var stores: [String: Store] = [:]

  func store(at path: String) throws -> Store {
    let place = URL(fileURLWithPath: path).standardizedFileURL.path
    let store = try stores[place] ?? readableStore(path)
    stores[place] = store
    return store
  }
}

/// The facts about a history that are needed after its source was closed.
///
/// A source that is a store must be closed before the export, because the export could switch the
/// store to a write-ahead log.
struct Past {
  let name: String
  let outline: HistoryOutline
  let last: Int64
  let state: HistoryState

  init(_ history: History) throws {
    try history.checkIsWhole()
    name = history.name
    outline = history.outline
    last = history.last
    state = try history.source.state()
  }

  /// What a closure reads of the state in its store; nil if only a restore shows the state.
  ///
  /// - Throws: ``PipelineError`` if neither the store nor a restore shows it.
  func inPlace<Result>(_ read: () throws -> Result) throws -> Result? {
    do {
      return try read()
    } catch let error as StoreError where error.code == .irreversible && outline.base == 0 {
      return nil
    } catch let error as StoreError where error.code == .historyExpired && outline.base == 0 {
      throw PipelineError(.historyExpired) { error.wording }
    } catch let error as StoreError where [.irreversible, .historyExpired].contains(error.code) {
      throw PipelineError(.historyExpired) {
        "\(outline.path) keeps history from transaction \(outline.base + 1) on, and can't show the"
          + " state at transaction \(last): \(error.message)"
          + "\nOnly logs can show that state: name LOGS@\(last) instead of \(name)."
      }
    }
  }
}

func makeReplica(of history: Past, in folder: URL, tick: Tick) throws -> Store {
  let url = folder.appendingPathComponent("state.store")
  guard history.last > 0 else {
    return try Store.open(.file(url), schema: history.outline.schemas[0])
  }
  var request = ImportRequest(logs: try logs(of: history, in: folder, tick: tick), store: url.path)
  request.origin = history.outline.store
  request.lineage = history.outline.lineage
  request.until = .transaction(history.last)
  request.allowsUnproven = true
  do {
    _ = try importLogs(request, tick: tick)
  } catch let error as PipelineError {
    throw error.naming { $0.replacing(request.store, with: history.name) }
  }
  return try readableStore(url.path)
}

/// Returns the logs from which a state can be built.
///
/// If the history is in a store, the history is first exported to temporary logs.
private func logs(of history: Past, in folder: URL, tick: Tick) throws -> LogFolder {
  let outline = history.outline
  let logs = LogFolder(folder.appendingPathComponent("logs").path)
  guard history.state == .folder || outline.base == 0 else {
    throw PipelineError(.missing) {
      "The history of \(outline.path) begins after transaction \(outline.base), so it does not show"
        + " the state at transaction \(history.last)."
        + "\nName the head of the store, or a log folder that contains the earlier transactions."
    }
  }
  switch history.state {
  case .folder: return LogFolder(outline.path)
  case .log:
    let name = LogName(
      store: outline.store,
      lineage: outline.lineage,
      day: "1970-01-01",
      range: 1...outline.head
    )
    let link = URL(fileURLWithPath: logs.path + "/" + name.path)
    try FileManager.default.createDirectory(
      at: link.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    let log = URL(fileURLWithPath: outline.path).resolvingSymlinksInPath()
    // A log that is a symbolic link is not read. The log may be on another disk, or of another user.
    do {
      try FileManager.default.linkItem(at: log, to: link)
    } catch {
      try FileManager.default.copyItem(at: log, to: link)
    }
  case .store:
    try logs.create()
    var request = ExportRequest(store: outline.path, logs: logs)
    request.until = .transaction(history.last)
    request.level = 1
    request.trustsToken = true
    _ = try export(request, tick: tick)
  }
  return logs
}
