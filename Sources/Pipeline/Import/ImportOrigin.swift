import ChangeLog
import Store

/// The store whose logs are to be imported.
func originIdentifier(_ request: ImportRequest, _ replica: Store?) throws -> String {
  let stores = try request.logs.stores()
  if let origin = request.origin {
    guard stores.contains(origin) else {
      throw PipelineError(
        .missing,
        "There are no logs of the store \(origin) in \(request.logs.path).",
        hint: stores.isEmpty ? "" : "There are those of \(stores.joined(separator: ", "))."
      )
    }
    if let replica, replica.identifier != origin {
      throw PipelineError(
        .otherStore,
        "The store \(request.store) is a replica of \(replica.identifier), not of \(origin).",
        hint: "Name a file that is not there yet; it is made as a replica."
      )
    }
    return origin
  }
  if let replica {
    guard stores.contains(replica.identifier) else {
      throw PipelineError(
        .otherStore,
        "The store \(request.store) is a replica of \(replica.identifier), and there are no logs"
          + " of that store in \(request.logs.path).",
        hint: "Name the folder that has them."
      )
    }
    return replica.identifier
  }
  guard let store = stores.first else { throw noLogs(in: request.logs.path) }
  guard stores.count == 1 else {
    throw PipelineError(
      .otherStore,
      "There are logs of \(stores.count) stores in \(request.logs.path).",
      hint: "Say with --store which is meant: \(stores.joined(separator: ", "))."
    )
  }
  return store
}
