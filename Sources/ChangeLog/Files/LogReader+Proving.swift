import Format

/// These methods read a transaction for a proof; the caller computes the digest of the transaction.
///
/// A proof needs only two transactions of a log, so the values in the lines of other transactions
/// are not parsed.
extension LogReader {
  /// Skips everything up to the closing line of a transaction, and returns this transaction; nil if
  /// the log does not contain the transaction.
  package func skip(through id: Int64) throws -> Transaction? {
    try transaction(id) { _ in }
  }

  /// Calls `body` with each line of a transaction, without its line break, and returns the
  /// transaction; nil if the log does not contain the transaction.
  ///
  /// The reader must be at the beginning of the transaction. Only the form of the transaction's
  /// first line is checked, because this line contains the number of lines.
  package func lines(
    of id: Int64,
    _ body: (UnsafeRawBufferPointer, _ count: Int64) throws -> Void
  ) throws -> Transaction? {
    let prefix = Array(#"{"kind":"change","txn":\#(id),"#.utf8)
    let scanner = TransactionScanner()
    return try transaction(id) { line in
      guard line.starts(with: prefix) else { return }
      if scanner.open == nil {
        try accepted { () throws(Refusal) in _ = try scanner.change(line) }
      }
      try body(line, scanner.open?.count ?? 0)
    }
  }

  private func transaction(
    _ id: Int64,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Transaction? {
    let closing = Array(#"{"kind":"transaction","txn":\#(id),"#.utf8)
    while let bytes = try buffer.next() {
      let line = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      guard line.starts(with: closing) else {
        let parts = LineParts(line)
        if parts.isNext(#"{"kind":"trailer","#) { return nil }
        // A file of many lines that no log has is not read to its end.
        guard
          parts.isNext(#"{"kind":"change","#) || parts.isNext(#"{"kind":"transaction","#)
            || parts.isNext(#"{"kind":"omitted","#)
        else { throw damaged(Refusal.kind.message) }
        try body(line)
        continue
      }
      return try accepted { () throws(Refusal) in
        try TransactionScanner().transaction(line, isAlone: true)
      }
    }
    return nil
  }
}
