import CZlib

/// Compresses blocks, each into a gzip member of its own.
final class GzipCompressor {
  private var stream = z_stream()
  private let path: String

  init(level: Int, path: String) throws {
    self.path = path
    guard travelog_deflate_init(&stream, Int32(clamping: level)) == Z_OK else {
      throw LogError(
        .inputOutput,
        "The log \(path) can't be compressed at level \(level); levels go from 0 to 9.",
        path: path
      )
    }
  }

  deinit { deflateEnd(&stream) }

  /// The member that a block makes: the same bytes each time.
  func member(of block: [UInt8]) throws -> [UInt8] {
    deflateReset(&stream)
    let room = Int(deflateBound(&stream, UInt(block.count)))
    var failed = false
    let member = [UInt8](unsafeUninitializedCapacity: room) { output, count in
      block.withUnsafeBufferPointer { input in
        // zlib reads through a pointer that it declares as mutable, and writes nothing there.
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(room)
        failed = deflate(&stream, Z_FINISH) != Z_STREAM_END
        count = failed ? 0 : room - Int(stream.avail_out)
      }
    }
    guard !failed else {
      throw LogError(.inputOutput, "A block of the log \(path) can't be compressed.", path: path)
    }
    return member
  }
}
