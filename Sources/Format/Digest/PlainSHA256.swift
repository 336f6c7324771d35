// FIPS 180-4 in plain Swift. All 64 rounds are written out: the rounds exchange names instead of
// values, which keeps the eight working variables and the sixteen words of the message in
// registers.

/// SHA-256 for systems without libcrypto.
struct PlainSHA256: Sendable {
  private var state = SIMD8<UInt32>(
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19
  )
  /// The bytes of a block that is not complete yet.
  private var pending = SIMD64<UInt8>()
  private var byteCount: UInt64 = 0

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let filled = Int(byteCount % 64)
    byteCount &+= UInt64(bytes.count)
    var start = 0
    if filled > 0 {
      start = min(64 - filled, bytes.count)
      withUnsafeMutableBytes(of: &pending) { block in
        UnsafeMutableRawBufferPointer(rebasing: block[filled...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<start]))
      }
      guard filled + start == 64 else { return }
      compressPending()
    }
    let whole = (bytes.count - start) / 64 * 64
    Self.compress(UnsafeRawBufferPointer(rebasing: bytes[start..<start + whole]), into: &state)
    start += whole
    guard start < bytes.count else { return }
    withUnsafeMutableBytes(of: &pending) { block in
      block.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// The digest of all bytes added so far; more bytes may be added later.
  func finish() -> Digest {
    var last = self
    let filled = Int(byteCount % 64)
    last.pending[filled] = 0x80
    for index in (filled + 1)..<64 { last.pending[index] = 0 }
    if filled >= 56 {
      last.compressPending()
      last.pending = SIMD64()
    }
    let bitCount = byteCount &* 8
    for index in 0..<8 {
      last.pending[63 - index] = UInt8(truncatingIfNeeded: bitCount >> UInt64(8 * index))
    }
    last.compressPending()
    return Digest(last.state)
  }

  private mutating func compressPending() {
    let block = pending
    withUnsafeBytes(of: block) { Self.compress($0, into: &state) }
  }

  /// Hashes whole blocks of 64 bytes.
  private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
    var offset = 0
    while offset < blocks.count {
      compress(blocks, at: offset, into: &state)
      offset += 64
    }
  }
}

@inline(__always)
private func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
  value &>> count | value &<< (32 &- count)
}

@inline(__always)
private func extend(_ word: inout UInt32, _ near: UInt32, _ middle: UInt32, _ far: UInt32) {
  let small = rotate(far, 7) ^ rotate(far, 18) ^ far &>> 3
  let large = rotate(near, 17) ^ rotate(near, 19) ^ near &>> 10
  word = word &+ small &+ middle &+ large
}

@inline(__always)
private func round(
  _ a: UInt32,
  _ b: UInt32,
  _ c: UInt32,
  _ d: inout UInt32,
  _ e: UInt32,
  _ f: UInt32,
  _ g: UInt32,
  _ h: inout UInt32,
  _ input: UInt32
) {
  let first = h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ (g ^ (e & (f ^ g))) &+ input
  let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ ((a & b) | (c & (a | b)))
  d = d &+ first
  h = first &+ second
}

