import Format
import Foundation

/// A witness that signs checkpoints, in the format c2sp.org/tlog-cosignature.
package struct TestWitness {
  /// The public key.
  package let key: NoteKey
  private let secret: [UInt8]

  package init(_ name: String, secret: UInt8) throws {
    self.secret = [UInt8](repeating: secret, count: 32)
    key = try NoteKey(name: name, bytes: ed25519PublicKey(of: self.secret), isWitness: true)
  }

  /// A checkpoint with the signature of this witness after the others; the time is in seconds since
  /// 1970.
  package func cosigning(_ checkpoint: String, at time: UInt64 = 1_790_000_000) throws -> String {
    let text = checkpoint.firstRange(of: "\n\n").map { checkpoint[...$0.lowerBound] }
    let signed = "cosignature/v1\ntime \(time)\n\(text ?? checkpoint[...])"
    var line = withUnsafeBytes(of: key.id.bigEndian) { Array($0) }
    withUnsafeBytes(of: time.bigEndian) { line += $0 }
    line += try ed25519Signature(of: Array(signed.utf8), by: secret)
    let start = text == nil ? checkpoint + "\n" : checkpoint
    return start + "\u{2014} \(key.name) \(Data(line).base64EncodedString())\n"
  }
}
