import ChangeLog
import Format
import Glibc

package struct CompactRequest: Sendable {
  package var logs: LogFolder
  /// The approximate limit for the compressed size of a log, in bytes.
  package var maximumFileSize: Int64 = 256 << 20
  /// The compression level, from 1 to 9.
  package var level = 6
  /// Whether to find out what would be merged, without merging.
  package var isDryRun = false

  package init(logs: LogFolder) { self.logs = logs }
}

/// The logs that were merged in one lineage of a store.
package struct CompactResult: Codable, Hashable, Sendable {
  package var store: String
  package var lineage: Int64
  /// What the filter leaves out, in words; nil if the logs are not filtered.
  package var filter: String?
  package var filesBefore = 0
  package var filesAfter = 0
  package var bytesBefore: Int64 = 0
  package var bytesAfter: Int64 = 0
}

/// Merges many small logs into a few large logs, without changing a line.
///
/// Filtered logs are merged separately for each filter. Each log is verified while it is copied.
/// The small logs are removed after the large log is complete and synced. The next run removes the
/// files that an interrupted run left.
///
/// - Throws: ``PipelineError`` or ``LogError``. If an error is thrown, no line is lost.
package func compact(
  _ request: CompactRequest,
  tick: Tick = { _ in }
) throws -> [CompactResult] {
  try checkHasLogs(request.logs)
  var results: [CompactResult] = []
  for store in try request.logs.stores() {
    for lineage in try request.logs.lineages(of: store) {
      let chain = try LogChain(request.logs, store: store, lineage: lineage)
      results.append(try Compaction(request, chain: chain).run(tick))
    }
    for filtered in try FilteredLogs.all(of: store, in: request.logs) {
      try request.logs.checkErasing(store)
      for lineage in try filtered.folder.lineages(of: store) {
        let none = Erasures(store: store, lineage: lineage)
        let chain = try LogChain(filtered.folder, store: store, lineage: lineage, erasures: none)
        var result = try Compaction(request, chain: chain).run(tick)
        result.filter = filtered.words
        results.append(result)
      }
    }
  }
  return results
}

private final class Compaction {
  private let request: CompactRequest
  private let chain: LogChain
  private var result: CompactResult
  private var progress = Progress()

  init(_ request: CompactRequest, chain: LogChain) {
    self.request = request
    self.chain = chain
    result = CompactResult(store: chain.store, lineage: chain.lineage)
    let all = chain.files + chain.covered
    result.filesBefore = all.count
    result.bytesBefore = all.reduce(0) { $0 + size(of: $1.path) }
  }

  func run(_ tick: Tick) throws -> CompactResult {
    try removeCovered(tick)
    var kept: [String] = []
    for group in try groups() {
      if group.count == 1 || request.isDryRun {
        kept.append(group[0].path)
      } else {
        kept.append(try merge(group, tick: tick))
      }
    }
    result.filesAfter = kept.count
    result.bytesAfter =
      request.isDryRun ? result.bytesBefore : kept.reduce(0) { $0 + size(of: $1) }
    return result
  }

  /// Removes small logs that an interrupted compaction left, if the large log with their lines is
  /// sound.
  private func removeCovered(_ tick: Tick) throws {
    guard !request.isDryRun else { return }
    for file in chain.files {
      let inside = chain.covered.filter { file.range.contains($0.range.lowerBound) }
      guard !inside.isEmpty else { continue }
      var wide = try chain.open(file, after: nil)
      var last: Transaction?
      for small in inside.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
        if let last, small.range.lowerBound <= last.id { wide = try chain.open(file, after: nil) }
        let reader = try chain.open(small, after: nil)
        while let transaction = try reader.next() {
          repeat { last = try wide.next() } while last.map { $0.id < transaction.id } ?? false
          guard last?.id == transaction.id, last?.digest == transaction.digest else {
            throw LogError(.damaged, small.path, transaction: transaction.id) {
              "The logs \(small.path) and \(file.path) have different digests of transaction"
                + " \(transaction.id)."
            }
          }
        }
        try chain.checkEnd(reader, file: small)
      }
      while try wide.next() != nil {}
      try chain.checkEnd(wide, file: file)
      try remove(inside)
    }
  }

  /// Returns groups of adjacent logs.
  ///
  /// The logs of a group have the same schema, and their total size is at most the maximum size of
  /// a log.
  private func groups() throws -> [[LogFolder.File]] {
    var groups: [[LogFolder.File]] = []
    var bytes: Int64 = 0
    var schema: StoreSchema?
    for file in chain.files {
      let next = try chain.open(file, after: nil).header.schema
      let count = size(of: file.path)
      if let last = groups.last?.last, schema == next,
        last.range.upperBound + 1 == file.range.lowerBound,
        bytes + count <= request.maximumFileSize
      {
        groups[groups.count - 1].append(file)
        bytes += count
      } else {
        groups.append([file])
        bytes = count
      }
      schema = next
    }
    return groups
  }

  private func merge(_ group: [LogFolder.File], tick: Tick) throws -> String {
    let first = try chain.open(group[0], after: nil)
    let writer = try LogWriter(
      .day(day(of: group[0]), chain.folder),
      header: first.header,
      level: request.level
    )
    var point: HistoryPoint?
    for file in group {
      let reader = try chain.open(file, after: point)
      while let transaction = try reader.next(
        copy: { try writer.append(lines: $0, changes: 1) },
        omitted: writer.append
      ) {
        try writer.close(transaction, lines: TransactionLines(transaction))
        try progress.countTransaction(tick)
      }
      try chain.checkEnd(reader, file: file)
      point = reader.end
    }
    let path = try writer.finish()
    try remove(group)
    return path
  }

  private func remove(_ files: [LogFolder.File]) throws {
    for file in files {
      try removeLog(file.path)
      // `rmdir` removes the folder of a day only if the folder is empty.
      rmdir(parentFolder(file.path))
    }
  }

  private func day(of file: LogFolder.File) -> String {
    let folder = parentFolder(file.path).split(separator: "/").last ?? ""
    return folder.hasPrefix("date=") ? String(folder.dropFirst(5)) : "none"
  }
}
