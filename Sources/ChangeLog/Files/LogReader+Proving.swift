import Changes

/// Reads a transaction whose digest the caller computes.
///
/// A proof needs two transactions of a log, so the lines of the others are not split into their members.
extension LogReader {
  /// Skips everything up to the closing line of a transaction, and returns this transaction; nil if the log
  /// does not have it.
  package func skip(through id: Int64) throws -> Transaction? {
    try transaction(id) { _ in }
  }

  /// Calls `body` with the lines of a transaction, without line feeds, and returns the transaction; nil if the
  /// log does not have it.
  ///
  /// The transaction must be next. Only the form of its first line is checked, which gives the number of lines.
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
