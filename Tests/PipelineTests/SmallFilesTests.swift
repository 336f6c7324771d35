import ChangeLog
import Changes
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

  @Test("A notice names each file that its group or all users can write, and no other file.")
  func permissions() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/a"
      try Data().write(to: URL(fileURLWithPath: path))
      for mode in [
        0o400, 0o200, 0o100, 0o040, 0o020, 0o010, 0o004, 0o002, 0o001, 0o755, 0o666,
      ] as [mode_t] {
        try #require(chmod(path, mode) == 0)
        let isOpen = [0o020, 0o002, 0o666].contains(mode)
        let notices = permissionNotices([folder.path + "/none", path])
        #expect(notices == (isOpen ? [.othersMayWrite(path)] : []), "\(String(mode, radix: 8))")
      }
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

  @Test("The command that completes an erasure has the attributes and the store of its mark.")
  func commands() {
    let logs = LogFolder("logs")
    #expect(mark().command(logs) == "travelog erase logs --entity Trip --id 7")
    #expect(
      mark("Stay", id: -3, attributes: ["a", "b"], hasStore: true).command(logs)
        == "travelog erase logs --entity Stay --id -3 --attribute a --attribute b --store STORE"
    )
  }

  @Test("Two marks are of the same erasure if only their large values differ.")
  func sameMarks() {
    let one = mark(attributes: ["a"], largeValues: ["x"])
    #expect(one.isSame(as: one) && one.isSame(as: mark(attributes: ["a"])))
    #expect(!one.isSame(as: mark("Stay", attributes: ["a"])))
    #expect(!one.isSame(as: mark(id: 8, attributes: ["a"])))
    #expect(!one.isSame(as: mark(attributes: ["b"])))
    #expect(!one.isSame(as: mark(attributes: ["a"], hasStore: true)))
  }

  @Test("The mark of an erasure is a line of JSON, and is read until it is removed.")
  func marks() throws {
    try withLogs { logs in
      let path = logs.storeFolder(Self.store) + "/_erasing.json"
      #expect(try EraseMark.read(logs, store: Self.store) == nil)
      try logs.checkErasing(Self.store)
      let written = mark(attributes: ["a/b"], largeValues: ["x"])
      try written.write(logs, store: Self.store)
      let members = #""attributes":["a/b"],"entity":"Trip","hasStore":false,"id":7"#
      let kind = #""kind":"travelog-erasing","largeValues":["x"],"version":1"#
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text == "{\(members),\(kind)}\n")
      #expect(try EraseMark.read(logs, store: Self.store) == written)
      let error = #expect(throws: LogError.self) { try logs.checkErasing(Self.store) }
      #expect(error?.code == .unfinished && error?.path == path && error?.line == 0)
      #expect(
        error?.message
          == "An erasure in the logs of the store \(Self.store) in \(logs.path) is not finished."
      )
      #expect(error?.hint == "Run “\(written.command(logs))” again.")
      try logs.removeMark(Self.store)
      #expect(try EraseMark.read(logs, store: Self.store) == nil)
      try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
      let damage = #expect(throws: LogError.self) { try logs.checkErasing(Self.store) }
      #expect(damage?.code == .damaged && damage?.path == path)
      #expect(
        damage?.message.hasPrefix(
          "\(path), the record of an unfinished erasure, can't be read: "
        ) == true
      )
      #expect(damage?.hint == "Restore the file from another copy.")
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

  @Test("A token is damaged if its bytes are wrong, but not if it can't be read or is newer.")
  func damagedTokens() {
    let damaged: [any Error] = [
      StoreError(TokenFailure.unreadable("")), LogFailure.tooLarge.at("a"),
      LogFailure.notAFile(.link).at("a"),
    ]
    for error in damaged { #expect(isDamagedToken(error), "\(error)") }
    let others: [any Error] = [
      StoreError(TokenFailure.version(2, known: 1)), LogFailure.cutOff.at("a"),
      LogFailure.system(verb: "read", 5).at("a"), LogFailure.outOfMemory.at("a"),
      PipelineError(.noLogs), CancellationError(),
    ]
    for error in others { #expect(!isDamagedToken(error), "\(error)") }
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
