import Format
import Foundation

/// The digest of a transaction as docs/FORMAT.md defines it, by the bytes of its lines.
///
/// It keeps all lines, and looks for texts in them.
package func naiveDigest(_ lines: [[UInt8]], closing: [UInt8], after previous: Digest) -> Digest {
  var salts: [[UInt8]] = []
  let leaves = lines.enumerated().map { index, line -> Digest in
    let text = String(decoding: line.dropLast(2), as: UTF8.self)
    let parts = text.components(separatedBy: #","op":"#)
    let known = #""op":"# + parts[1...].joined(separator: #","op":"#)
    let end =
      ["before", "after", "special", "large"]
      .compactMap { known.range(of: #","\#($0)":"#)?.lowerBound }.min() ?? known.endIndex
    func member(_ key: String) -> String? {
      guard let range = parts[0].range(of: #","\#(key)":""#) else { return nil }
      return String(parts[0][range.upperBound...].prefix { $0 != "\"" })
    }
    if let seed = member("seed")?.split(separator: ":"), let count = Int(seed[0]),
      let bytes = Data(base64Encoded: String(seed[1]))
    {
      salts += Array(repeating: [], count: index - salts.count)
      salts += naiveSalts(Array(bytes), count)
    }
    let values =
      member("values").flatMap { Digest(hexadecimal: $0)?.bytes }
      ?? SHA256.digest(of: [3] + salts[index] + Array(known[end...].utf8)).bytes
    return SHA256.digest(of: [0] + SHA256.digest(of: Array(known[..<end].utf8)).bytes + values)
  }
  let body = SHA256.digest(of: [5] + naiveRoot(leaves).bytes + closing)
  return SHA256.digest(of: [6] + previous.bytes + body.bytes)
}

/// The number of leaves below the left child of a node.
private func left(_ count: Int) -> Int {
  var middle = 1
  while 2 * middle < count { middle *= 2 }
  return middle
}

private func naiveSalts(_ seed: [UInt8], _ count: Int) -> [[UInt8]] {
  guard count > 1 else { return [seed] }
  let children = SHA256.digest(of: [2] + seed).bytes
  return naiveSalts(Array(children[..<16]), left(count))
    + naiveSalts(Array(children[16...]), count - left(count))
}

private func naiveRoot(_ leaves: [Digest]) -> Digest {
  guard leaves.count > 1 else { return leaves.first ?? SHA256.digest(of: []) }
  let middle = left(leaves.count)
  return SHA256.digest(
    of: [1] + naiveRoot(Array(leaves[..<middle])).bytes + naiveRoot(Array(leaves[middle...])).bytes
  )
}
