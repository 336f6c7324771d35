import Foundation
import ProcessTesting
import Testing

@testable import Format

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Readers")

/// The output of Tests/Readers/tree_vectors.py, which shares no code with this package.
struct TreeVectors: Decodable {
  struct Tree: Decodable, CustomStringConvertible {
    let count: Int64
    let root: String
    let indexes: [Int64]
    let inclusion: String
    let consistency: String
    let seed: String
    let salts: String
    let ranges: String
    let seeds: String
    var description: String { "\(count) leaves" }
  }
  struct Transaction: Decodable {
    let `public`: [String]
    let values: [String]
    let closing: String
    let seed: String
    let salts: [String]
    let values_digests: [String]
    let root: String
    let restated_salt: String
    let previous: String
    let body: String
    let digest: String
  }
  struct Note: Decodable {
    let `private`: String
    let `public`: String
    let name: String
    let private_pem: String
    let public_pem: String
    let note: String
    let verifier: String
    let witness: String
    let time: Int64
    let cosigned: String
  }

  let trees: [Tree]
  let transaction: Transaction
  let note: Note

  static func read() throws -> TreeVectors {
    let data = try Data(contentsOf: folder.appending(path: "tree_vectors.json"))
    return try JSONDecoder().decode(TreeVectors.self, from: data)
  }
}

func bytes(hexadecimal text: String) -> [UInt8] {
  stride(from: 0, to: text.utf8.count, by: 2).compactMap {
    UInt8(text.dropFirst($0).prefix(2), radix: 16)
  }
}

private func hexadecimal(_ seed: Seed) -> String {
  seed.bytes.map { String(format: "%02x", $0) }.joined()
}

@Suite("Test vectors of the Python reader")
struct TreeVectorTests {
  @Test(
    "Trees have the roots, proofs, salts and covers of the vectors.",
    arguments: try TreeVectors.read().trees
  )
  func trees(_ vector: TreeVectors.Tree) throws {
    let leaves = numberedLeaves(Int(vector.count))
    #expect(MerkleTree(leaves).root.description == vector.root)
    func joined(_ paths: [[Range<Int64>]]) -> String {
      SHA256.digest(of: paths.flatMap { proof($0, leaves) }.flatMap(\.bytes)).description
    }
    #expect(
      joined(vector.indexes.map { inclusionPath(of: $0, in: vector.count) }) == vector.inclusion
    )
    let sizes = vector.indexes + [vector.count]
    #expect(
      joined(sizes.map { consistencyPath(from: $0, to: vector.count) }) == vector.consistency
    )

    let seed = try #require(Seed(bytes: bytes(hexadecimal: vector.seed)))
    let whole = SeededRange(0..<vector.count, seed)
    #expect(SHA256.digest(of: Salts(whole).flatMap(\.bytes)).description == vector.salts)
    let hidden = (0..<vector.count).filter {
      SHA256.digest(of: Array("\(vector.count) \($0)".utf8)).bytes[0] < 77
    }
    let cover = vector.count == 0 ? [] : Array(SeedCover([whole], hiding: hidden.makeIterator()))
    let ranges = cover.map { "[\($0.leaves.lowerBound), \($0.leaves.upperBound)]" }
    let text = "[\(ranges.joined(separator: ", "))]"
    #expect(SHA256.digest(of: Array(text.utf8)).description == vector.ranges)
    #expect(SHA256.digest(of: cover.flatMap(\.seed.bytes)).description == vector.seeds)
  }

  @Test("A transaction has the digest of the vectors, step by step.")
  func transaction() throws {
    let vector = try TreeVectors.read().transaction
    let seed = try #require(Seed(bytes: bytes(hexadecimal: vector.seed)))
    let salts = Array(Salts(SeededRange(0..<2, seed)))
    #expect(salts.map(hexadecimal) == vector.salts)
    #expect(hexadecimal(salts[0].restated) == vector.restated_salt)
    var tree = MerkleTree()
    for (index, salt) in salts.enumerated() {
      let values = Array(vector.values[index].utf8).withUnsafeBytes {
        valuesDigest($0, salt: salt)
      }
      #expect(values.description == vector.values_digests[index])
      tree.append(Array(vector.public[index].utf8).withUnsafeBytes { lineHash($0, values: values) })
    }
    #expect(tree.root.description == vector.root)
    let body = Array(vector.closing.utf8).withUnsafeBytes {
      bodyDigest(lines: tree.root, closing: $0)
    }
    #expect(body.description == vector.body)
    let previous = try #require(Digest(hexadecimal: vector.previous))
    #expect(transactionDigest(after: previous, body: body).description == vector.digest)
  }

  @Test(
    "The script writes the same vectors again.",
    .enabled(
      if: (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/python3")
      }
    )
  )
  func script() throws {
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let script = folder.appending(path: "tree_vectors.py").path
    process.arguments = ["python3", "-B", script, "--check"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
