#include <zlib.h>

// Swift can't import macros that use the size of the struct.
static inline int travelog_deflate_init(z_stream *stream, int level) {
  // 16 more than the window's bits selects gzip with a header without a time and a name.
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int travelog_inflate_init(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}

// A negative number of bits selects DEFLATE without a header and a checksum.
static inline int travelog_raw_inflate_init(z_stream *stream) {
  return inflateInit2(stream, -15);
}
