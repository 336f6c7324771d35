import CZlib

/// Compresses with zlib if libdeflate is not available.
final class ZlibCompressor {
  static let levels = 0...9

  private var stream = z_stream()
  private let path: String

  init(level: Int, path: String) throws {
    self.path = path
    guard Self.levels.contains(level) else {
      throw wrongLevel(level, allowed: Self.levels, path: path)
    }
    // The arguments are valid, so an error can only mean a lack of memory.
    guard travelog_deflate_init(&stream, Int32(level)) == Z_OK else {
      throw outOfMemory(path)
    }
  }

  deinit { deflateEnd(&stream) }

  func member(of block: [UInt8]) throws -> [UInt8] {
    deflateReset(&stream)
    let room = Int(deflateBound(&stream, UInt(block.count)))
    var failed = false
    let member = [UInt8](unsafeUninitializedCapacity: room) { output, count in
      block.withUnsafeBufferPointer { input in
        // zlib does not write through this pointer, although the pointer is declared as mutable.
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(room)
        failed = deflate(&stream, Z_FINISH) != Z_STREAM_END
        count = failed ? 0 : room - Int(stream.avail_out)
      }
    }
    guard !failed else { throw uncompressible(path) }
    return member
  }
}
