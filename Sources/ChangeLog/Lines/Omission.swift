import Format

/// The lines, or the transaction, that a filtered log omits and replaces by one line.
package struct Omission: Hashable, Sendable {
  package let transaction: Int64
  /// The range of the omitted lines; nil if the whole transaction is omitted.
  package let lines: Range<Int64>?

  package init(transaction: Int64, lines: Range<Int64>? = nil) {
    self.transaction = transaction
    self.lines = lines
  }
}

extension TransactionScanner {
  /// Reads a line that replaces omitted lines, without its line break.
  func omission(_ line: UnsafeRawBufferPointer) throws(Refusal) -> Omission {
    guard isFiltered else {
      throw Refusal(message: "lines are left out, but the log is not filtered")
    }
    var text = LineParts(line)
    try text.expect(#"{"kind":"omitted","txn":"#)
    let id = try identifier(&text)
    var lines: Range<Int64>?
    if text.has(#","seq":"#) {
      let place = try text.integer()
      try text.expect(#","n":"#)
      let count = try text.integer()
      try text.expect(#","count":"#)
      let omitted = try text.integer()
      if open == nil {
        middle.removeAll(keepingCapacity: true)
        begin(id, count: count)
      }
      guard let open, open == (id, count) else { throw differs(id) }
      guard place == sequence, omitted > 0, omitted <= count - place else {
        throw Refusal(message: "the next line must be \(sequence) of \(count)")
      }
      sequence += omitted
      lines = place..<sequence
    } else if let open {
      throw differs(open.id)
    }
    try text.expect(#","digest":""#)
    guard Digest(hexadecimal: text.upToQuote()) != nil else {
      throw Refusal(message: "the digest of the line is not a SHA-256")
    }
    try text.expect(#""}"#)
    guard text.isAtEnd else { throw Refusal(message: "the line has text after its end") }
    return Omission(transaction: id, lines: lines)
  }
}
