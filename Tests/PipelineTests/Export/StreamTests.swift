import Foundation
import PipelineTesting
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog
@testable import Format
@testable import Pipeline
@testable import Store

@Suite("Large values in a stream")
struct StreamTests {
  /// A store with two texts and a picture that are too large for a line; the picture is there twice.
  private func makeStore(_ folder: URL, pictureSize: Int = 3_000_000) throws -> Store {
    let store = try Store.open(.file(folder.appendingPathComponent("a.store")), schema: worldSchema)
    var generator = SeededGenerator(for: "large values in a stream")
    func bytes(_ count: Int) -> Data {
      let words = (0..<count / 8).map { _ in generator.next() }
      return words.withUnsafeBytes { Data($0) }
    }
    let guest = try #require(worldSchema.index(of: "Guest"))
    let camp = try #require(worldSchema.index(of: "Camp"))
    // Two values have exactly two pieces, and two pieces and a rest.
    for (id, count) in [(Int64(1), 2 * StreamedValue.pieceSize), (2, 1_600_000)] {
      let text = String(bytes(count / 4 * 3).base64EncodedString().prefix(count))
      try store.write(Author()) { writer in
        let columns = writer.layouts[guest].columns
        try writer.insert(
          guest,
          id: id,
          values: columns.map { $0.name == "note" ? .text(text) : .null }
        )
      }
    }
    let picture = bytes(pictureSize)
    for id in Int64(1)...2 {
      try store.write(Author()) { writer in
        let columns = writer.layouts[camp].columns
        let values = columns.map { column -> Value in
          switch column.name {
          case "name": .text("Camp \(id)")
          case "picture": .blob(picture)
          default: .null
          }
        }
        try writer.insert(camp, id: id, values: values)
      }
    }
    return store
  }

  /// Writes an export to a file as a stream.
  private func stream(_ store: Store, _ folder: URL, fileSize: Int64 = 1) throws -> URL {
    let url = folder.appendingPathComponent("stream-\(UUID().uuidString)")
    #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
    let output = try FileHandle(forWritingTo: url)
    var request = ExportRequest(store: store.location.path, logs: LogFolder("none"))
    request.stream = output.fileDescriptor
    request.maximumFileSize = fileSize
    request.level = 1
    _ = try export(request)
    try output.close()
    return url
  }

  private func spool(_ url: URL, acceptsDamage: Bool = false) throws -> LogSpool {
    let input = try FileHandle(forReadingFrom: url)
    defer { try? input.close() }  // It was only read.
    return try LogSpool(
      stream: input.fileDescriptor,
      name: "a stream",
      acceptsDamage: acceptsDamage
    )
  }

  private func kinds(_ lines: [String]) -> String {
    lines.map { line in
      let kind = line.dropFirst(9).prefix { $0 != "\"" }
      return kind == "transaction" ? "x" : String(kind.prefix(1))
    }.joined()
  }

