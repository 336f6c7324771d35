import CZlib
import Format

/// Decompresses DEFLATE without a header, up to a number of bytes.
///
/// Bytes after the end of the stream are ignored.
func inflated(
  _ bytes: [UInt8],
  limit: Int,
  describing what: String
) throws(StoreError) -> [UInt8] {
  var stream = z_stream()
  guard travelog_raw_inflate_init(&stream) == Z_OK else {
    throw StoreError(.outOfMemory) { "There is no memory to decompress \(what)." }
  }
  defer { inflateEnd(&stream) }
  var input = bytes
  var result: [UInt8] = []
  var code = Z_OK
  input.withUnsafeMutableBufferPointer { input in
    stream.next_in = input.baseAddress
    stream.avail_in = UInt32(clamping: input.count)
    while code == Z_OK, result.count <= limit {
      let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
        stream.next_out = room.baseAddress
        stream.avail_out = UInt32(room.count)
        code = inflate(&stream, Z_NO_FLUSH)
        count = room.count - Int(stream.avail_out)
      }
      result += part
    }
  }
  guard result.count <= limit else { throw tooLarge(what) }
  guard code == Z_STREAM_END else { throw damaged(what, "it can't be decompressed") }
  return result
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
