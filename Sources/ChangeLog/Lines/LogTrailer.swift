public import Store

/// The last line of a log, which tells that it is whole.
public struct LogTrailer: Hashable, Sendable {
  /// The id of the last transaction.
  public var last: Int64
  /// The number of transactions.
  public var transactions: Int64
  /// The number of changes.
  public var changes: Int64
  /// SHA-256 of all bytes of the file before this line, uncompressed.
  public var digest: Digest

  /// The line, with its line break.
  public func line() -> [UInt8] {
    Array(
      (#"{"kind":"trailer","digest":"\#(digest)","meta":{"last":\#(last),"#
        + #""transactions":\#(transactions),"changes":\#(changes)}}"#
        + "\n").utf8
    )
  }
}
