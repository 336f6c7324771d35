import Changes
import Foundation
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

  /// Lines of a log: an ordinary transaction, an empty one, a gap, and one after it.
  private func log() -> (lines: [[UInt8]], digests: [Digest], whole: Digest) {
    let changes = [Array("{\"a\":1}\n".utf8), Array("{\"b\":\"\\\"digest\\\"\"}\n".utf8)]
    let resumed = SHA256.digest(of: Array("deleted".utf8))
    let gap = Gap(first: 3, resumes: resumed)
    var lines = [Array("{\"kind\":\"header\",\"digest\":\"\"}\n".utf8)]
    var digests: [Digest] = []
    var previous = start
    for (id, count) in [(1, 2), (2, 0), (5, 1), (6, 1)] {
      let transaction = Transaction(
        id: Int64(id),
        time: "2026-01-01T00:00:00.000000Z",
        operation: id == 5 ? .gap : .recorded,
        author: "\",\"digest\":\"",
        schema: "s",
        count: Int64(count),
        salt: [],
        details: id == 5 ? gap.details : nil
      )
      let digest = SHA256.digest(
        of: previous.bytes + changes.prefix(count).flatMap(\.self) + closing(transaction, nil)
      )
      lines += changes.prefix(count) + [closing(transaction, digest)]
      digests.append(digest)
      previous = id == 5 ? resumed : digest
    }
    let whole = SHA256.digest(of: lines.flatMap(\.self))
    let trailer = LogTrailer(last: 6, transactions: 4, changes: 4, digest: whole)
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
      var found: [Digest?] = []
      var text: [UInt8] = []
      for (index, line) in lines.enumerated() {
        text += line
        guard splits >> index & 1 == 1 || index == lines.count - 1 else { continue }
        fill(piece, text)
        digests.make(of: piece)
        found += piece.digests
        #expect((piece.trailerDigest != nil) == (index == lines.count - 1))
        text = []
      }
      #expect(found == expected, "\(splits)")
      #expect(piece.trailerDigest == whole, "\(splits)")
    }
  }

  @Test("Digests do not depend on whether other threads compute them.")
  func otherThreads() {
    let (lines, expected, whole) = log()
    let digests = PieceDigests()
    digests.begin(after: start)
    let pieces = lines.map { line in
      let piece = Piece()
      fill(piece, line)
      digests.makeAhead(of: piece)
      return piece
    }
    for piece in pieces { piece.wait() }
    #expect(pieces.flatMap(\.digests) == expected)
    #expect(pieces.last?.trailerDigest == whole)
  }

  @Test("A changed byte in a change, or before it, changes the transaction's digest.")
  func tampering() {
    let (lines, expected, _) = log()
    let transaction = Array(lines[1...3])
    func digest(_ previous: Digest, _ text: [UInt8]) -> Digest? {
      let piece = Piece()
      let digests = PieceDigests()
      digests.begin(after: previous)
      fill(piece, text)
      digests.make(of: piece)
      return piece.digests.first ?? nil
    }
    let text = transaction.flatMap(\.self)
    #expect(digest(start, text) == expected[0])
    #expect(digest(expected[0], text) != expected[0])
    let changes = transaction[0].count + transaction[1].count
    for place in 0..<changes where text[place] != 0x0a {
      var changed = text
      changed[place] ^= 0x01
      #expect(digest(start, changed) != expected[0], "byte \(place)")
    }
  }

  @Test("A closing line without a complete digest gives no digest.")
  func withoutDigest() {
    let (lines, _, _) = log()
    let whole = String(decoding: lines[3], as: UTF8.self)
    let hex = whole.components(separatedBy: #","digest":""#)
    for line in [
      #"{"kind":"transaction","txn":1}"#, hex[0] + #","digest":"abc"}"#,
      hex[0] + #","digest":""# + hex[1].prefix(64),
    ] {
      let piece = Piece()
      let digests = PieceDigests()
      digests.begin(after: start)
      fill(piece, Array((line + "\n").utf8))
      digests.make(of: piece)
      #expect(piece.digests == [nil], "\(line)")
    }
  }
}
