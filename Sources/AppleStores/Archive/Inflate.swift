import CZlib
import Format

/// Decompresses DEFLATE without a header, up to a number of bytes.
///
/// Bytes after the end of the stream are ignored.
package func inflated(
  _ bytes: [UInt8],
  limit: Int,
  describing what: String
) throws(StoreError) -> [UInt8] {
  // The first pass only counts, because a growing array takes up to three times its size.
  var count = 0
  try inflate(bytes, limit: limit, describing: what) { count += $0.count }
  var result: [UInt8] = []
  result.reserveCapacity(count)
  try inflate(bytes, limit: limit, describing: what) { result += $0 }
  return result
}

private func inflate(
  _ bytes: [UInt8],
  limit: Int,
  describing what: String,
  _ body: (UnsafeBufferPointer<UInt8>) -> Void
) throws(StoreError) {
  var stream = z_stream()
  guard travelog_raw_inflate_init(&stream) == Z_OK else {
    throw StoreError(.outOfMemory) { "There is no memory to decompress \(what)." }
  }
  defer { inflateEnd(&stream) }
  var total = 0
  let code = bytes.withUnsafeBufferPointer { input in
    // zlib does not change its input.
    stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
    stream.avail_in = UInt32(clamping: input.count)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { room in
      var code = Z_OK
      while code == Z_OK, total <= limit {
        stream.next_out = room.baseAddress
        stream.avail_out = UInt32(room.count)
        code = CZlib.inflate(&stream, Z_NO_FLUSH)
        let count = room.count - Int(stream.avail_out)
        total += count
        body(UnsafeBufferPointer(rebasing: room[..<count]))
      }
      return code
    }
  }
  guard total <= limit else { throw tooLarge(what) }
  guard code == Z_STREAM_END else { throw damaged(what, "it can't be decompressed") }
}

/// An error about bytes that do not follow their format.
func damaged(_ what: String, _ reason: String) -> StoreError {
  StoreError(.damaged) {
    "\(what) is damaged: \(reason).\nCopy the database again with its -wal file."
  }
}

func tooLarge(_ what: String) -> StoreError {
  damaged(what, "it has more entries or bytes than such a file needs")
}
