import CZlib
import Format

#if DEFLATE
import CDeflate
#endif

// The compressor writes each block as one gzip member. For the same block and compression level, a
// library always writes equal bytes, but libdeflate and zlib can write different bytes.
#if DEFLATE
typealias GzipCompressor = DeflateCompressor
private let deflate = ["libdeflate \(LIBDEFLATE_VERSION_STRING)"]
#else
private let deflate: [String] = []
typealias GzipCompressor = ZlibCompressor
#endif

/// The libraries that compress and decompress, with their versions.
package var compressionLibraries: [String] { ["zlib \(String(cString: zlibVersion()))"] + deflate }

/// Compresses bytes into one gzip member; `level` must be a level that both libraries have.
package func gzipMember(of bytes: [UInt8], level: Int = 6, path: String) throws -> [UInt8] {
  try GzipCompressor(level: level, path: path).member(of: bytes)
}

func wrongLevel(_ level: Int, allowed: ClosedRange<Int>, path: String) -> LogError {
  LogError(.inputOutput, path) {
    "The log \(path) can't be compressed at level \(level); levels are \(allowed.lowerBound) to"
      + " \(allowed.upperBound)."
  }
}

func uncompressible(_ path: String) -> LogError {
  LogError(.inputOutput, path) { "A block of the log \(path) can't be compressed." }
}
