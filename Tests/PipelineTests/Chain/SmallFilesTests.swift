import ChangeLog
import Format
import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite("Small files beside logs")
struct SmallFilesTests {
  private static let store = "00000000-0000-0000-0000-00000000000A"

  private func point(_ id: Int64) -> HistoryPoint {
    HistoryPoint(lineage: 0, transaction: id, digest: SHA256.digest(of: [UInt8(id)]))
  }

  private func mark(
    _ entity: String = "Trip",
    id: ObjectID = 7,
    attributes: [String] = [],
    hasStore: Bool = false,
    largeValues: [String] = []
  ) -> EraseMark {
    EraseMark(
      entity: entity,
      id: id,
      attributes: attributes,
      hasStore: hasStore,
      largeValues: largeValues
    )
  }

  /// Calls `body` with a log folder in which the folder of the store exists.
  private func withLogs(_ body: (LogFolder) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      try FileManager.default.createDirectory(
        atPath: logs.storeFolder(Self.store),
        withIntermediateDirectories: false
      )
      try body(logs)
    }
  }

  @Test("A text is quoted for a shell unless it has only digits and minus signs.")
  func quotes() {
    for plain in ["0", "9", "-", "-12", "2026-11-03"] { #expect(inShell(plain) == plain) }
    for (text, quoted) in [
      ("/", "'/'"), (":", "':'"), ("1a", "'1a'"), ("a b", "'a b'"), ("'", #"''\'''"#),
      ("a'b'c", #"'a'\''b'\''c'"#), ("$x", "'$x'"),
    ] {
      #expect(inShell(text) == quoted)
    }
  }

  @Test("A token can have 65,536 bytes, and a larger file counts as a damaged token.")
  func sizeOfToken() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/token.json"
      #expect(try readToken(path) == nil)
      let token = Bookmark(store: "S", points: ["S": point(3)])
      let text = token.json()
      for size in [text.count, 1 << 16] {
        let blanks = [UInt8](repeating: 0x20, count: size - text.count)
        try Data([text[0]] + blanks + text.dropFirst()).write(to: URL(fileURLWithPath: path))
        #expect(try readToken(path) == token)
      }
      let blanks = [UInt8](repeating: 0x20, count: 65_537 - text.count)
      try Data([text[0]] + blanks + text.dropFirst()).write(to: URL(fileURLWithPath: path))
      let error = #expect(throws: LogError.self) { try readToken(path) }
      #expect(error?.path == path && error.map(isDamagedToken) == true)
    }
  }

  @Test(
    "A written token keeps the points of other stores, and an equal token is not written again."
  )
  func writtenTokens() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/new/folder/token.json"
      try writeToken(point(3), of: "S", to: path)
      #expect(try readToken(path) == Bookmark(store: "S", points: ["S": point(3)]))
      try writeToken(point(4), of: "T", to: path)
      let both = Bookmark(store: "T", points: ["S": point(3), "T": point(4)])
      #expect(try readToken(path) == both)
      // The store of the token would be S if the file were written again.
      try writeToken(point(3), of: "S", to: path)
      #expect(try readToken(path) == both)
      try writeToken(point(5), of: "S", to: path)
      #expect(
        try readToken(path) == Bookmark(store: "S", points: ["S": point(5), "T": point(4)])
      )
      try Data("no token".utf8).write(to: URL(fileURLWithPath: path))
      try writeToken(point(6), of: "S", to: path)
      #expect(try readToken(path) == Bookmark(store: "S", points: ["S": point(6)]))
      let newer = #"{"kind":"travelog-token","version":2}"#
      try Data(newer.utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: StoreError.self) { try writeToken(point(6), of: "S", to: path) }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == newer)
    }
  }

  @Test("A link instead of a token or a mark is damage, and is not followed.")
  func links() throws {
    try withLogs { logs in
      let store = Self.store
      let folder = logs.storeFolder(store)
      try writeToken(point(3), of: store, to: logs.path + "/token")
      try mark().write(logs, store: store)
      try FileManager.default.moveItem(
        atPath: folder + "/_erasing.json",
        toPath: logs.path + "/_erasing.json"
      )
      for (name, target) in [("_token.json", "token"), ("_erasing.json", "_erasing.json")] {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder)/\(name)",
          withDestinationPath: "\(logs.path)/\(target)"
        )
      }
      let errors = [
        #expect(throws: LogError.self) { try readToken(folder + "/_token.json") },
        #expect(throws: LogError.self) { try EraseMark.read(logs, store: store) },
      ]
      #expect(errors.map { $0?.code } == [.damaged, .damaged])
      #expect(
        errors.map { $0?.path }
          == ["_token.json", "_erasing.json"].map { "\(folder)/\($0)" }
      )
    }
  }
}
