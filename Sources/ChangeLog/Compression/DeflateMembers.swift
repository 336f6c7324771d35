#if DEFLATE
import CDeflate

/// Decompresses gzip members in memory with libdeflate, in half of zlib's time.
final class DeflateMembers {
  private let decompressor: OpaquePointer

  init(path: String) throws {
    guard let decompressor = libdeflate_alloc_decompressor() else {
      throw outOfMemory(path)
    }
    self.decompressor = decompressor
  }

  deinit { libdeflate_free_decompressor(decompressor) }

  /// Decompresses the gzip member at the start of the input, and returns the sizes of the member
  /// and of its content.
  ///
  /// The result is nil if the gzip member is incomplete, damaged, or too large for the output.
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
