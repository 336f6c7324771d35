import Changes
import Store

extension NativeStore {
  func write(
    _ save: PendingSave,
    storeIndex: Int,
    in context: ModelContext,
    _ writeRest: () throws -> Void
  ) throws {
    guard configuration.allowsSave else {
      throw SwiftDataError(
        .readOnly,
        "The configuration \(configuration.name) does not allow saving (allowsSave is false), "
          + "and the context has changes for it. Call rollback(), or open the store for writing."
      )
    }
    let committed = { (transaction: Int64?) in
      if let transaction { context.registry.readings[storeIndex].noteOwn(transaction) }
    }
    try store.write(Author(name: context.author), committed: committed) { writer in
      try save.write(to: writer, storeIndex: storeIndex)
      try writeRest()
    }
  }
}
