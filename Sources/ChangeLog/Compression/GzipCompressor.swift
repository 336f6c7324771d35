// Compresses blocks, each into a gzip member of its own: the same bytes each time for one library
// and level. Another library may give other bytes; what they hold is the same.
#if DEFLATE
typealias GzipCompressor = DeflateCompressor
#else
typealias GzipCompressor = ZlibCompressor
#endif
