import Changes

/// The last line of a log, which tells that it is whole.
package struct LogTrailer: Hashable, Sendable {
  /// The id of the last transaction.
  package var last: Int64
  /// The number of transactions.
  package var transactions: Int64
  /// The number of changes.
  package var changes: Int64
  /// SHA-256 of all bytes of the file before this line, uncompressed.
  package var digest: Digest

  /// The line, with its line break.
  package func line() -> [UInt8] {
    Array(
      (#"{"kind":"trailer","digest":"\#(digest)","meta":{"last":\#(last),"#
        + #""transactions":\#(transactions),"changes":\#(changes)}}"#
        + "\n").utf8
    )
  }
}
