import Format

/// The lines of a transaction whose digest is a tree, as logs have them.
package struct TreeTransaction {
  package let id: Int64
  package private(set) var lines: [[UInt8]] = []
  package let closing: [UInt8]
  package let previous: Digest
  package let digest: Digest

  /// Makes a transaction of lines with texts that look like parts of lines; hidden lines are erased.
  package init(_ id: Int64, count: Int, hiding hidden: Set<Int> = [], details: String = "") {
    self.id = id
    previous = SHA256.digest(of: Array("before \(id)".utf8))
    let seed = Seed(bytes: Array(previous.bytes.prefix(Seed.byteCount)))
    let seeded = seed.map { [SeededRange(0..<Int64(count), $0)] } ?? []
    let salts = seeded.flatMap { Array(Salts($0)) }
    let seeds = Array(SeedCover(seeded, hiding: hidden.sorted().map(Int64.init).makeIterator()))
    let shared = #","n":\#(count),"ts":"2026-09-20T10:00:00.123456Z","author":"\",\"op\":\"""#
    var tree = MerkleTree()
    for (index, salt) in salts.enumerated() {
      let known = #""op":"update","entity":"Trip","id":"\#(index)","changed":["name"]"#
      let text = #"\",\"before\":{\#(index)"#
      let value = #","before":{"name":"\#(text)"},"after":{"name":null}"#
      let values = Array(value.utf8).withUnsafeBytes { valuesDigest($0, salt: salt) }
      tree.append(Array(known.utf8).withUnsafeBytes { lineHash($0, values: values) })
      var line = #"{"kind":"change","txn":\#(id),"seq":\#(index)\#(shared)"#
      if let seed = seeds.first(where: { $0.leaves.lowerBound == Int64(index) }) {
        line += #","seed":"\#(seed.leaves.count):\#(base64(seed.seed.bytes))""#
      }
      if hidden.contains(index) {
        line += #","values":"\#(values)","salt":"\#(base64(salt.restated.bytes))",\#(known)"#
        line += #","after":{"name":null},"special":{"before":{"name":"erased"}}}"#
      } else {
        line += ",\(known)\(value)}"
      }
      lines.append(Array(line.utf8))
    }
    let start = #"{"kind":"transaction","txn":\#(id)\#(shared),"op":"recorded""#
    let end = #","meta":{"schema":"s","details":"\#(details)"}}"#
    let body = Array("\(start)\(end)\n".utf8).withUnsafeBytes {
      bodyDigest(lines: tree.root, closing: $0)
    }
    digest = transactionDigest(after: previous, body: body)
    closing = Array(#"\#(start),"digest":"\#(digest)"\#(end)"#.utf8)
  }

  /// A proof of the transaction, or of one of its lines, in a tree where it has a place.
  package func proof(
    _ change: Int64?,
    index: Int64 = 0,
    leaves: [Digest]? = nil,
    origin: String = "travelog/test/0"
  ) throws -> TransactionProof {
    let leaves = leaves ?? [leafHash(digest)]
    var proven = ProvenLines(count: Int64(lines.count), change: change)
    for line in lines { try proven.take(line) }
    let head = TreeHead(count: Int64(leaves.count), root: MerkleTree(leaves).root)
    let hashes = inclusionPath(of: index, in: head.count).map {
      MerkleTree(leaves[Int($0.lowerBound)..<Int($0.upperBound)]).root
    }
    return TransactionProof(
      lines: try proven.finish(),
      closing: closing,
      previous: previous,
      tree: TreeProof(
        index: index,
        hashes: hashes,
        checkpoint: CheckpointFile(try Checkpoint(origin: origin, head: head))
      )
    )
  }
}

private func base64(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  bytes.withUnsafeBytes { appendBase64($0, to: &text) }
  return String(decoding: text, as: UTF8.self)
}
