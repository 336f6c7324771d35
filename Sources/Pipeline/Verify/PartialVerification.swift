import ChangeLog
import Changes
import Store

/// Verifies the filtered logs of one lineage, each by itself, because the digests of their transactions
/// can't be computed from the remaining lines.
func verifyPartial(
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
  result.partial = folder.partial
  var checked: Set<String> = []
  for file in try folder.files(of: store, lineage: lineage) {
    do {
      let reader = try LogReader(path: file.path)
      try check(reader.header, file: file, folder: folder, store: store, lineage: lineage)
      guard reader.header.first > result.to.transaction else {
        throw ChainFailure.repeated(reader.header.first...result.to.transaction).at(
          file.path,
          transaction: reader.header.first
        )
      }
      result.words = reader.header.partial
      var isFirst = true
      while let transaction = try reader.next({ change, id, _ in
        if change.hasHiddenValues { result.except.add(.hidden, id) }
        for value in change.largeReferences where checked.insert(value.digest).inserted {
          try folder.blobs.check(value.digest, size: value.size)
        }
      }) {
        if isFirst { try file.checkDay(transaction) }
        isFirst = false
        result.transactions += 1
        result.changes += transaction.count
        result.to = HistoryPoint(
          lineage: lineage,
          transaction: transaction.id,
          digest: transaction.digest ?? beginning.digest
        )
        try progress.countTransaction(tick)
      }
      guard reader.trailer?.last == file.range.upperBound else {
        throw ChainFailure.wrongLast(reader.trailer?.last ?? 0, named: file.range.upperBound).at(
          file.path
        )
      }
      result.files += 1
    } catch let error as LogError {
      guard let finding = Finding(error) else { throw error }
      result.findings.append(finding)
    }
  }
  // Only ids tell what was left out.
  let first =
    lineage == 0 ? 1 : try folder.files(of: store, lineage: lineage).first?.range.lowerBound
  let omitted = result.to.transaction - (first ?? 1) + 1 - result.transactions
  if omitted > 0 { result.except.append(ExceptedPart(.omitted, count: omitted)) }
  return result
}

private func check(
  _ header: LogHeader,
  file: LogFolder.File,
  folder: LogFolder,
  store: String,
  lineage: Int64
) throws {
  guard header.store == store, header.lineage == lineage,
    folder.partial == LogFolder.partialName(header.partial), header.first == file.range.lowerBound
  else {
    throw ChainFailure.misplaced(header).at(file.path, line: 1)
  }
}

extension Change {
  /// Whether a value was left out, or replaced by a keyed digest.
  fileprivate var hasHiddenValues: Bool {
    !special.isEmpty
      && Side.allCases.contains {
        values($0).contains { $0.value.specialName.map(SpecialValue.isRedacted) ?? false }
      }
  }
}
