import Glibc

/// Signs a message with Ed25519 (RFC 8032).
///
/// - Throws: ``NoteError/noLibrary`` if the machine has no libcrypto.
package func ed25519Signature(
  of message: [UInt8],
  by privateKey: [UInt8]
) throws(NoteError) -> [UInt8] {
  let library = try CryptoSignatures.loaded()
  var signature = [UInt8](repeating: 0, count: 64)
  var length = signature.count
  let key = library.privateKey(library.kind, nil, privateKey, privateKey.count)
  defer { library.freeKey(key) }
  let context = library.makeContext()
  defer { library.freeContext(context) }
  guard key != nil, library.beginSigning(context, nil, nil, nil, key) == 1,
    library.sign(context, &signature, &length, message, message.count) == 1, length == 64
  else { throw .malformed("this is not a private key of Ed25519") }
  return signature
}

/// Whether a signature is valid for a message and a public key.
///
/// - Throws: ``NoteError/noLibrary`` if the machine has no libcrypto.
package func isEd25519Signature(
  _ signature: [UInt8],
  of message: [UInt8],
  by publicKey: [UInt8]
) throws(NoteError) -> Bool {
  let library = try CryptoSignatures.loaded()
  let key = library.publicKey(library.kind, nil, publicKey, publicKey.count)
  defer { library.freeKey(key) }
  let context = library.makeContext()
  defer { library.freeContext(context) }
  return key != nil && library.beginVerifying(context, nil, nil, nil, key) == 1
    && library.verify(context, signature, signature.count, message, message.count) == 1
}

/// The public key of a private key.
///
/// - Throws: ``NoteError/noLibrary`` if the machine has no libcrypto.
package func ed25519PublicKey(of privateKey: [UInt8]) throws(NoteError) -> [UInt8] {
  let library = try CryptoSignatures.loaded()
  var publicKey = [UInt8](repeating: 0, count: 32)
  var length = publicKey.count
  let key = library.privateKey(library.kind, nil, privateKey, privateKey.count)
  defer { library.freeKey(key) }
  guard key != nil, library.publicBytes(key, &publicKey, &length) == 1, length == 32 else {
    throw .malformed("this is not a private key of Ed25519")
  }
  return publicKey
}

/// The functions of libcrypto that sign and verify.
///
/// The library stays open until the process ends.
private struct CryptoSignatures: Sendable {
  typealias Object = UnsafeMutableRawPointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias Room = UnsafeMutablePointer<UInt8>
  typealias MakeKey = @convention(c) (Int32, Object?, Bytes?, Int) -> Object?
  typealias Begin = @convention(c) (Object?, Object?, Object?, Object?, Object?) -> Int32

  /// The number of Ed25519 in libcrypto: `EVP_PKEY_ED25519`.
  let kind: Int32 = 1087
  let privateKey: MakeKey
  let publicKey: MakeKey
  let publicBytes: @convention(c) (Object?, Room?, UnsafeMutablePointer<Int>) -> Int32
  let freeKey: @convention(c) (Object?) -> Void
  let makeContext: @convention(c) () -> Object?
  let freeContext: @convention(c) (Object?) -> Void
  let beginSigning: Begin
  let sign: @convention(c) (Object?, Room?, UnsafeMutablePointer<Int>, Bytes?, Int) -> Int32
  let beginVerifying: Begin
  let verify: @convention(c) (Object?, Bytes?, Int, Bytes?, Int) -> Int32

  private static let shared = ["libcrypto.so.3", "libcrypto.so.1.1"].lazy.compactMap(Self.init)
    .first

  static func loaded() throws(NoteError) -> Self {
    guard let shared else { throw .noLibrary }
    return shared
  }

  private init?(_ name: String) {
    guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { return nil }
    func function<Function>(_ name: String) throws(NoteError) -> Function {
      guard let address = dlsym(library, name) else { throw .noLibrary }
      return unsafeBitCast(address, to: Function.self)
    }
    do throws(NoteError) {
      privateKey = try function("EVP_PKEY_new_raw_private_key")
      publicKey = try function("EVP_PKEY_new_raw_public_key")
      publicBytes = try function("EVP_PKEY_get_raw_public_key")
      freeKey = try function("EVP_PKEY_free")
      makeContext = try function("EVP_MD_CTX_new")
      freeContext = try function("EVP_MD_CTX_free")
      beginSigning = try function("EVP_DigestSignInit")
      sign = try function("EVP_DigestSign")
      beginVerifying = try function("EVP_DigestVerifyInit")
      verify = try function("EVP_DigestVerify")
    } catch {
      // A libcrypto without Ed25519 can't be used.
      dlclose(library)
      return nil
    }
  }
}
