import Changes
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChangeLog

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

  @Test(
    "The parent of a path ends before its last slash; without a slash it is the working folder."
  )
  func parents() {
    #expect(parentFolder("/a/b") == "/a" && parentFolder("/a") == "/" && parentFolder("/") == "/")
    #expect(parentFolder("a/b") == "a" && parentFolder("a") == ".")
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

  private func expect(_ code: LogError.Code, _ reason: String, _ action: () throws -> Void) {
    let error = #expect(throws: LogError.self) { try action() }
    #expect(error?.code == code)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test("An error has the system's reason, and a code for it.")
  func errors() throws {
    try withTemporaryFolder { folder in
      let none = folder.path + "/none"
      let file = folder.path + "/file"
      try writeDurably([1], to: file)
      expect(.missing, "No such file or directory") { try writeDurably([1], to: none + "/file") }
      expect(.missing, "No such file or directory") { try syncFolder(none) }
      expect(.missing, "No such file or directory") { try moveDurably(none, to: file) }
      expect(.missing, "No such file or directory") {
        try appendDurably([1], to: none + "/a", after: 0)
      }
      expect(.missing, "No such file or directory") { try removeDurably(none + "/a") }
      #expect(try names(in: file) == [])
      expect(.inputOutput, "Is a directory") {
        _ = try readSmallFile(folder.path, isNamed: true)
      }
      expect(.damaged, "a folder") { _ = try readSmallFile(folder.path) }
      let pipe = folder.path + "/pipe"
      let link = folder.path + "/link"
      #expect(mkfifo(pipe, 0o600) == 0 && symlink(file, link) == 0)
      expect(.damaged, "a pipe") { _ = try readSmallFile(pipe) }
      expect(.damaged, "a symbolic link") { _ = try readSmallFile(link) }
      #expect(try readSmallFile(link, isNamed: true) == [1])
      expect(.damaged, "a pipe") { try readLines(of: pipe, limit: 1) { _ in } }
      expect(.inputOutput, "Too many levels") { try appendDurably([1], to: link, after: 0) }
      expect(.inputOutput, "Is a directory") { try appendDurably([1], to: folder.path, after: 0) }
      expect(.inputOutput, "Bad file descriptor") { try write([1], to: -1, path: "path") }
      for (number, code) in [
        (ENOSPC, LogError.Code.diskFull), (EDQUOT, .diskFull), (EIO, .inputOutput),
      ] {
        errno = number
        #expect(diskError("x", path: "p").code == code)
      }
      errno = ENOLCK
      #expect(diskError("lock", path: "p").hint.contains("local disk"))
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
      expect(.damaged, "The file \(path), or a line in it, is larger than the limit.") {
        _ = try read(limit: 1000)
      }
      // The limit holds for each line, and not for all lines together.
      try writeDurably([0x61, 0x62, 0x0a, 0x63, 0x64, 0x65, 0x0a], to: path)
      #expect(try read(limit: 3) == [[0x61, 0x62], [0x63, 0x64, 0x65]])
      expect(.damaged, "The file \(path), or a line in it, is larger than the limit.") {
        _ = try read(limit: 2)
      }
    }
  }

  @Test("A folder that exists is neither created nor synced, even if its parent can't be synced.")
  func existingFolder() throws {
    // The system refuses to sync a folder of /proc.
    #expect(throws: LogError.self) { try syncFolder("/proc") }
    try makeFolders("/proc/self")
    try makeFolders("/proc/self/fd")
    let error = #expect(throws: LogError.self) { try makeFolders("/proc/self/no folder") }
    #expect(error?.message.hasPrefix("Can't create /proc/self/no folder: ") == true)
  }

  @Test("If others may read a file, its permissions depend on the umask unless it is ignored.")
  func filesForAll() async throws {
    // The umask is one of the whole process.
    await #expect(processExitsWith: .success) {
      umask(0o026)
      try withTemporaryFolder { folder in
        for (isForAll, ignoresUmask, expected) in [
          (true, false, mode_t(0o640)), (true, true, 0o644), (false, false, 0o600),
        ] {
          let path = folder.path + "/\(isForAll) \(ignoresUmask)"
          try writeDurably([1], to: path, isForAll: isForAll, ignoresUmask: ignoresUmask)
          var status = stat()
          try #require(stat(path, &status) == 0 && status.st_mode & 0o777 == expected)
        }
      }
    }
  }

  @Test("Only a file is removed durably: a folder is an error, and a missing file is not.")
  func removing() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/folder"
      try makeFolders(path)
      expect(.inputOutput, "Can't remove \(path): Is a directory") { try removeDurably(path) }
      #expect(try names(in: folder.path) == ["folder"])
      let file = path + "/file"
      try writeDurably([1], to: file)
      errno = 0
      try removeDurably(file)
      #expect(try names(in: path) == [])
      try removeDurably(file)
    }
  }

  @Test("A device is not cut to a length, so nothing is appended to it.")
  func appendingToDevice() {
    expect(.inputOutput, "Can't write /dev/null: Invalid argument") {
      try appendDurably([1], to: "/dev/null", after: 0)
    }
  }

  @Test("A file also ends if an earlier system call was interrupted.")
  func interrupted() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/file"
      try writeDurably([1, 2], to: path)
      errno = EINTR
      #expect(try readSmallFile(path) == [1, 2])
    }
  }

  @Test("The digest of a file is the SHA-256 of its bytes, and needs a regular file.")
  func digests() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/file"
      for count in [0, 1, 1 << 16, 150_000] {
        let bytes = [UInt8](repeating: 7, count: count)
        try writeDurably(bytes, to: path)
        #expect(try fileDigest(path) == SHA256.digest(of: bytes))
      }
      let link = folder.path + "/link"
      #expect(symlink(path, link) == 0)
      expect(.damaged, "\(link) is a symbolic link, not a file") { _ = try fileDigest(link) }
      expect(.missing, "Can't open \(path)x: No such file or directory.") {
        _ = try fileDigest(path + "x")
      }
    }
  }

  @Test("A missing folder has no entries; a file, a link or a bad name depends on the question.")
  func entriesOfOthers() throws {
    try withTemporaryFolder { folder in
      let (file, link, loop) = (folder.path + "/file", folder.path + "/link", folder.path + "/loop")
      try makeFolders(folder.path + "/folder/below")
      try writeDurably([1], to: file)
      #expect(symlink(folder.path + "/folder", link) == 0 && symlink(loop, loop) == 0)
      let missing = folder.path + "/missing"
      for follows in [false, true] {
        #expect(try entries(in: missing, follows: follows).isEmpty)
        #expect(
          try entries(in: folder.path + "/folder", follows: follows)
            == [FolderEntry(name: "below", kind: .folder)]
        )
        let long = folder.path + "/" + String(repeating: "a", count: 300)
        expect(.inputOutput, "Can't read \(long): File name too long") {
          _ = try entries(in: long, follows: follows)
        }
      }
      #expect(try entries(in: link, follows: true).map(\.name) == ["below"])
      for path in [file, link, loop + "/below"] { #expect(try entries(in: path).isEmpty) }
      expect(.missing, "Not a directory") { _ = try entries(in: file, follows: true) }
      expect(.inputOutput, "Too many levels") {
        _ = try entries(in: loop + "/below", follows: true)
      }
      #expect(
        try entries(in: folder.path) == [
          FolderEntry(name: "file", kind: .file), FolderEntry(name: "folder", kind: .folder),
          FolderEntry(name: "link", kind: .link), FolderEntry(name: "loop", kind: .link),
        ]
      )
    }
  }
}
