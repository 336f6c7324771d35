import ChangeLog
import Changes

/// Verifies the filtered logs of a store, which are in a folder for each filter.
func verifyFilteredLogs(
  of store: String,
  folder: LogFolder,
  progress: inout Progress,
  tick: Tick
) throws -> [Verification] {
  var all: [Verification] = []
  for name in try folder.partials(of: store) {
    let logs = folder.partial(named: name)
    var results = try logs.lineages(of: store).map {
      try verifyFiltered(logs, store: store, lineage: $0, progress: &progress, tick: tick)
    }
    try addStrays(to: &results, store: store, folder: logs)
    all += results
  }
  return all
}

/// Verifies the filtered logs of one lineage.
private func verifyFiltered(
  _ folder: LogFolder,
  store: String,
  lineage: Int64,
  progress: inout Progress,
  tick: Tick
) throws -> Verification {
  let beginning = HistoryPoint(
    lineage: lineage,
    transaction: 0,
    digest: TransactionDigest.beginning(ofStore: store, lineage: lineage)
  )
  var result = Verification(store: store, lineage: lineage, from: beginning, to: beginning)
  result.filterName = folder.partial
  var checked: Set<String> = []
  let none = Erasures(store: store, lineage: lineage)
  let chain = try LogChain(folder, store: store, lineage: lineage, erasures: none)
  var point: HistoryPoint?
  for (index, file) in try folder.files(of: store, lineage: lineage).enumerated() {
    do {
      if index == 0, try chain.beginsLineage() { point = chain.beginning }
      let start = point
      // A log after a damaged log is verified from its own beginning.
      point = nil
      let reader = try chain.open(file, after: start)
      guard folder.partial == LogFolder.partialName(reader.header.partial) else {
        throw ChainFailure.misplaced(reader.header).at(file.path, line: 1)
      }
      result.words = reader.header.partial
      try chain.readToEnd(
        reader,
        file: file,
        change: { change, id in
          for value in change.largeReferences where checked.insert(value.digest).inserted {
            try folder.blobs.check(value.digest, size: value.size)
          }
          result.changes += 1
          if change.isHidden { result.except.add(.hidden, id) }
        },
        omission: { omission in
          if let lines = omission.lines {
            result.except.add(.omittedChanges, omission.transaction, count: Int64(lines.count))
          } else {
            result.except.add(.omitted, omission.transaction)
          }
        },
        first: file.checkDay
      ) { transaction in
        result.transactions += 1
        result.to = transaction.point(inLineage: lineage) ?? result.to
        try progress.countTransaction(tick)
      }
      point = reader.end
      result.to = reader.end
      result.files += 1
    } catch let error as LogError {
      guard let finding = Finding(error) else { throw error }
      result.findings.append(finding)
    }
  }
  return result
}
