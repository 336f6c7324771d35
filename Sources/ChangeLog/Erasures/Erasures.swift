import Changes

/// The records of erasures in the logs of one lineage, by the transactions that they are of.
package struct Erasures: Sendable {
  /// What is known of one erased transaction.
  package struct Entry: Hashable, Sendable {
    /// The transaction.
    package let transaction: Int64
    /// True for a snapshot beside the logs, or one that begins a lineage.
    package let isSnapshot: Bool
    /// What its lines gave after each erasure, the last one at the end.
    package fileprivate(set) var lines: [Digest]
  }

  /// What is known of the erased transactions, by the digests that they keep.
  package private(set) var entries: [Digest: Entry] = [:]
  /// The number of records.
  package private(set) var count = 0
  /// The digest of the last record, or what comes before the first.
  package private(set) var head: Digest
  /// The bytes of the whole records in the file.
  private(set) var length: Int64 = 0

  /// What there is where nothing was erased.
  package init(store: String, lineage: Int64) {
    head = ErasureRecord.beginning(ofStore: store, lineage: lineage)
  }

  /// Adds a record and returns its line; nil if the same was recorded before.
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
  /// Reads the records of a lineage; none where there is no such file.
  ///
  /// A last line that is cut off is that of a program that was stopped, before what it tells of came
  /// to be; it is passed over.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/damaged`` where a record was altered, or is not in
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

  /// The records that belong to a log which lies by itself, or in a folder of logs.
  package init(near log: String, header: LogHeader) throws {
    try self.init(path: Self.path(near: log), store: header.store, lineage: header.lineage)
  }

  /// Where the records are that belong to a log: beside it, or in the folder of its lineage.
  static func path(near log: String) -> String {
    let folder = parentFolder(log)
    let name = folder.split(separator: "/").last ?? ""
    let lineage = name.hasPrefix("date=") || name == "snapshots" ? parentFolder(folder) : folder
    return "\(lineage)/\(LogFolder.erasuresName)"
  }

  /// Adds records to the file that these were read from; they last when this returns.
  package mutating func append(_ records: [ErasureRecord], to path: String) throws {
    let start = length
    var lines: [UInt8] = []
    for record in records { lines += append(record) ?? [] }
    guard !lines.isEmpty else { return }
    try makeFolders(parentFolder(path))
    try appendDurably(lines, to: path, after: start)
  }
}
