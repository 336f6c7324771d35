import Format

/// The last line of a log, which shows that the log is complete.
package struct LogTrailer: Hashable, Sendable {
  package var last: Int64
  package var transactions: Int64
  package var changes: Int64
  /// The SHA-256 of all uncompressed bytes of the file before the trailer.
  package var digest: Digest

  package func line() -> [UInt8] {
    Array(
      (#"{"kind":"trailer","digest":"\#(digest)","meta":{"last":\#(last),"#
        + #""transactions":\#(transactions),"changes":\#(changes)}}"#
        + "\n").utf8
    )
  }

  /// Copies the digest and the counts from the text of a trailer, without checking them.
  mutating func takeTotals(of text: UnsafeRawBufferPointer) throws(Refusal) {
    var parts = LineParts(text)
    try parts.expect(#"{"kind":"trailer","digest":""#)
    digest = Digest(hexadecimal: parts.upToQuote()) ?? digest
    try parts.expect(#"","meta":{"last":"#)
    _ = try parts.integer()
    try parts.expect(#","transactions":"#)
    transactions = try parts.integer()
    try parts.expect(#","changes":"#)
    changes = try parts.integer()
  }
}
