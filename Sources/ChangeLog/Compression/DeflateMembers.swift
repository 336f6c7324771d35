#if DEFLATE
import CDeflate

/// Decompresses gzip members that are in memory by libdeflate, in half the time of zlib.
final class DeflateMembers {
  private let decompressor: OpaquePointer

  init(path: String) throws {
    guard let decompressor = libdeflate_alloc_decompressor() else {
      throw LogFailure.outOfMemory.at(path)
    }
    self.decompressor = decompressor
  }

  deinit { libdeflate_free_decompressor(decompressor) }

  /// Takes the member that some bytes begin with, and tells how many it has and how many it gave.
  ///
  /// Nil if it is not all there, is damaged, or has no room.
  func read(
    _ input: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) -> (input: Int, output: Int)? {
    var taken = (input: 0, output: 0)
    let result = libdeflate_gzip_decompress_ex(
      decompressor,
      input.baseAddress,
      input.count,
      output.baseAddress,
      output.count,
      &taken.input,
      &taken.output
    )
    return result == LIBDEFLATE_SUCCESS ? taken : nil
  }
}
#endif
