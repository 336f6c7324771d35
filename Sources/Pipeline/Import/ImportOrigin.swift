import ChangeLog
import Store

func originIdentifier(_ request: ImportRequest, replica: Store?) throws -> String {
  let stores = try request.logs.stores()
  if let origin = request.origin {
    guard stores.contains(origin) else {
      throw request.error(.noLogsOfStore(origin, others: stores))
    }
    if let replica, replica.identifier != origin {
      throw request.error(.isReplica(of: replica.identifier, not: origin))
    }
    return origin
  }
  if let replica {
    guard stores.contains(replica.identifier) else {
      throw request.error(.hasNoLogsOfReplica(replica.identifier))
    }
    return replica.identifier
  }
  guard let store = stores.first else { throw request.error(.noLogs) }
  guard stores.count == 1 else {
    throw request.error(.severalStores(stores, choice: .identifier))
  }
  return store
}
