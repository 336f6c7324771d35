import Format

/// The erasure records of one lineage, by transaction.
package struct Erasures: Sendable {
  package struct Entry: Hashable, Sendable {
    package let transaction: Int64
    /// Whether the transaction is a snapshot, either a separate log or the first transaction of a
    /// lineage.
    package let isSnapshot: Bool
    /// The digests of the transaction's lines after each of its erasures; the digest after the
    /// latest erasure is last.
    package fileprivate(set) var lines: [Digest]
  }

  /// The erased transactions, with their digests as keys.
  package private(set) var entries: [Digest: Entry] = [:]
  package private(set) var count = 0
  /// The erased transaction of the last record; nil if there are no records.
  package private(set) var lastTransaction: Int64?
  /// The digest of the last record; if there are no records, the digest before the first record.
  package private(set) var head: Digest
  /// The transactions that confirm remaining values of erased transactions; nil if there are no
  /// other logs.
  package var restated: RestatedTransactions?
  /// Whether lines with erased values are accepted without a record.
  private(set) var isUnchecked = false
  /// The size in bytes of the complete records in the file.
  private(set) var length: Int64 = 0

  package init(store: String, lineage: Int64) {
    head = ErasureRecord.beginning(ofStore: store, lineage: lineage)
  }

  /// Creates a list that accepts lines with erased values without any record.
  package init(uncheckedIn header: LogHeader) {
    self.init(store: header.store, lineage: header.lineage)
    isUnchecked = true
  }

  /// Adds a record, and returns the line of the record; nil if the list already contains the
  /// record.
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
    lastTransaction = record.transaction
    head = digest
    length += Int64(bytes)
  }
}

// MARK: The file

extension Erasures {
  /// Reads the erasure records of a lineage; if the file is missing, nothing was erased.
  ///
  /// An incomplete last record is ignored: a record is written before its values are erased, so
  /// these values were not erased.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/damaged`` if a record was altered, or if it does
  ///   not follow the record before.
  package init(path: String, store: String, lineage: Int64) throws {
    self.init(store: store, lineage: lineage)
    var number = 0
    try readLines(of: path, limit: 1 << 20) { line in
      number += 1
      do throws(Refusal) {
        let record = try ErasureRecord(line: line, after: head)
        add(record, digest: record.line(after: head).digest, bytes: line.count + 1)
      } catch {
        throw LogError(.damaged, path, line: number) {
          "An erasure record in line \(number) of \(path) was damaged or altered"
            + " (\(error.message)), or an earlier record was removed."
        }
      }
    }
  }

  /// The path of the erasure records for a log: in the folder of the log's lineage, or in the
  /// folder of the log.
  static func path(near log: String) -> String {
    let folder = parentFolder(log)
    let name = folder.split(separator: "/").last ?? ""
    let lineage = name.hasPrefix("date=") || name == "snapshots" ? parentFolder(folder) : folder
    return "\(lineage)/\(LogFolder.erasuresName)"
  }

  /// Appends records durably to the file with the existing records.
  package mutating func append(_ records: [ErasureRecord], to path: String) throws {
    let start = length
    var lines: [UInt8] = []
    for record in records { lines += append(record) ?? [] }
    guard !lines.isEmpty else { return }
    try makeFolders(parentFolder(path))
    try appendDurably(lines, to: path, after: start)
  }
}
