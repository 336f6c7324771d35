import Format

extension RestatedTransactions {
  /// Creates the list from logs whose paths are found when the list is first used.
  package convenience init(_ files: @escaping @Sendable () throws -> [String]) {
    self.init(read: { try entries(in: files()) })
  }

  package convenience init(_ folder: LogFolder, store: String) {
    self.init {
      try folder.lineages(of: store).flatMap { lineage in
        try folder.files(of: store, lineage: lineage).map(\.path)
      }
    }
  }
}

extension Erasures {
  /// Reads the erasure records for a log, which is either in a log folder or a single file.
  package init(near log: String, header: LogHeader) throws {
    try self.init(path: Self.path(near: log), store: header.store, lineage: header.lineage)
    guard let root = log.firstRange(of: "/store=") else {
      restated = RestatedTransactions { return [log] }
      return
    }
    let folder = LogFolder(String(log[..<root.lowerBound]))
    restated = RestatedTransactions(folder, store: header.store)
  }
}

private func entries(in files: [String]) throws -> [Digest: [RestatedTransactions.Entry]] {
  var result: [Digest: [RestatedTransactions.Entry]] = [:]
  for path in files {
    do {
      let reader = try LogReader(path: path) { Erasures(uncheckedIn: $0) }
      while let transaction = try reader.next(checksValues: false) {
        let restatements = transaction.restatements
        guard !restatements.isEmpty, let digest = transaction.digest else { continue }
        let point = HistoryPoint(
          lineage: reader.header.lineage,
          transaction: transaction.id,
          digest: digest
        )
        for one in restatements {
          for line in one.lines {
            result[one.digest, default: []].append(
              RestatedTransactions.Entry(line: line, by: point)
            )
          }
        }
      }
    } catch is LogError {
      // This log is skipped, so it confirms no erasures here. The code that reads the log reports
      // the error.
      continue
    }
  }
  return result.mapValues { $0.sorted { $0.line.sequence < $1.line.sequence } }
}
