import Format
import Foundation
import SQLite
import Store
import SwiftData
import TestSupport
import Testing

/// Stores whose transactions have the times and processes that a test sets.
final class TimedStores {
  /// The time and process of the next transaction.
  final class Clock: @unchecked Sendable {
    // Only one test on one thread uses it.
    var time = "2026-01-01T00:00:00.000000Z"
    var process = "app"
  }

  let clock = Clock()
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A configuration of a store that uses the clock.
  func configuration(
    _ name: String,
    _ schema: Schema? = nil,
    inMemory: Bool = false
  ) -> ModelConfiguration {
    var configuration =
      inMemory
      ? ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
      : ModelConfiguration(name, schema: schema, url: folder.file("\(name).store"))
    let system = Provenance.system
    let clock = clock
    configuration.provenance = Provenance(
      birth: system.birth,
      stamp: { author, count in
        var stamp = system.stamp(author, count)
        stamp.time = clock.time
        stamp.process = clock.process
        return stamp
      }
    )
    return configuration
  }

  /// Sets the time, in seconds after the start of 2026 in UTC.
  func setTime(_ seconds: Double) {
    let microseconds = Int((seconds * 1_000_000).rounded())
    let (whole, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let digits = String(fraction)
    let seconds = whole % 60
    let minutes = whole / 60
    clock.time =
      "2026-01-01T00:\(minutes < 10 ? "0" : "")\(minutes):\(seconds < 10 ? "0" : "")\(seconds)."
      + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
  }

  /// The instant this many seconds after the start of 2026 in UTC.
  static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: 788_918_400 + seconds)
  }
}

func allHistory(_ context: ModelContext) throws -> [DefaultHistoryTransaction] {
  try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
}

/// Deletes the history of a store file up to a transaction.
func deleteHistory(of store: URL, through last: Int64) throws {
  let connection = try Connection(path: store.path, mode: .readWrite)
  try connection.execute(
    """
    BEGIN IMMEDIATE;
    INSERT OR REPLACE INTO store_catalog (key, value) VALUES ('history_base', \(last));
    INSERT OR REPLACE INTO store_catalog (key, value)
      SELECT 'history_base_digest', digest FROM history_transaction WHERE id = \(last);
    DELETE FROM history_change WHERE transaction_id <= \(last);
    DELETE FROM history_transaction WHERE id <= \(last);
    COMMIT;
    """
  )
}

/// Renames an entity of a store, as a schema with an original name does.
func renameEntity(_ name: String, to new: String, in store: URL) throws {
  let schema: StoreSchema
  do {
    let old = try Store.open(.file(store)).schema
    schema = StoreSchema(
      version: old.version,
      entities: old.entities.map { entity in
        guard entity.name == name else { return entity }
        var renamed = entity
        renamed.name = new
        renamed.table = new
        renamed.originalName = name
        return renamed
      }
    )
  }
  try Migration.migrate(store, to: schema, author: Author(), options: Options())
}
