import Format

extension ChangeRecorder {
  /// Closes the open transaction, whose changes must all be written.
  ///
  /// If its deletions erased values from too many lines for its details, further transactions
  /// restate the rest of the lines.
  func close(
    _ author: Author,
    operation: TransactionOperation,
    details: String? = nil,
    stamp: Provenance.Stamp? = nil
  ) throws {
    try header.insert(
      transaction,
      author: author,
      firstRow: firstRow,
      count: count,
      operation: operation,
      details: details ?? erasure.takeDetails(),
      stamp: stamp
    )
    try restateRest(author, stamp: stamp)
  }

  /// Records, in further transactions, the erased lines that no transaction restates yet.
  private func restateRest(_ author: Author, stamp: Provenance.Stamp?) throws {
    while let details = try erasure.takeDetails() {
      let next = try sealLast()
      try header.insert(
        next.transaction,
        author: author,
        firstRow: next.change,
        count: 0,
        operation: .erase,
        details: details,
        stamp: stamp
      )
    }
  }

  /// Closes a transaction without changes.
  ///
  /// If the details name a snapshot, `stamp` is the stamp of the snapshot.
  func mark(
    _ author: Author,
    operation: TransactionOperation,
    details: String,
    stamp: Provenance.Stamp?
  ) throws {
    var stamp = stamp
    stamp?.time = currentTime()
    try header.insert(
      transaction,
      author: author,
      firstRow: firstRow,
      count: 0,
      operation: operation,
      details: details,
      stamp: stamp,
      // In the mode `tombstones`, the seed is not kept. With it, values that are deleted later
      // could be guessed from the snapshot's digests.
      keepsSeed: stamp != nil && erasure.mode == .full
    )
  }

  /// Closes a copied transaction with the properties that it has in the other history.
  func close(_ transaction: Transaction) throws {
    var transaction = transaction
    transaction.firstChange = firstRow
    try header.insert(transaction)
    if header.follow(transaction) { next = (transaction.id + 1, nextRow) }
  }
}