extension PlainSHA256 {
  private static func compress(
    _ blocks: UnsafeRawBufferPointer,
    at offset: Int,
    into state: inout SIMD8<UInt32>
  ) {
    @inline(__always) func load(_ index: Int) -> UInt32 {
      UInt32(
        bigEndian: blocks.loadUnaligned(fromByteOffset: offset &+ index &* 4, as: UInt32.self)
      )
    }
    var w0 = load(0)
    var w1 = load(1)
    var w2 = load(2)
    var w3 = load(3)
    var w4 = load(4)
    var w5 = load(5)
    var w6 = load(6)
    var w7 = load(7)
    var w8 = load(8)
    var w9 = load(9)
    var w10 = load(10)
    var w11 = load(11)
    var w12 = load(12)
    var w13 = load(13)
    var w14 = load(14)
    var w15 = load(15)
    var a = state[0]
    var b = state[1]
    var c = state[2]
    var d = state[3]
    var e = state[4]
    var f = state[5]
    var g = state[6]
    var h = state[7]
    round(a, b, c, &d, e, f, g, &h, w0 &+ 0x428a_2f98)
    round(h, a, b, &c, d, e, f, &g, w1 &+ 0x7137_4491)
    round(g, h, a, &b, c, d, e, &f, w2 &+ 0xb5c0_fbcf)
    round(f, g, h, &a, b, c, d, &e, w3 &+ 0xe9b5_dba5)
    round(e, f, g, &h, a, b, c, &d, w4 &+ 0x3956_c25b)
    round(d, e, f, &g, h, a, b, &c, w5 &+ 0x59f1_11f1)
    round(c, d, e, &f, g, h, a, &b, w6 &+ 0x923f_82a4)
    round(b, c, d, &e, f, g, h, &a, w7 &+ 0xab1c_5ed5)
    round(a, b, c, &d, e, f, g, &h, w8 &+ 0xd807_aa98)
    round(h, a, b, &c, d, e, f, &g, w9 &+ 0x1283_5b01)
    round(g, h, a, &b, c, d, e, &f, w10 &+ 0x2431_85be)
    round(f, g, h, &a, b, c, d, &e, w11 &+ 0x550c_7dc3)
    round(e, f, g, &h, a, b, c, &d, w12 &+ 0x72be_5d74)
    round(d, e, f, &g, h, a, b, &c, w13 &+ 0x80de_b1fe)
    round(c, d, e, &f, g, h, a, &b, w14 &+ 0x9bdc_06a7)
    round(b, c, d, &e, f, g, h, &a, w15 &+ 0xc19b_f174)
    extend(&w0, w14, w9, w1)
    round(a, b, c, &d, e, f, g, &h, w0 &+ 0xe49b_69c1)
    extend(&w1, w15, w10, w2)
    round(h, a, b, &c, d, e, f, &g, w1 &+ 0xefbe_4786)
    extend(&w2, w0, w11, w3)
    round(g, h, a, &b, c, d, e, &f, w2 &+ 0x0fc1_9dc6)
    extend(&w3, w1, w12, w4)
    round(f, g, h, &a, b, c, d, &e, w3 &+ 0x240c_a1cc)
    extend(&w4, w2, w13, w5)
    round(e, f, g, &h, a, b, c, &d, w4 &+ 0x2de9_2c6f)
    extend(&w5, w3, w14, w6)
    round(d, e, f, &g, h, a, b, &c, w5 &+ 0x4a74_84aa)
    extend(&w6, w4, w15, w7)
    round(c, d, e, &f, g, h, a, &b, w6 &+ 0x5cb0_a9dc)
    extend(&w7, w5, w0, w8)
    round(b, c, d, &e, f, g, h, &a, w7 &+ 0x76f9_88da)
    extend(&w8, w6, w1, w9)
    round(a, b, c, &d, e, f, g, &h, w8 &+ 0x983e_5152)
    extend(&w9, w7, w2, w10)
    round(h, a, b, &c, d, e, f, &g, w9 &+ 0xa831_c66d)
    extend(&w10, w8, w3, w11)
    round(g, h, a, &b, c, d, e, &f, w10 &+ 0xb003_27c8)
    extend(&w11, w9, w4, w12)
    round(f, g, h, &a, b, c, d, &e, w11 &+ 0xbf59_7fc7)
    extend(&w12, w10, w5, w13)
    round(e, f, g, &h, a, b, c, &d, w12 &+ 0xc6e0_0bf3)
    extend(&w13, w11, w6, w14)
    round(d, e, f, &g, h, a, b, &c, w13 &+ 0xd5a7_9147)
    extend(&w14, w12, w7, w15)
    round(c, d, e, &f, g, h, a, &b, w14 &+ 0x06ca_6351)
    extend(&w15, w13, w8, w0)
    round(b, c, d, &e, f, g, h, &a, w15 &+ 0x1429_2967)
    extend(&w0, w14, w9, w1)
    round(a, b, c, &d, e, f, g, &h, w0 &+ 0x27b7_0a85)
    extend(&w1, w15, w10, w2)
    round(h, a, b, &c, d, e, f, &g, w1 &+ 0x2e1b_2138)
    extend(&w2, w0, w11, w3)
    round(g, h, a, &b, c, d, e, &f, w2 &+ 0x4d2c_6dfc)
    extend(&w3, w1, w12, w4)
    round(f, g, h, &a, b, c, d, &e, w3 &+ 0x5338_0d13)
    extend(&w4, w2, w13, w5)
    round(e, f, g, &h, a, b, c, &d, w4 &+ 0x650a_7354)
    extend(&w5, w3, w14, w6)
    round(d, e, f, &g, h, a, b, &c, w5 &+ 0x766a_0abb)
    extend(&w6, w4, w15, w7)
    round(c, d, e, &f, g, h, a, &b, w6 &+ 0x81c2_c92e)
    extend(&w7, w5, w0, w8)
    round(b, c, d, &e, f, g, h, &a, w7 &+ 0x9272_2c85)
    extend(&w8, w6, w1, w9)
    round(a, b, c, &d, e, f, g, &h, w8 &+ 0xa2bf_e8a1)
    extend(&w9, w7, w2, w10)
    round(h, a, b, &c, d, e, f, &g, w9 &+ 0xa81a_664b)
    extend(&w10, w8, w3, w11)
    round(g, h, a, &b, c, d, e, &f, w10 &+ 0xc24b_8b70)
    extend(&w11, w9, w4, w12)
    round(f, g, h, &a, b, c, d, &e, w11 &+ 0xc76c_51a3)
    extend(&w12, w10, w5, w13)
    round(e, f, g, &h, a, b, c, &d, w12 &+ 0xd192_e819)
    extend(&w13, w11, w6, w14)
    round(d, e, f, &g, h, a, b, &c, w13 &+ 0xd699_0624)
    extend(&w14, w12, w7, w15)
    round(c, d, e, &f, g, h, a, &b, w14 &+ 0xf40e_3585)
    extend(&w15, w13, w8, w0)
    round(b, c, d, &e, f, g, h, &a, w15 &+ 0x106a_a070)
    extend(&w0, w14, w9, w1)
    round(a, b, c, &d, e, f, g, &h, w0 &+ 0x19a4_c116)
    extend(&w1, w15, w10, w2)
    round(h, a, b, &c, d, e, f, &g, w1 &+ 0x1e37_6c08)
    extend(&w2, w0, w11, w3)
    round(g, h, a, &b, c, d, e, &f, w2 &+ 0x2748_774c)
    extend(&w3, w1, w12, w4)
    round(f, g, h, &a, b, c, d, &e, w3 &+ 0x34b0_bcb5)
    extend(&w4, w2, w13, w5)
    round(e, f, g, &h, a, b, c, &d, w4 &+ 0x391c_0cb3)
    extend(&w5, w3, w14, w6)
    round(d, e, f, &g, h, a, b, &c, w5 &+ 0x4ed8_aa4a)
    extend(&w6, w4, w15, w7)
    round(c, d, e, &f, g, h, a, &b, w6 &+ 0x5b9c_ca4f)
    extend(&w7, w5, w0, w8)
    round(b, c, d, &e, f, g, h, &a, w7 &+ 0x682e_6ff3)
    extend(&w8, w6, w1, w9)
    round(a, b, c, &d, e, f, g, &h, w8 &+ 0x748f_82ee)
    extend(&w9, w7, w2, w10)
    round(h, a, b, &c, d, e, f, &g, w9 &+ 0x78a5_636f)
    extend(&w10, w8, w3, w11)
    round(g, h, a, &b, c, d, e, &f, w10 &+ 0x84c8_7814)
    extend(&w11, w9, w4, w12)
    round(f, g, h, &a, b, c, d, &e, w11 &+ 0x8cc7_0208)
    extend(&w12, w10, w5, w13)
    round(e, f, g, &h, a, b, c, &d, w12 &+ 0x90be_fffa)
    extend(&w13, w11, w6, w14)
    round(d, e, f, &g, h, a, b, &c, w13 &+ 0xa450_6ceb)
    extend(&w14, w12, w7, w15)
    round(c, d, e, &f, g, h, a, &b, w14 &+ 0xbef9_a3f7)
    extend(&w15, w13, w8, w0)
    round(b, c, d, &e, f, g, h, &a, w15 &+ 0xc671_78f2)
    state = state &+ SIMD8(a, b, c, d, e, f, g, h)
  }
}
