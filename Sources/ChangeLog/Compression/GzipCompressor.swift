// Compresses each block into one gzip member. One library and level always produce the same bytes.
// Another library may produce other bytes with the same content.
#if DEFLATE
typealias GzipCompressor = DeflateCompressor
#else
typealias GzipCompressor = ZlibCompressor
#endif
