import Foundation
import TestSupport
import Testing

@testable import Format

@Suite("Signatures of witnesses")
struct CosignatureTests {
  private let text: String
  private let signer: NoteKey
  private let first: TestWitness
  private let second: TestWitness

  init() throws {
    let vector = try TreeVectors.read().note
    text = vector.note
    signer = try NoteKey(verifier: vector.verifier)
    first = try TestWitness("witness.example/1", secret: 1)
    second = try TestWitness("witness.example/2", secret: 2)
  }

  private func note(_ text: String) throws -> SignedNote { try SignedNote(Array(text.utf8)) }

  @Test("The signature of a witness that another program computed is read with its time.")
  func vector() throws {
    let vector = try TreeVectors.read().note
    let witness = try NoteKey(verifier: vector.witness)
    #expect(witness.isWitness && witness.verifier == vector.witness)
    let found = try note(vector.cosigned).witnesses(among: [witness, signer])
    #expect(found.map(\.key) == [witness] && found.map(\.time) == [vector.time])
    #expect(try note(vector.cosigned).signers(among: [witness, signer]) == [signer])
    #expect(try note(vector.note).witnesses(among: [witness]).isEmpty)
  }

  @Test("A witness and a signer with the same name and bytes are different keys.")
  func kinds() throws {
    let namesake = try NoteKey(name: first.key.name, bytes: first.key.bytes)
    #expect(namesake != first.key && namesake.id != first.key.id)
    #expect(namesake.verifier != first.key.verifier)
    #expect(try NoteKey(verifier: first.key.verifier) == first.key)
    let cosigned = try note(first.cosigning(text))
    #expect(throws: NoteError.unsigned) { try cosigned.signers(among: [first.key, namesake]) }
    #expect(try cosigned.witnesses(among: [namesake, second.key]).isEmpty)
  }

  @Test("Each known witness is named once, with the time of its first signature.")
  func several() throws {
    let both = try second.cosigning(first.cosigning(text, at: 7), at: .init(Int64.max))
    let again = try note(first.cosigning(both, at: 8))
    let found = try again.witnesses(among: [second.key, first.key])
    #expect(found.map(\.key) == [first.key, second.key] && found.map(\.time) == [7, .max])
    #expect(try again.witnesses(among: [second.key]).map(\.key) == [second.key])
  }

  @Test(
    "A signature of a known witness is refused if a byte of it, of its time or of the text differs."
  )
  func altered() throws {
    let whole = try first.cosigning(text)
    let word = try #require(whole.split(whereSeparator: \.isWhitespace).last)
    var bytes = try #require(Data(base64Encoded: String(word)))
    for place in bytes.indices {
      bytes[place] ^= 1
      let forged = try note(whole.replacing(word, with: bytes.base64EncodedString()))
      if place < 4 {
        // The number of the key belongs to an unknown key.
        #expect(try forged.witnesses(among: [first.key]).isEmpty)
      } else {
        #expect(throws: NoteError.wrongSignature(first.key.name)) {
          try forged.witnesses(among: [first.key])
        }
      }
      bytes[place] ^= 1
    }
    for length in [5, 11, 12, 75] {
      let short = bytes.prefix(length).base64EncodedString()
      #expect(throws: NoteError.wrongSignature(first.key.name)) {
        try note(whole.replacing(word, with: short)).witnesses(among: [first.key])
      }
    }
    for time in [1 << 63, .max] as [UInt64] {
      #expect(throws: NoteError.wrongSignature(first.key.name)) {
        try note(first.cosigning(text, at: time)).witnesses(among: [first.key])
      }
    }
    #expect(throws: NoteError.wrongSignature(first.key.name)) {
      try note(whole.replacing("\n7\n", with: "\n8\n")).witnesses(among: [first.key])
    }
    #expect(throws: NoteError.wrongSignature(first.key.name)) {
      try note(whole.replacing("\n\n", with: "\nmore\n\n")).witnesses(among: [first.key])
    }
  }

  @Test("A request to a witness has the old size, the hashes, an empty line and the checkpoint.")
  func request() throws {
    let file = try CheckpointFile(Array(text.utf8))
    #expect(file.witnessRequest(after: 0, proof: []) == "old 0\n\n" + text)
    let hashes = [leafHash(SHA256.digest(of: [])), SHA256.digest(of: [1])]
    let lines = hashes.map { Data($0.bytes).base64EncodedString() + "\n" }.joined()
    #expect(file.witnessRequest(after: 3, proof: hashes) == "old 3\n\(lines)\n\(text)")
  }
}
