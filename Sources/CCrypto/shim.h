// These functions keep what they know in a struct of a fixed size, so that a digest is a value and
// nothing is allocated; OpenSSL 3 calls them deprecated in favour of ones that allocate.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
