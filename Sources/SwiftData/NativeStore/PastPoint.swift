import Format
import Store

/// A point in the history of a container's stores.
enum PastPoint {
  /// The last transactions that the token covers.
  case token(DefaultHistoryToken)
  /// The transactions up to a time.
  case date(Date)

  /// The last transaction of the point in a store; zero if no transaction of the store belongs to it.
  func transaction(
    of configuration: ModelConfiguration,
    schema: StoreSchema,
    options: Options
  ) throws -> Int64 {
    guard !configuration.isStoredInMemoryOnly else {
      throw SwiftDataError(.unsupportedFeature) {
        "The store \(configuration.name) is only in memory, and earlier states can be read only from"
          + " a file.\nLeave out asOf."
      }
    }
    let store = try Store.open(.file(configuration.url), schema: schema, options: options)
    return try store.read { reader in
      switch self {
      case .token(let token):
        guard let point = token.points[store.identifier] else { return 0 }
        try reader.check(point)
        return point.transaction
      case .date(let date):
        let range = try reader.historyRange()
        return try reader.lastTransaction(
          beforeTime: timeText(date),
          orAt: true,
          from: range.base.transaction,
          through: range.head.transaction
        )
      }
    }
  }
}
