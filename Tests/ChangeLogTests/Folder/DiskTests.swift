import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChangeLog
@testable import Format

@Suite("Files on disk")
struct DiskTests {
  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test("A folder is created with its parents, and only its owner has access.")
  func folders() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/a/b/c"
      try makeFolders(path)
      try makeFolders(path)
      for path in [path, folder.path + "/a"] { #expect(mode(path) == 0o700) }
      let file = path + "/file"
      try writeDurably([1], to: file)
      let error = #expect(throws: LogError.self) { try makeFolders(file + "/d") }
      #expect(error?.code == .missing && error?.path == file + "/d")
    }
  }

  @Test("A written file has its bytes and permissions, and no temporary file is left.")
  func writing() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/file"
      let cases: [(isForAll: Bool, ignoresUmask: Bool, mode: mode_t)] = [
        (false, false, 0o600), (true, true, 0o644),
      ]
      for (number, example) in cases.enumerated() {
        try? FileManager.default.removeItem(atPath: path)
        try writeDurably(
          [UInt8](repeating: UInt8(number), count: 100_000),
          to: path,
          isForAll: example.isForAll,
          ignoresUmask: example.ignoresUmask
        )
        #expect(try bytes(path) == [UInt8](repeating: UInt8(number), count: 100_000))
        #expect(mode(path) == example.mode)
        #expect(try names(in: folder.path) == ["file"])
      }
      #expect(size(of: path) == 100_000 && size(of: path + "x") == 0)
      try removeDurably(path)
      try removeDurably(path)
      #expect(try names(in: folder.path) == [])
    }
  }

  @Test("A write that fails leaves the file as it was, and no temporary file.")
  func failedWriting() throws {
    struct Stopped: Error {}
    try withTemporaryFolder { folder in
      let path = folder.path + "/file"
      try writeDurably([1], to: path)
      #expect(throws: Stopped.self) {
        try writeDurably(to: path) { write in
          try [UInt8](repeating: 2, count: 9).withUnsafeBytes { try write($0) }
          throw Stopped()
        }
      }
      #expect(try bytes(path) == [1] && names(in: folder.path) == ["file"])
      // A file can't replace a folder.
      try makeFolders(folder.path + "/folder")
      let error = #expect(throws: LogError.self) {
        try writeDurably([1], to: folder.path + "/folder")
      }
      #expect(error?.code == .inputOutput)
      #expect(try names(in: folder.path) == ["file", "folder"])
    }
  }

  private func expect(_ code: LogError.Code, _ action: () throws -> Void) {
    #expect(#expect(throws: LogError.self) { try action() }?.code == code)
  }

  @Test("The error of an unreadable file names its owner, if it is another user.")
  func owner() throws {
    #expect(diskError("read", path: "/", number: EACCES).code == .notPermitted)
    #expect(diskError("create", path: "/", number: EACCES).code == .inputOutput)
    #expect(permissionHint(for: "logs", owner: nil).hint.isEmpty)
    #expect(permissionHint(for: "logs", owner: "alice").message.contains("alice"))
    try withTemporaryFolder { folder in
      // A file that can't be seen lacks the permission of its folder.
      #expect(permissionHint(for: folder.path + "/none/a") == permissionHint(for: folder.path))
    }
  }

  @Test("An error of the system has a code.")
  func errors() throws {
    try withTemporaryFolder { folder in
      let none = folder.path + "/none"
      let file = folder.path + "/file"
      try writeDurably([1], to: file)
      expect(.missing) { try writeDurably([1], to: none + "/file") }
      expect(.missing) { try syncFolder(none) }
      expect(.missing) { try moveDurably(none, to: file) }
      expect(.missing) { try appendDurably([1], to: none + "/a", after: 0) }
      expect(.missing) { try removeDurably(none + "/a") }
      #expect(try names(in: file) == [])
      expect(.inputOutput) { _ = try readSmallFile(folder.path, isNamed: true) }
      expect(.damaged) { _ = try readSmallFile(folder.path) }
      let pipe = folder.path + "/pipe"
      let link = folder.path + "/link"
      #expect(mkfifo(pipe, 0o600) == 0 && symlink(file, link) == 0)
      expect(.damaged) { _ = try readSmallFile(pipe) }
      expect(.damaged) { _ = try readSmallFile(link) }
      #expect(try readSmallFile(link, isNamed: true) == [1])
      expect(.damaged) { try readLines(of: pipe, limit: 1) { _ in } }
      expect(.inputOutput) { try appendDurably([1], to: link, after: 0) }
      expect(.inputOutput) { try appendDurably([1], to: folder.path, after: 0) }
      expect(.inputOutput) { try write([1], to: -1, path: "path") }
      for (number, code) in [
        (ENOSPC, LogError.Code.diskFull), (EDQUOT, .diskFull), (EIO, .inputOutput),
      ] {
        errno = number
        #expect(diskError("x", path: "p").code == code)
      }
    }
  }

  @Test("A small file is read whole up to its limit, and is nil if it is missing.")
  func smallFiles() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/file"
      #expect(try readSmallFile(path) == nil)
      for count in [0, 1, 1 << 16, 1 << 16 + 1, 200_000] {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try writeDurably(content, to: path)
        #expect(try readSmallFile(path, limit: count) == content)
        guard count > 0 else { continue }
        let error = #expect(throws: LogError.self) { try readSmallFile(path, limit: count - 1) }
        #expect(error?.code == .damaged)
      }
      #expect(try readSmallFile(path + "/below") == nil)
    }
  }

  @Test("Bytes are appended at a given length of a file, and the bytes after it are cut off.")
  func appending() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/file"
      try appendDurably([1, 2, 3], to: path, after: 0)
      #expect(mode(path) == 0o600)
      try appendDurably([4], to: path, after: 3)
      #expect(try bytes(path) == [1, 2, 3, 4])
      try appendDurably([5], to: path, after: 1)
      #expect(try bytes(path) == [1, 5])
    }
  }

  @Test("The lines of a file are those with a line break, however long the file is.")
  func lines() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/file"
      func read(limit: Int) throws -> [[UInt8]] {
        var result: [[UInt8]] = []
        try readLines(of: path, limit: limit) { result.append(Array($0)) }
        return result
      }
      #expect(try read(limit: 1) == [])
      let line = [UInt8](repeating: 0x61, count: 40_000)
      let lines = [line, [], [0x62], line, line]
      try writeDurably(Array(lines.joined(separator: [0x0a])) + [0x0a, 0x63], to: path)
      #expect(try read(limit: 40_000) == lines)
      try writeDurably([UInt8](repeating: 0x61, count: 101), to: path)
      #expect(try read(limit: 101) == [])
      let error = #expect(throws: LogError.self) { try read(limit: 100) }
      #expect(error?.code == .damaged)
      // A line with its end is refused too, before it is completely in memory.
      try writeDurably([UInt8](repeating: 0x61, count: 70_000) + [0x0a], to: path)
      #expect(try read(limit: 70_000).map(\.count) == [70_000])
      expect(.damaged) { _ = try read(limit: 1000) }
      // The limit holds for each line, and not for all lines together.
      try writeDurably([0x61, 0x62, 0x0a, 0x63, 0x64, 0x65, 0x0a], to: path)
      #expect(try read(limit: 3) == [[0x61, 0x62], [0x63, 0x64, 0x65]])
      expect(.damaged) { _ = try read(limit: 2) }
    }
  }
}
