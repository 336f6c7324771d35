#if DEFLATE
import CDeflate

/// Compresses with libdeflate, which needs a third of zlib's time and produces smaller files.
final class DeflateCompressor {
  static let levels = 0...12

  private let compressor: OpaquePointer
  private let path: String

  init(level: Int, path: String) throws {
    self.path = path
    guard Self.levels.contains(level) else {
      throw wrongLevel(level, allowed: Self.levels, path: path)
    }
    guard let compressor = libdeflate_alloc_compressor(Int32(level)) else {
      throw outOfMemory(path)
    }
    self.compressor = compressor
  }

  deinit { libdeflate_free_compressor(compressor) }

  func member(of block: [UInt8]) throws -> [UInt8] {
    let room = libdeflate_gzip_compress_bound(compressor, block.count)
    let member = [UInt8](unsafeUninitializedCapacity: room) { output, count in
      count = block.withUnsafeBytes {
        libdeflate_gzip_compress(
          compressor,
          $0.baseAddress,
          $0.count,
          output.baseAddress,
          output.count
        )
      }
    }
    guard !member.isEmpty else { throw uncompressible(path) }
    return member
  }
}
#endif
