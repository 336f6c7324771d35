#include <zlib.h>

// Macros that take the size of the struct are not visible from Swift.
static inline int travelog_deflate_init(z_stream *stream, int level) {
  // 16 more than the window's bits asks for gzip; its header then has no time and no name.
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int travelog_inflate_init(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}
