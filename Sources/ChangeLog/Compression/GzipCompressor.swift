// Compresses blocks, each into a gzip member of its own: the same bytes each time for one library
// and level. Another library may give other bytes; what they hold is the same.
#if DEFLATE
typealias GzipCompressor = DeflateCompressor
#else
typealias GzipCompressor = ZlibCompressor
#endif

extension LogError {
  static func level(_ level: Int, _ path: String) -> LogError {
    LogError(
      .inputOutput,
      "The log \(path) can't be compressed at level \(level); levels go from"
        + " \(GzipCompressor.levels.lowerBound) to \(GzipCompressor.levels.upperBound).",
      path: path
    )
  }

  static func compression(_ path: String) -> LogError {
    LogError(.inputOutput, "A block of the log \(path) can't be compressed.", path: path)
  }
}
