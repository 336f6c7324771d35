import ChangeLog
import Format
import FoundationEssentials
import Pipeline
import Store

/// The state of a store at a point of its history, as a store that can be read.
///
/// The present state of a store is read directly. An import builds any other state in a temporary
/// folder. If the store's history lacks its beginning, transactions are reverted in a copy of the
/// store instead. The folder is removed when this object is released.
package final class StoreState {
  /// The text with which the user named the state.
  package let name: String
  package let schema: StoreSchema
  /// A reader of the state.
  ///
  /// The reader has a companion, a second reader of the same state, unless another program writes
  /// again and again.
  package let reader: Reader
  private let store: Store
  private let folder: TemporaryFolder?

  /// Opens or builds the state that a text names.
  package init(_ name: String, tick: Tick = { _ in }) throws {
    self.name = name
    if let path = try History.storeAtHead(name) {
      folder = nil
      store = try readableStore(path)
    } else {
      let past = try Past(History(name))
      let folder = try TemporaryFolder()
      self.folder = folder
      store = try makeReplica(of: past, in: URL(fileURLWithPath: folder.path), tick: tick)
    }
    schema = store.schema
    reader = try store.takeReaderWithCompanion()
  }

  /// Opens or builds two states, which may be states of one store.
  ///
  /// A state that must be built is built first, so the history that it is built from is closed
  /// before the other state is opened. If both were open, one store could have two readers and no
  /// writer. Such readers leave the files `-wal` and `-shm`, even if the store has no write-ahead
  /// log.
  package static func pair(
    _ first: String,
    _ second: String,
    tick: Tick = { _ in }
  ) throws -> (first: StoreState, second: StoreState) {
    guard try History.storeAtHead(first) != nil else {
      return (try StoreState(first, tick: tick), try StoreState(second, tick: tick))
    }
    let other = try StoreState(second, tick: tick)
    return (try StoreState(first, tick: tick), other)
  }

  deinit { store.giveBack(reader) }
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
}

func makeReplica(of history: Past, in folder: URL, tick: Tick) throws -> Store {
  let url = folder.appendingPathComponent("state.store")
  guard history.last > 0 else {
    return try Store.open(.file(url), schema: history.outline.schemas[0])
  }
  if history.state == .store, history.outline.schema.hasReadablePast {
    return try adoptedState(history, in: folder, tick: tick)
  }
  if history.state == .store, history.outline.base > 0 {
    return try rewound(history, at: url, tick: tick)
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

private func adoptedState(_ history: Past, in folder: URL, tick: Tick) throws -> Store {
  let path = history.outline.path
  let (state, reached) = try Pipeline.adoptedState(
    of: readableStore(path),
    after: history.last,
    in: folder.path,
    tick: tick
  )
  guard reached == history.last else {
    let reason = "Transaction \(reached) recorded tables again, or earlier history was deleted."
    throw notRewound(history, base: reached, because: reason)
  }
  return state
}

/// Builds a state of a store whose history lacks its beginning: reverts transactions in a copy of
/// the store.
private func rewound(_ history: Past, at url: URL, tick: Tick) throws -> Store {
  let path = history.outline.path
  var progress = Progress()
  do {
    try readableStore(path)
      .copy(to: url)
    try Store.rewind(url, to: history.last) {
      try progress.countChange(tick)
    }
  } catch let error as StoreError where [.irreversible, .historyExpired].contains(error.code) {
    let reason = error.naming(path, insteadOf: url.path).message
    throw notRewound(history, base: history.outline.base, because: reason)
  }
  return try readableStore(url.path)
}

private func notRewound(_ history: Past, base: Int64, because reason: String) -> PipelineError {
  let path = history.outline.path
  return PipelineError(.historyExpired) {
    "\(path) keeps history from transaction \(base + 1) on, and can't show the state at transaction"
      + " \(history.last): \(reason)"
      + "\nOnly logs can show that state: travelog diff LOGS@\(history.last) \(path)"
  }
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
    try FileManager.default.createSymbolicLink(
      at: link,
      withDestinationURL: URL(fileURLWithPath: outline.path)
    )
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
