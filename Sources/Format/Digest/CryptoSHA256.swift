import Glibc

/// SHA-256 by libcrypto, which uses instructions of the processor for SHA-256.
///
/// The library is loaded at the first digest, so a program that computes no digest starts faster.
/// Without the library, ``PlainSHA256`` is used.
struct CryptoSHA256: Sendable {
  /// Memory for `SHA256_CTX`, whose 28 words of 32 bits are a part of libcrypto's interface.
  private typealias Context = SIMD32<UInt32>

  private let library: CryptoLibrary
  private var context = Context()

  /// Loads libcrypto; nil if the machine does not have it.
  init?() {
    guard let library = CryptoLibrary.shared else { return nil }
    self.library = library
    _ = library.begin(&context)
  }

  /// The digest of a message in two parts; nil if the machine has no libcrypto.
  ///
  /// For a short message, this function takes half the time of `update` and `finish`.
  static func digest(
    of first: UnsafeRawBufferPointer,
    _ second: UnsafeRawBufferPointer
  ) -> Digest? {
    guard let library = CryptoLibrary.shared else { return nil }
    let size = MemoryLayout<Context>.size
    return withUnsafeTemporaryAllocation(
      byteCount: size + Digest.byteCount,
      alignment: MemoryLayout<Context>.alignment
    ) { room in
      guard let context = room.baseAddress else { return nil }
      _ = library.begin(context)
      _ = library.update(context, first.baseAddress, first.count)
      if !second.isEmpty { _ = library.update(context, second.baseAddress, second.count) }
      _ = library.finish(context + size, context)
      return Digest(UnsafeRawBufferPointer(room), at: size)
    }
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    _ = library.update(&context, bytes.baseAddress, bytes.count)
  }

  /// The digest of all bytes added so far; more bytes may be added later.
  func finish() -> Digest {
    // The functions of libcrypto can't fail for a SHA-256.
    var last = context
    return withUnsafeTemporaryAllocation(byteCount: Digest.byteCount, alignment: 8) { bytes in
      _ = library.finish(bytes.baseAddress, &last)
      return Digest(UnsafeRawBufferPointer(bytes), at: 0)
    }
  }
}

/// The version of libcrypto, such as OpenSSL 3.0.19; nil if the machine has no libcrypto.
package var cryptoVersion: String? { CryptoLibrary.shared?.version }

/// The functions of libcrypto, which is loaded once and never closed.
private struct CryptoLibrary: Sendable {
  typealias Begin = @convention(c) (UnsafeMutableRawPointer) -> Int32
  typealias Update = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer?, Int) -> Int32
  typealias Finish = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer) -> Int32

  let begin: Begin
  let update: Update
  let finish: Finish

  let version: String?

  static let shared = ["libcrypto.so.3", "libcrypto.so.1.1"].lazy.compactMap(Self.init).first

  private init?(_ name: String) {
    guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { return nil }
    guard let begin = dlsym(library, "SHA256_Init"), let update = dlsym(library, "SHA256_Update"),
      let finish = dlsym(library, "SHA256_Final")
    else {
      dlclose(library)
      return nil
    }
    self.begin = unsafeBitCast(begin, to: Begin.self)
    self.update = unsafeBitCast(update, to: Update.self)
    self.finish = unsafeBitCast(finish, to: Finish.self)
    typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?
    version = dlsym(library, "OpenSSL_version").flatMap {
      unsafeBitCast($0, to: Version.self)(0).map { String(cString: $0) }
    }
  }
}
