import ChangeLog
import Format
import FoundationEssentials
import Pipeline
import Store

/// The states of stores at points, with names, for statements that read them together.
///
/// The rows of a store's earlier state are computed from its present rows and its history, in place.
/// Logs, and a store before a migration, are restored in a temporary folder.
package final class QueriedStates {
  package struct Named {
    /// The name in statements.
    package let name: String
    /// The text with which the user named the state.
    package let text: String
    package let state: PastState
    /// The last transaction of the state, if its end is only assumed.
    package fileprivate(set) var assumedEnd: Int64?
    /// The number of commits that are in no transaction, because no trigger captured them; their
    /// changes are in all states.
    package fileprivate(set) var uncapturedCommits: Int64 = 0
    /// The transaction of the snapshot with which the state begins, if nothing proves the snapshot.
    package fileprivate(set) var unprovenStart: Int64?
  }

  package private(set) var states: [Named] = []
  private let stores = OpenedStores()
  private var readers: [(Store, Reader)] = []
  private var folders: [TemporaryFolder] = []

  /// Opens states.
  ///
  /// - Parameters:
  ///   - points: The states, each with its name in statements. The first one gets the name `main`.
  ///   - tick: Called while history is read; its error ends the call, or the statement.
  /// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
  package init(_ points: [(name: String, text: String)], tick: @escaping Tick = { _ in }) throws {
    // Each history is closed before its store is opened for its rows.
    let places = try points.map { try Place($0.text) }
    for ((name, text), place) in zip(points, places) {
      let (state, isAssumed) = try describingErrorsOfFiles { try open(place, tick: tick) }
      var named = Named(name: name, text: text, state: state)
      named.uncapturedCommits = place.past?.outline.uncapturedCommits ?? 0
      named.assumedEnd = isAssumed ? place.past?.last : nil
      named.unprovenStart = try place.past.flatMap {
        try place.logs?.folder.unprovenStart(through: $0.last)
      }
      states.append(named)
    }
  }

  deinit {
    states = []
    for (store, reader) in readers { store.giveBack(reader) }
  }

  /// Where the rows of a state are.
  private struct Place {
    let path: String
    /// The history up to the point; nil for the rows that exist now.
    let past: Past?
    /// The logs of a folder, which stay open.
    var logs: (folder: FolderHistory, history: History)?

    init(_ text: String) throws {
      if let path = try History.storeAtHead(text) {
        (self.path, past) = (path, nil)
      } else {
        let history = try History(text)
        let past = try Past(history)
        (path, self.past) = (past.outline.path, past)
        if let folder = history.source as? FolderHistory { logs = (folder, history) }
      }
    }
  }

  private func open(_ place: Place, tick: @escaping Tick) throws -> (PastState, isAssumed: Bool) {
    guard let past = place.past else {
      return (try state(of: stores.store(at: place.path), after: nil, tick: tick), false)
    }
    func inStore() throws -> (PastState, isAssumed: Bool) {
      let store = try stores.store(at: place.path)
      let state = try state(of: store, after: past.last, tick: tick)
      return (state, try readers.last?.1.transaction(past.last)?.hasAssumedEnd ?? false)
    }
    if past.state == .store, let state = try past.inPlace(inStore) { return state }
    return (try replayed(place, past, tick: tick) ?? restored(past, tick: tick), false)
  }

  /// A state whose rows are made from logs, only of the tables that statements use; nil if only an
  /// import makes them.
  private func replayed(
    _ place: Place,
    _ past: Past,
    tick: @escaping Tick
  ) throws -> PastState? {
    guard let (folder, history) = place.logs, past.last > 0, try history.throughGap() == nil,
      let replay = try folder.replay(through: past.last)
    else { return nil }
    let url = try temporaryFolder().appendingPathComponent("empty.store")
    let origin = ReplicaOrigin(identifier: past.outline.store, lineage: past.outline.lineage)
    let store = try Store.open(
      .file(url),
      schema: replay.schema,
      options: Options(origin: origin)
    )
    return try state(of: store, after: nil, replay: replay, tick: tick)
  }

  private func temporaryFolder() throws -> URL {
    let folder = try TemporaryFolder()
    folders.append(folder)
    return URL(fileURLWithPath: folder.path)
  }

  private func restored(_ past: Past, tick: Tick) throws -> PastState {
    let url = try temporaryFolder()
    return try state(of: makeReplica(of: past, in: url, tick: tick), after: nil) { _ in }
  }

  private func state(
    of store: Store,
    after transaction: Int64?,
    replay: PastReplay? = nil,
    tick: @escaping Tick
  ) throws -> PastState {
    let reader = try store.takeReader()
    readers.append((store, reader))
    var progress = Progress()
    return try PastState(reader, after: transaction, replay: replay) {
      try progress.countChange(tick)
    }
  }
}

extension Transaction {
  /// Whether nothing proves that the program committed just after the last change.
  fileprivate var hasAssumedEnd: Bool {
    let text = details.map { CanonicalText(Array($0.utf8)) }
    return text?.value(of: "boundary")?.elementsEqual("\"assumed\"".utf8) ?? false
  }
}
