// Compresses each block into one gzip member. One library and level always produce the same bytes.
// Another library may produce other bytes with the same content.
#if DEFLATE
typealias GzipCompressor = DeflateCompressor
#else
typealias GzipCompressor = ZlibCompressor
#endif

/// The bytes as one gzip member, of a level that both compressing libraries have.
package func gzipMember(of bytes: [UInt8], level: Int = 6, path: String) throws -> [UInt8] {
  try GzipCompressor(level: level, path: path).member(of: bytes)
}
