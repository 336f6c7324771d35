import ChangeLog
import Foundation
import Pipeline
import Store
import StoreTesting
import TestSupport

/// A store of random history with logs of a few transactions each.
package struct AuditedWorld {
  package let store: Store
  package let logs: LogFolder
  package var history: HistoryWorld

  /// Writes some history, and exports it several times.
  package init(_ folder: URL, _ name: String, writes: Int = 24) throws {
    history = HistoryWorld(SeededGenerator(for: name))
    history.hasLargeValues = false
    store = try Store.open(.file(folder.appendingPathComponent("a.store")), schema: worldSchema)
    logs = LogFolder(folder.appendingPathComponent("logs").path)
    try logs.create()
    for round in 1...writes {
      try history.write(to: store)
      if round % 7 == 0 || round == writes {
        _ = try export(ExportRequest(store: store.location.path, logs: logs))
      }
    }
  }

  /// The same history from each of its sources.
  package func histories(_ point: String = "") throws -> [History] {
    try [History(store.location.path + point), History(logs.path + point)]
  }

  /// The lines of the history, each as JSON.
  package func lines() throws -> [[String: Any]] {
    try StoreTesting.lines(of: store).split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }
}
