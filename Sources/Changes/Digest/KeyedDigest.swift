/// The keyed digest of RFC 2104, made with SHA-256: who lacks the key can't find the bytes by trying.
package func keyedDigest(of bytes: [UInt8], key: [UInt8]) -> Digest {
  let block = 64
  var padded = key.count > block ? Array(SHA256.digest(of: key).bytes) : key
  padded += [UInt8](repeating: 0, count: block - padded.count)
  var inner = SHA256()
  inner.update(padded.map { $0 ^ 0x36 })
  inner.update(bytes)
  var outer = SHA256()
  outer.update(padded.map { $0 ^ 0x5c })
  outer.update(Array(inner.finish().bytes))
  return outer.finish()
}
