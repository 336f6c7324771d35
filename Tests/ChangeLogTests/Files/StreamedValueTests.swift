import Format
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
}
