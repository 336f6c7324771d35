import ChangeLog
import Format
import FoundationEssentials
import Pipeline
import Store

/// The state of a store at a point of its history, which can be read like a store.
///
/// The rows of a store's earlier state are computed from its present rows and its history, in place.
/// Logs, and a store before a migration, are restored in a temporary folder, which is removed when
/// this object is released.
package final class StoreState {
  /// The text with which the user named the state.
  package let name: String
  package let schema: StoreSchema
  /// A reader of the state.
  ///
  /// A reader of the rows that exist now has a companion, a second reader of the same state, unless
  /// another program writes again and again.
  package let reader: Reader
  private let store: Store
  private let folder: TemporaryFolder?

  /// Opens the state that a text names.
  package convenience init(_ name: String, tick: Tick = { _ in }) throws {
    try self.init(name, stores: OpenedStores(), tick: tick)
  }

  private init(_ name: String, stores: OpenedStores, tick: Tick) throws {
    self.name = name
    if let path = try History.storeAtHead(name) {
      (store, folder) = (try stores.store(at: path), nil)
      // A named point is that of history, even if it is the last one.
      if path != name { try checkIsCaptured(store) }
      reader = try store.takeReaderWithCompanion()
    } else {
      let past = try Past(History(name))
      func inStore() throws -> (store: Store, reader: Reader) {
        let store = try stores.store(at: past.outline.path)
        // The rows of the point are computed from those that exist now.
        try checkIsCaptured(store)
        return (store, try store.takeReader(after: past.last))
      }
      if past.state == .store, let (store, reader) = try past.inPlace(inStore) {
        (self.store, self.reader, folder) = (store, reader, nil)
      } else {
        let folder = try TemporaryFolder()
        self.folder = folder
        store = try makeReplica(of: past, in: URL(fileURLWithPath: folder.path), tick: tick)
        reader = try store.takeReaderWithCompanion()
      }
    }
    schema = reader.schemaAtPoint ?? store.schema
  }

  /// Opens two states, which may be states of one store.
  package static func pair(
    _ first: String,
    _ second: String,
    tick: Tick = { _ in }
  ) throws -> (first: StoreState, second: StoreState) {
    let stores = OpenedStores()
    // A history is closed before its store is opened for its rows, so the state that exists now is
    // opened last.
    guard try History.storeAtHead(first) != nil else {
      let one = try StoreState(first, stores: stores, tick: tick)
      return (one, try StoreState(second, stores: stores, tick: tick))
    }
    let other = try StoreState(second, stores: stores, tick: tick)
    return (try StoreState(first, stores: stores, tick: tick), other)
  }

  deinit { store.giveBack(reader) }
}
