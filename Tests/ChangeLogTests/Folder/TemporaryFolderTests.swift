import Foundation
import Glibc
import Testing

@testable import ChangeLog

@Suite("Temporary folders of commands")
struct TemporaryFolderTests {
  @Test("Only its owner can use a temporary folder, and the folder is removed with its contents.")
  func folder() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let path = try #require(folder?.path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? NSNumber == 0o700)
    #expect(FileManager.default.createFile(atPath: path + "/file", contents: Data([1])))
    folder = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A temporary file has no name, and programs that are started do not get it.")
  func file() throws {
    let descriptor = try TemporaryFolder.openFile()
    defer { close(descriptor) }
    var status = stat()
    #expect(fstat(descriptor, &status) == 0 && status.st_nlink == 0)
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
  }

  @Test("If TMPDIR names no folder, the error names it.")
  func noFolder() async {
    // The variable is one of the whole process.
    await #expect(processExitsWith: .success) {
      setenv("TMPDIR", "/no/such/folder", 1)
      for make in [
        { _ = try TemporaryFolder() }, { _ = try TemporaryFolder.openFile() },
      ] as [() throws -> Void] {
        let error = #expect(throws: LogError.self) { try make() }
        try #require(error?.code == .missing && error?.path == "/no/such/folder")
      }
    }
  }
}
