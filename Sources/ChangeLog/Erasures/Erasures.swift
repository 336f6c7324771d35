import Changes

/// The erasure records of one lineage, by transaction.
package struct Erasures: Sendable {
  /// One erased transaction.
  package struct Entry: Hashable, Sendable {
    package let transaction: Int64
    /// Whether the transaction is a snapshot, either beside the logs or at the beginning of a
    /// lineage.
    package let isSnapshot: Bool
    /// The digests of the transaction's lines: one digest for each erasure, the latest last.
    package fileprivate(set) var lines: [Digest]
  }

  /// The erased transactions by their digests.
  package private(set) var entries: [Digest: Entry] = [:]
  package private(set) var count = 0
  /// The digest of the last record; without records, the digest that the first record follows.
  package private(set) var head: Digest
  /// The transactions of the logs that confirm remaining values; nil if there are no other logs.
  package var restated: RestatedTransactions?
  /// Whether erased lines are accepted without a record.
  private(set) var isUnchecked = false
  /// The size of the complete records in the file.
  private(set) var length: Int64 = 0

  /// A lineage without erasures.
  package init(store: String, lineage: Int64) {
    head = ErasureRecord.beginning(ofStore: store, lineage: lineage)
  }

  /// Accepts the erased lines of a log without any record.
  package init(uncheckedIn header: LogHeader) {
    self.init(store: header.store, lineage: header.lineage)
    isUnchecked = true
  }

  /// Adds a record and returns its line; nil if it is already recorded.
  package mutating func append(_ record: ErasureRecord) -> [UInt8]? {
    guard entries[record.digest]?.lines.last != record.lines else { return nil }
    let (line, digest) = record.line(after: head)
    add(record, digest: digest, bytes: line.count)
    return line
  }

  private mutating func add(_ record: ErasureRecord, digest: Digest, bytes: Int) {
    let new = Entry(
      transaction: record.transaction,
      isSnapshot: record.operation == .snapshot,
      lines: []
    )
    entries[record.digest, default: new].lines.append(record.lines)
    count += 1
    head = digest
    length += Int64(bytes)
  }
}

// MARK: The file

extension Erasures {
  /// Reads the records of a lineage; a missing file means that nothing was erased.
  ///
  /// An incomplete last line is ignored: a program was stopped before it erased the values that the
  /// line describes.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/damaged`` if a record was altered, or is not in
  ///   its place.
  package init(path: String, store: String, lineage: Int64) throws {
    self.init(store: store, lineage: lineage)
    var number = 0
    try readLines(of: path, limit: 1 << 20) { line in
      number += 1
      do throws(Refusal) {
        let record = try ErasureRecord(line: line, after: head)
        add(record, digest: record.line(after: head).digest, bytes: line.count + 1)
      } catch {
        throw LogFailure.alteredErasure(error.message).at(path, line: number)
      }
    }
  }

  /// The path of the records for a log: beside it, or in the folder of its lineage.
  static func path(near log: String) -> String {
    let folder = parentFolder(log)
    let name = folder.split(separator: "/").last ?? ""
    let lineage = name.hasPrefix("date=") || name == "snapshots" ? parentFolder(folder) : folder
    return "\(lineage)/\(LogFolder.erasuresName)"
  }

  /// Appends records to the file from which the existing records were read, durably.
  package mutating func append(_ records: [ErasureRecord], to path: String) throws {
    let start = length
    var lines: [UInt8] = []
    for record in records { lines += append(record) ?? [] }
    guard !lines.isEmpty else { return }
    try makeFolders(parentFolder(path))
    try appendDurably(lines, to: path, after: start)
  }
}
