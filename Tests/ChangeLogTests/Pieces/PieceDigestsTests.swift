import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Digests of a file and its transactions")
struct PieceDigestsTests {
  private let start = SHA256.digest(of: Array("before".utf8))

  private func closing(_ transaction: Transaction, _ digest: Digest?) -> [UInt8] {
    var line: [UInt8] = []
    TransactionLines(transaction).appendClosing(digest: digest, to: &line)
    return line
  }

  private func transaction(_ id: Int64, count: Int64) -> Transaction {
    Transaction(
      id: id,
      time: "2026-01-01T00:00:00.000000Z",
      author: "\",\"digest\":\"\",\"op\":\"",
      schema: "s",
      count: count,
      seed: Seed(bytes: Array(repeating: UInt8(truncatingIfNeeded: id), count: 16))
    )
  }

  private func changes(of transaction: Transaction) -> [[UInt8]] {
    let texts = [",\"before\":", "[\"b\",\"after\"]", "{\"b\":\"\\\",\\\"op\\\":\"}"]
      .map { Array($0.utf8) }
    return texts.flatMap(\.self).withUnsafeBytes { bytes in
      let ends = texts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
      let parts = zip(ends, ends.dropFirst()).map {
        UnsafeRawBufferPointer(rebasing: bytes[$0..<$1])
      }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      return (0..<transaction.count).map { sequence in
        let isFirst = sequence == 0
        var line: [UInt8] = []
        TransactionLines(transaction).append(
          Change(
            kind: .update,
            sequence: sequence,
            entity: parts[0],
            object: 7,
            changed: isFirst ? none : parts[1],
            before: none,
            after: isFirst ? none : parts[2],
            special: none,
            large: none
          ),
          to: &line
        )
        return line
      }
    }
  }

  /// Lines of a log: an ordinary transaction, an empty one, a gap, one after it, and one that is left
  /// out.
  private func log() -> (lines: [[UInt8]], digests: [Digest], whole: Digest) {
    let resumed = SHA256.digest(of: Array("deleted".utf8))
    let gap = Gap(first: 3, resumes: resumed)
    var lines = [Array("{\"kind\":\"header\",\"digest\":\"\"}\n".utf8)]
    var digests: [Digest] = []
    var previous = start
    for (id, count) in [(1, 3), (2, 0), (5, 1), (6, 1)] as [(Int64, Int64)] {
      var transaction = transaction(id, count: count)
      if id == 5 {
        transaction.operation = .gap
        transaction.details = gap.details
      }
      let changes = changes(of: transaction)
      let digest = naiveDigest(changes, closing: closing(transaction, nil), after: previous)
      lines += changes + [closing(transaction, digest)]
      digests.append(digest)
      previous = id == 5 ? resumed : digest
    }
    let body = SHA256.digest(of: Array("body".utf8))
    var omitted: [UInt8] = []
    TransactionLines(transaction(7, count: 1)).appendOmitted(body: body, to: &omitted)
    lines.append(omitted)
    digests.append(SHA256.digest(of: [6] + previous.bytes + body.bytes))
    let whole = SHA256.digest(of: lines.flatMap(\.self))
    let trailer = LogTrailer(last: 7, transactions: 4, changes: 5, digest: whole)
    return (lines + [trailer.line()], digests, whole)
  }

  private func fill(_ piece: Piece, _ text: [UInt8]) {
    #expect(piece.removeAll())
    text.withUnsafeBytes { piece.room.copyMemory(from: $0) }
    piece.filled = text.count
    piece.count = text.count
  }

  @Test("However its lines are spread over buffers, a log has the digests of a naive reference.")
  func everySplit() {
    let (lines, expected, whole) = log()
    let piece = Piece()
    for splits in 0..<1 << (lines.count - 1) {
      let digests = PieceDigests()
      digests.begin(after: start)
      var found: [Digest] = []
      var text: [UInt8] = []
      for (index, line) in lines.enumerated() {
        text += line
        guard splits >> index & 1 == 1 || index == lines.count - 1 else { continue }
        fill(piece, text)
        digests.make(of: piece)
        found += piece.digests.compactMap { try? $0.get().transaction }
        #expect((piece.trailerDigest != nil) == (index == lines.count - 1))
        text = []
      }
      #expect(found == expected, "\(splits)")
      #expect(piece.trailerDigest == whole, "\(splits)")
    }
  }

  @Test("The transaction of Tests/Readers/tree_vectors.json has its digest in lines of a log.")
  func vector() throws {
    struct Vectors: Decodable {
      struct Transaction: Decodable {
        let `public`: [String]
        let values: [String]
        let closing: String
        let seed: String
        let previous: String
        let digest: String
      }
      let transaction: Transaction
    }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Readers/tree_vectors.json")
    let vector = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file)).transaction
    let bytes = stride(from: 0, to: 32, by: 2).compactMap {
      UInt8(vector.seed.dropFirst($0).prefix(2), radix: 16)
    }
    let seed = Data(bytes).base64EncodedString()
    var lines = zip(vector.public, vector.values).enumerated().map { index, parts in
      #"{"kind":"change","txn":121,"seq":\#(index),"n":2,"ts":"2026-09-20T10:00:00.123456Z","#
        + #""author":"app","# + (index == 0 ? #""seed":"2:\#(seed)","# : "") + parts.0 + parts.1
        + "}\n"
    }
    lines.append(
      vector.closing.replacing(#","meta""#, with: #","digest":"\#(vector.digest)","meta""#)
    )
    let piece = Piece()
    let digests = PieceDigests()
    digests.begin(after: try #require(Digest(hexadecimal: vector.previous)))
    fill(piece, lines.flatMap { Array($0.utf8) })
    digests.make(of: piece)
    #expect(try piece.digests.map { try $0.get().transaction.description } == [vector.digest])
    let scanner = TransactionScanner()
    for line in lines.dropLast() {
      try Array(line.utf8).dropLast().withUnsafeBytes { _ = try scanner.change($0) }
    }
    let read = try Array(lines[2].utf8).dropLast().withUnsafeBytes { try scanner.transaction($0) }
    #expect(read.seed?.bytes == bytes && read.digest?.description == vector.digest)
  }

  @Test("A changed byte of a line, or of the digest before it, changes the digest or is refused.")
  func tampering() throws {
    let (lines, expected, _) = log()
    func digest(_ previous: Digest, _ lines: some Sequence<[UInt8]>) -> Digest? {
      let piece = Piece()
      let digests = PieceDigests()
      digests.begin(after: previous)
      fill(piece, lines.flatMap(\.self))
      digests.make(of: piece)
      return try? piece.digests.first?.get().transaction
    }
    let transaction = Array(lines[1...4])
    #expect(digest(start, transaction) == expected[0])
    #expect(digest(expected[0], transaction) != expected[0])
    for (index, line) in transaction.enumerated() {
      for place in line.indices where line[place] != 0x0a {
        var changed = transaction
        changed[index][place] ^= 0x01
        guard digest(start, changed) == expected[0] else { continue }
        let scanner = TransactionScanner()
        #expect(throws: Refusal.self, "line \(index), byte \(place)") {
          for line in changed {
            try line.dropLast().withUnsafeBytes {
              if line[9] == UInt8(ascii: "c") {
                _ = try scanner.change($0)
              } else if try scanner.transaction($0).digest != expected[0] {
                throw Refusal.text
              }
            }
          }
        }
      }
    }
  }
}
