import Changes
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Large values in lines")
struct StreamedValueTests {
  private static let piece = StreamedValue.pieceSize

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
  }

  /// The lines of a value in a stream.
  private func lines(_ value: [UInt8], _ folder: URL) throws -> [[UInt8]] {
    let url = folder.appendingPathComponent(UUID().uuidString)
    #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
    let output = try FileHandle(forWritingTo: url)
    try LogWriter.write(
      .bytes(Data(value)),
      digest: SHA256.digest(of: value).description,
      size: Int64(value.count),
      level: 1,
      to: output.fileDescriptor,
      name: "a stream"
    )
    try output.close()
    return try gunzipLines(url.path)
  }

  @Test("A value is split into pieces of equal size, and is read as a file named by its digest.")
  func roundTrip() throws {
    try withTemporaryFolder { folder in
      for count in [1, Self.piece - 1, Self.piece, Self.piece + 1, 2 * Self.piece] {
        let value = bytes(count)
        let lines = try lines(value, folder)
        #expect(lines.count == (count + Self.piece - 1) / Self.piece)
        let blobs = LogBlobs(path: folder.path + "/blobs-\(count)")
        let spooled = try lines[0].withUnsafeBytes { try SpooledValue($0, blobs: blobs) }
        for (number, line) in lines.enumerated() {
          #expect(line.withUnsafeBytes { StreamedValue.begins($0) })
          let isLast = try line.withUnsafeBytes { try spooled.append($0) }
          #expect(isLast == (number == lines.count - 1))
        }
        let digest = SHA256.digest(of: value).description
        #expect(try FileManager.default.contentsOfDirectory(atPath: blobs.path) == [digest])
        #expect(try Data(contentsOf: URL(fileURLWithPath: blobs.file(digest))) == Data(value))
        try blobs.check(digest, size: Int64(count))
      }
    }
  }

  @Test("Only its owner can read the file of a value that is not complete.")
  func mode() throws {
    try withTemporaryFolder { folder in
      let line = try lines(bytes(Self.piece + 1), folder)[0]
      let blobs = LogBlobs(path: folder.path + "/blobs")
      let spooled = try line.withUnsafeBytes { try SpooledValue($0, blobs: blobs) }
      #expect(try !line.withUnsafeBytes { try spooled.append($0) })
      let names = try FileManager.default.contentsOfDirectory(atPath: blobs.path)
      try #require(names.count == 1)
      let path = "\(blobs.path)/\(names[0])"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
    }
  }

  @Test("The writer refuses a value that does not match its digest or its size.")
  func altered() throws {
    try withTemporaryFolder { folder in
      let value = bytes(10)
      let digests = [SHA256.digest(of: value), SHA256.digest(of: [])]
      for (digest, size) in [(digests[1], Int64(10)), (digests[0], 9), (digests[0], 11)] {
        let path = folder.path + "/out"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let error = #expect(throws: StoreError.self) {
          try LogWriter.write(
            .bytes(Data(value)),
            digest: digest.description,
            size: size,
            level: 1,
            to: output.fileDescriptor,
            name: "out"
          )
        }
        #expect(error?.code == .damaged)
        try output.close()
      }
    }
  }

  @Test(
    "A line that is not the next piece, or is in another form, is refused."
  )
  func refusals() throws {
    try withTemporaryFolder { folder in
      let digest = SHA256.digest(of: Array("abc".utf8)).description
      let right =
        #"{"kind":"value","sha256":"\#(digest)","size":3,"offset":0,"data":"YWJj"}"# + "\n"
      let blobs = LogBlobs(path: folder.path + "/blobs")
      func isTaken(_ text: String) throws -> Bool {
        do {
          return try Array(text.utf8).withUnsafeBytes { line in
            try SpooledValue(line, blobs: blobs).append(line)
          }
        } catch is Refusal {
          return false
        }
      }
      #expect(try isTaken(right))
      for (part, other) in [
        ("\"offset\":0", "\"offset\":1"), ("\"size\":3", "\"size\":2"),
        ("\"size\":3", "\"size\":4"),
        ("\"size\":3", "\"size\":0"), ("YWJj", "YWJk"), ("YWJj", "YWI="), ("YWJj", "YWJ"),
        ("YWJj", ""),
        ("}\n", "}"), ("}\n", "}\n\n"), (digest, digest.uppercased()),
        (digest, String(digest.dropLast())),
      ] {
        #expect(try !isTaken(right.replacing(part, with: other)), "\(other)")
      }
      // The second line of a value with another digest, size or place.
      let value = bytes(Self.piece + 3)
      let lines = try lines(value, folder)
      let first = try lines[0].withUnsafeBytes { try SpooledValue($0, blobs: blobs) }
      #expect(try lines[0].withUnsafeBytes { try !first.append($0) })
      #expect(throws: Refusal.self) { try lines[0].withUnsafeBytes { try first.append($0) } }
      #expect(throws: Refusal.self) {
        try Array(right.utf8).withUnsafeBytes { try first.append($0) }
      }
      #expect(try lines[1].withUnsafeBytes { try first.append($0) })
    }
  }

  @Test("A piece of a value has 1 MiB as base64.")
  func pieceSize() throws {
    #expect(Self.piece == 786_432)
    try withTemporaryFolder { folder in
      let lines = try lines(bytes(Self.piece + 1), folder)
      let texts = lines.map { line in
        String(decoding: line, as: UTF8.self).components(separatedBy: #","data":""#)[1]
      }
      #expect(texts.map(\.utf8.count) == [1_048_576 + 3, 4 + 3])
    }
  }

  @Test("The error of a line that is not the next piece says what is wrong.")
  func messages() throws {
    try withTemporaryFolder { folder in
      let digest = SHA256.digest(of: Array("abc".utf8)).description
      let right =
        #"{"kind":"value","sha256":"\#(digest)","size":3,"offset":0,"data":"YWJj"}"# + "\n"
      let blobs = LogBlobs(path: folder.path + "/blobs")
      let continues = "the large value \(digest) continues at byte 0 of"
      let noBytes = "the line of a large value has no bytes, or has text after its end"
      let notNext = "the line does not have the next bytes of the large value"
      let long = String(repeating: "a", count: 80)
      for (part, other, message) in [
        ("\"offset\":0", "\"offset\":1", continues + " 3"), ("\"size\":3", "\"size\":0", noBytes),
        ("\"size\":3", "\"size\":-3", noBytes), ("}\n", "}\n\n", noBytes),
        ("\"size\":3", "\"size\":2", notNext), ("\"size\":3", "\"size\":4", notNext),
        ("YWJj", "", notNext), ("YWJj", "YW=j", notNext),
        ("YWJj", "YWJk", "the bytes of the large value do not have the digest \(digest)"),
        (digest, long, "'\(long.prefix(70))' is not a digest"),
        (digest, digest.uppercased(), "'\(digest.uppercased())' is not a digest"),
      ] {
        let altered = Array(right.replacing(part, with: other).utf8)
        let refusal = #expect(throws: Refusal.self, "\(other)") {
          try altered.withUnsafeBytes { _ = try SpooledValue($0, blobs: blobs).append($0) }
        }
        #expect(refusal?.message == message)
      }
    }
  }
}
