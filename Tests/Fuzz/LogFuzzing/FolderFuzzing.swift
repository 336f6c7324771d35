import ChangeLog
import FoundationEssentials
import Pipeline
import Store

/// Writes logs to a folder at the places that their headers name, then verifies and replays them.
///
/// The last part may be erasure records instead of a log.
func fuzzFolder(_ bytes: [UInt8]) throws {
  let root = memoryFolder + "/travelog-fuzz-" + UUID().uuidString
  let manager = FileManager.default
  try manager.createDirectory(atPath: root, withIntermediateDirectories: true)
  defer {
    // A folder that can't be removed is only in memory.
    try? manager.removeItem(atPath: root)
  }
  let logs = LogFolder(root + "/logs")
  var lineage: String?
  for part in bytes.split(separator: 0, maxSplits: 4) {
    let lines = withDigests(Array(part))
    if let place = place(of: lines, in: logs) {
      lineage = lineage ?? place.lineage
      try write(gzipped(lines), to: place.file)
    } else if let lineage {
      try write(lines, to: lineage + "/_erasures.ndjson")
    }
  }
  guard lineage != nil else { return }
  try refusing { _ = try verify(VerifyRequest(logs: logs)) }
  try refusing {
    _ = try importLogs(
      ImportRequest(logs: logs, store: root + "/replica.store")
    )
  }
}

private func write(_ bytes: [UInt8], to path: String) throws {
  let folder = path.split(separator: "/").dropLast().joined(separator: "/")
  try FileManager.default.createDirectory(
    atPath: "/" + folder,
    withIntermediateDirectories: true
  )
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}

/// The place of a log by its header and trailer, as far as they are readable.
private func place(of lines: [UInt8], in logs: LogFolder) -> (file: String, lineage: String)? {
  let all = lines.split(separator: 0x0a)
  guard let first = all.first, let last = all.last,
    // A part without a header is not a log; wrong headers have another target.
    let header = try? first.withUnsafeBytes({ try LogHeader(line: $0, path: "") })
  else { return nil }
  let end = String(decoding: last, as: UTF8.self).split(separator: #""meta":{"last":"#).last
  let number = end.flatMap { Int64($0.prefix { $0.isNumber }) } ?? header.first
  let folder = header.partial.isEmpty ? logs : logs.partial(leavingOut: header.partial)
  let lineage = folder.lineageFolder(header.store, lineage: header.lineage)
  func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 20 - digits.count)) + digits
  }
  let name = "\(padded(header.first))-\(padded(max(number, header.first))).ndjson.gz"
  return ("\(lineage)/date=2026-01-01/\(name)", lineage)
}
