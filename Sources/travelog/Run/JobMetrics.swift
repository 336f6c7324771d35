import CommandLineKit
import FoundationEssentials

/// A run for Prometheus' textfile collector, always with the same series.
///
/// A failed run keeps the time of the last success from the text `before`.
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
    ("travelog_job_last_run_timestamp_seconds", "When the job last ended.", "\(now)"),
    (success, "When it last ended well.", "\(code == .success ? now : kept ?? 0)"),
    ("travelog_job_last_exit_code", "How it last ended; 0 is well.", "\(code.number)"),
    ("travelog_job_duration_seconds", "How long it last took.", "\(seconds)"),
    (
      "travelog_job_failed_steps", "The steps that failed in its last run.",
      "\((report?.steps ?? []).count { $0.state == "failed" })"
    ),
    (
      "travelog_job_exported_transactions", "The transactions that its last run exported.",
      "\(sum("transactions"))"
    ),
    (
      "travelog_job_exported_changes", "The changes that its last run exported.",
      "\(sum("changes"))"
    ),
    (
      "travelog_job_exported_bytes", "The bytes of logs that its last run wrote.",
      "\(sum("compressed_bytes"))"
    ),
  ]
  return series.map { series in
    "# HELP \(series.name) \(series.help)\n# TYPE \(series.name) gauge\n"
      + "\(series.name)\(label) \(series.value)\n"
  }.joined()
}

private func escaped(_ text: String) -> String {
  // Scalar by scalar: a quote and a combining accent are one character.
  text.unicodeScalars.map { scalar in
    switch scalar {
    case "\\", "\"": "\\\(scalar)"
    case "\n": "\\n"
    default: String(scalar)
    }
  }.joined()
}
