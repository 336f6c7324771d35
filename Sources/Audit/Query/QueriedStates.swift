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
  }

  package private(set) var states: [Named] = []
  /// The stores by their paths: if a store were opened twice, its files `-wal` and `-shm` would be
  /// left.
  private var stores: [String: Store] = [:]
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
      let end = isAssumed ? place.past?.last : nil
      states.append(Named(name: name, text: text, state: state, assumedEnd: end))
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

    init(_ text: String) throws {
      if let path = try History.storeAtHead(text) {
        (self.path, past) = (path, nil)
      } else {
        let past = try Past(History(text))
        (path, self.past) = (past.outline.path, past)
      }
    }
  }

  private func open(_ place: Place, tick: @escaping Tick) throws -> (PastState, isAssumed: Bool) {
    guard let past = place.past, past.state == .store else {
      if let past = place.past { return (try restored(past, tick: tick), false) }
      return (try state(of: store(at: place.path), after: nil, tick: tick), false)
    }
    do {
      let store = try store(at: place.path)
      let state = try state(of: store, after: past.last, tick: tick)
      let isAssumed = try readers.last?.1.transaction(past.last)?.hasAssumedEnd ?? false
      return (state, isAssumed)
    } catch let error as StoreError where error.code == .irreversible && past.outline.base == 0 {
      return (try restored(past, tick: tick), false)
    } catch let error as StoreError where error.code == .irreversible {
      throw StoreError(.historyExpired, at: place.path, cause: error) { error.wording }
    }
  }

  private func store(at path: String) throws -> Store {
    let place = URL(fileURLWithPath: path).standardizedFileURL.path
    let store = try stores[place] ?? readableStore(path)
    stores[place] = store
    return store
  }

  private func restored(_ past: Past, tick: Tick) throws -> PastState {
    let folder = try TemporaryFolder()
    folders.append(folder)
    let url = URL(fileURLWithPath: folder.path)
    return try state(of: makeReplica(of: past, in: url, tick: tick), after: nil) { _ in }
  }

  private func state(
    of store: Store,
    after transaction: Int64?,
    tick: @escaping Tick
  ) throws -> PastState {
    let reader = try store.takeReader()
    readers.append((store, reader))
    var progress = Progress()
    return try PastState(reader, after: transaction) { try progress.countChange(tick) }
  }
}

extension Transaction {
  /// Whether nothing proves that the program committed just after the last change.
  fileprivate var hasAssumedEnd: Bool {
    let text = details.map { CanonicalText(Array($0.utf8)) }
    return text?.value(of: "boundary")?.elementsEqual("\"assumed\"".utf8) ?? false
  }
}
