import Changes

/// The last line of a log, which shows that the log is complete.
package struct LogTrailer: Hashable, Sendable {
  package var last: Int64
  package var transactions: Int64
  package var changes: Int64
  /// SHA-256 of all uncompressed bytes of the file before this line.
  package var digest: Digest

  package func line() -> [UInt8] {
    Array(
      (#"{"kind":"trailer","digest":"\#(digest)","meta":{"last":\#(last),"#
        + #""transactions":\#(transactions),"changes":\#(changes)}}"#
        + "\n").utf8
    )
  }
}
