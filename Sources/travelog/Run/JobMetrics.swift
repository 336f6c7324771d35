import CommandLineKit
import FoundationEssentials

/// The metrics of a run for the textfile collector of Prometheus; every run has the same series.
///
/// After a failed run, the time of the last success is copied from `before`, the previous text of
/// the metrics.
func prometheusText(
  ofJob job: String,
  ended: Date,
  seconds: Double,
  code: ExitCode,
  report: RunReport?,
  before: String
) -> String {
  let label = "{pipeline=\"\(escaped(job))\"}"
  let success = "travelog_job_last_success_timestamp_seconds"
  let kept = before.split(separator: "\n").first { $0.hasPrefix("\(success){") }?
    .split(separator: " ").last.flatMap { Double($0) }
  let exports = (report?.steps ?? []).filter { $0.command == "export" }.flatMap(\.answers)
  func sum(_ key: String) -> Int64 { exports.reduce(0) { $0 + ($1.integer(key) ?? 0) } }
  let now = ended.timeIntervalSince1970
  let series: [(name: String, help: String, value: String)] = [
    ("travelog_job_last_run_timestamp_seconds", "The time at which the job last ended.", "\(now)"),
    (success, "The time at which the job last succeeded.", "\(code == .success ? now : kept ?? 0)"),
    (
      "travelog_job_last_exit_code", "The exit code of the job's last run; 0 is success.",
      "\(code.number)"
    ),
    ("travelog_job_duration_seconds", "The duration of the job's last run.", "\(seconds)"),
    (
      "travelog_job_failed_steps", "The number of steps that failed in the job's last run.",
      "\((report?.steps ?? []).count { $0.state == "failed" })"
    ),
    (
      "travelog_job_exported_transactions",
      "The number of transactions that the job's last run exported.",
      "\(sum("transactions"))"
    ),
    (
      "travelog_job_exported_changes", "The number of changes that the job's last run exported.",
      "\(sum("changes"))"
    ),
    (
      "travelog_job_exported_bytes", "The number of bytes that the job's last run wrote to logs.",
      "\(sum("compressed_bytes"))"
    ),
  ]
  return series.map { series in
    "# HELP \(series.name) \(series.help)\n# TYPE \(series.name) gauge\n"
      + "\(series.name)\(label) \(series.value)\n"
  }.joined()
}

private func escaped(_ text: String) -> String {
  // Scalars are compared instead of characters, because a quote with a combining accent is one
  // character.
  text.unicodeScalars.map { scalar in
    switch scalar {
    case "\\", "\"": "\\\(scalar)"
    case "\n": "\\n"
    default: String(scalar)
    }
  }.joined()
}