  @Test("Each large value follows once after the first log that refers to it, and is imported.")
  func roundTrip() throws {
    try withTemporaryFolder { folder in
      let store = try makeStore(folder)
      let url = try stream(store, folder)
      let lines = try gunzip(url.path).split(separator: "\n").map(String.init)
      // A header, a change, a transaction, a trailer, and the pieces of a value.
      #expect(kinds(lines) == "hcxtvvhcxtvvvhcxtvvvvhcxt")
      let spool = try spool(url)
      let replica = folder.path + "/b.store"
      _ = try importLogs(ImportRequest(logs: spool.folder, store: replica))
      let copy = try Store.open(.file(URL(fileURLWithPath: replica)))
      #expect(try rowDump(of: copy) == rowDump(of: store))
      let names = try FileManager.default.contentsOfDirectory(atPath: replica + "-blobs").sorted()
      let own = store.location.path + "-blobs"
      #expect(try names == FileManager.default.contentsOfDirectory(atPath: own).sorted())
      for name in names {
        #expect(
          FileManager.default.contentsEqual(
            atPath: "\(own)/\(name)",
            andPath: "\(replica)-blobs/\(name)"
          )
        )
      }
      #expect(try verify(VerifyRequest(logs: spool.folder)).flatMap(\.findings) == [])
      // The logs in the stream have the lines of a log folder.
      let logs = LogFolder(folder.path + "/logs")
      _ = try export(ExportRequest(store: store.location.path, logs: logs))
      #expect(
        try verify(VerifyRequest(logs: logs)).map(\.to)
          == verify(VerifyRequest(logs: spool.folder)).map(\.to)
      )
    }
  }

  /// Changes of the lines of a stream, with a part of the expected error.
  private static let damages:
    [(what: String, error: String, change: @Sendable (inout [String]) -> Void)] = [
      ("a piece is missing", "continues at byte 786432", { $0.remove(at: 8 + 3) }),
      ("a piece is duplicated", "continues at byte", { $0.insert($0[10], at: 11) }),
      ("two pieces are swapped", "continues at byte", { $0.swapAt(10, 11) }),
      ("the last piece is missing", "should continue with", { $0.remove(at: 12) }),
      ("the stream ends in a value", "ends in the middle", { $0.removeSubrange(12...) }),
      ("a log follows in the middle of a value", "should continue with", { $0.swapAt(12, 13) }),
      ("a value precedes the first log", "is not a log", { $0.insert($0[4], at: 0) }),
      ("a value is inside a log", "lines after the trailer", { $0.insert($0[4], at: 1) }),
      ("a byte differs", "do not have the digest", { $0[11] = $0[11].replacing("A", with: "B") }),
      (
        "another digest", "do not have the digest",
        { lines in
          for index in 10...12 {
            lines[index] = lines[index].replacing(#""sha256":""#, with: #""sha256":"0"#);
            lines[index].remove(at: lines[index].index(lines[index].startIndex, offsetBy: 90))
          }
        }
      ),
      (
        "another size", "continues at byte",
        { $0[11] = $0[11].replacing(#""size":1"#, with: #""size":2"#) }
      ),
      (
        "a blank", "should continue with",
        { $0[10] = $0[10].replacing(#","size""#, with: #", "size""#) }
      ),
      (
        "another member", "should continue with",
        {
          $0[10].removeLast(); $0[10] += #","x":0}"#
        }
      ),
      (
        "a digest in capitals", "is not a digest",
        { $0[10] = $0[10].replacing(#""sha256":""#, with: #""sha256":"A"#) }
      ),
      (
        "padding inside", "does not have the next bytes",
        { $0[10] = $0[10].replacing(#""data":""#, with: #""data":"AA=="#) }
      ),
    ]

  @Test("A large value in a stream is refused unless its pieces have their exact form and order.")
  func damage() throws {
    try withTemporaryFolder { folder in
      let store = try makeStore(folder, pictureSize: 800)
      let lines = try gunzip(stream(store, folder).path).split(separator: "\n").map(String.init)
      let altered = folder.appendingPathComponent("altered")
      for damage in Self.damages {
        var text = lines
        damage.change(&text)
        let compressor = try GzipCompressor(level: 1, path: altered.path)
        try Data(compressor.member(of: Array((text.joined(separator: "\n") + "\n").utf8)))
          .write(to: altered)
        let error = #expect(throws: LogError.self, "\(damage.what)") {
          let spool = try spool(altered)
          _ = try importLogs(ImportRequest(logs: spool.folder, store: folder.path + "/c.store"))
        }
        #expect(
          error?.message.contains(damage.error) == true,
          "\(damage.what): \(error?.message ?? "")"
        )
        #expect(!(try findings(altered).isEmpty), "\(damage.what)")
      }
    }
  }

  /// The findings of a verification of a stream, and of its logs in a folder.
  private func findings(_ url: URL) throws -> [String] {
    let spool = try spool(url, acceptsDamage: true)
    var request = VerifyRequest(logs: spool.folder)
    request.failures = spool.failures
    do {
      return try verify(request).flatMap(\.findings).map(\.message)
    } catch let error as LogError {
      return [error.message]
    }
  }
}
