import ChangeLog
import CommandLineKit
import Format
import Pipeline

/// The metrics of a status for the textfile collector of Prometheus; every status has the same
/// series.
func prometheusText(of status: Status, logs: Status.Logs) -> String {
  let label = "{store=\"\(status.identifier)\"}"
  let series: [(name: String, help: String, value: String)] = [
    ("head_transaction", "The last transaction of the store.", "\(status.head.transaction)"),
    (
      "exported_transaction", "The last transaction that was exported.",
      "\(logs.exported?.transaction ?? 0)"
    ),
    ("lag_transactions", "Transactions that wait for export.", "\(logs.lagTransactions)"),
    (
      "lag_seconds", "The age of the oldest transaction that waits for export.",
      "\(logs.lagSeconds)"
    ),
    ("history_changes", "Changes in the store's history.", "\(status.changes)"),
    ("store_bytes", "The size of the store's file.", "\(status.storeBytes)"),
    ("log_files", "The number of logs in the folder.", "\(logs.files)"),
    ("log_bytes", "The size of the logs in the folder.", "\(logs.bytes)"),
    (
      "read_age_seconds", "The age of the last reading of the database; 0 without a history file.",
      "\(status.readAgeSeconds ?? 0)"
    ),
    (
      "healthy", "Whether the next export can continue: 1 or 0.",
      logs.health == .ok ? "1" : "0"
    ),
  ]
  return series.map { series in
    "# HELP travelog_\(series.name) \(series.help)\n# TYPE travelog_\(series.name) gauge\n"
      + "travelog_\(series.name)\(label) \(series.value)\n"
  }.joined()
}

/// Replaces the metrics file of the collector in one step.
///
/// The collector runs as another user, so all users get permission to read the file. The umask of
/// the systemd units would not allow this.
func writeMetrics(_ text: String, to path: String) throws {
  try checkMetricsName(path)
  try writeDurably(Array(text.utf8), to: path, isForAll: true, ignoresUmask: true)
}

/// Throws if the collector would ignore a file with this name.
func checkMetricsName(_ path: String) throws {
  guard !path.hasSuffix(".prom") else { return }
  throw CommandError(.usage) {
    "\(path) does not end with .prom, so the textfile collector would not read it."
      + "\nName a file that ends with .prom."
  }
}
