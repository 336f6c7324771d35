import Format
import FoundationEssentials
import Store

/// Opens a store for reading.
///
/// `sealsBacklog` says whether captured changes of an adopted file are sealed first, even if this
/// takes long.
package func readableStore(_ path: String, sealsBacklog: Bool = true) throws -> Store {
  var options = Options(isReadOnly: true)
  options.sealsBacklog = sealsBacklog
  return try Store.open(.file(URL(fileURLWithPath: path)), options: options)
}

/// Opens a store for writing; nil if this user may only read the store's file or folder.
func writableStore(_ path: String, busyTimeout: Duration = .seconds(10)) throws -> Store? {
  do {
    let options = Options(busyTimeout: busyTimeout)
    return try Store.open(.file(URL(fileURLWithPath: path)), options: options)
  } catch let error as StoreError where error.code == .readOnly {
    return nil
  }
}

/// The transaction after which the rows of a store can be read: the wanted one, or the head if a
/// migration or an erasure hides that state.
func readablePoint(of store: Store, wanted: Int64) throws -> Int64 {
  do {
    try store.read(after: wanted) { try $0.checkValuesAreKnown() }
    return wanted
  } catch let error as StoreError where error.code == .irreversible {
    return try store.read { try $0.sealedHead() }
  }
}

/// Throws if rows of an adopted file changed in a way that no trigger captured, or rows of its replica
/// in a way that no import made, because then nobody knows the rows of earlier points.
package func checkIsCaptured(_ store: Store) throws {
  let tables = try store.uncapturedTables()
  guard !tables.isEmpty else { return }
  throw PipelineError(.historyExpired) {
    let reason: Finding.Reason =
      store.isReplica ? .isAltered(tables) : .isNotCaptured(tables, isRecorded: false)
    return Finding(reason, path: store.location.path).wording
  }
}
