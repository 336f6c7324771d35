import Foundation
import Stopping
import TestSupport
import Testing

@testable import ChangeLog

@Suite("The lock of a log folder")
struct FolderLockTests {
  @Test("A second lock of the same folder is refused, and the error names the holder.")
  func second() throws {
    try withTemporaryFolder { url in
      let folder = LogFolder(url.path)
      let lock = try FolderLock(folder, purpose: "travelog export")
      let error = #expect(throws: LogError.self) {
        _ = try FolderLock(folder, purpose: "travelog compact")
      }
      #expect(error?.code == .locked)
      #expect(error?.message.contains("travelog export, process \(getpid()) on ") == true)
      withExtendedLifetime(lock) {}
    }
  }

  @Test("The lock ends with its object, and the next holder's note replaces a longer one.")
  func released() throws {
    try withTemporaryFolder { url in
      let folder = LogFolder(url.path)
      for purpose in ["a long purpose that must not remain", "short"] {
        let lock = try FolderLock(folder, purpose: purpose)
        let note = try String(contentsOfFile: folder.path + "/.lock", encoding: .utf8)
        #expect(note.hasPrefix(purpose + ", process ") && note.hasSuffix("\n"))
        #expect(note.split(separator: "\n").count == 1)
        withExtendedLifetime(lock) {}
      }
    }
  }

  @Test("Only the owner can open the file of a lock, and a lock needs the folder.")
  func file() throws {
    try withTemporaryFolder { url in
      let lock = try FolderLock(LogFolder(url.path), purpose: "test")
      var status = stat()
      #expect(stat(url.path + "/.lock", &status) == 0 && status.st_mode & 0o777 == 0o600)
      withExtendedLifetime(lock) {}
      let error = #expect(throws: LogError.self) {
        _ = try FolderLock(LogFolder(url.path + "/none"), purpose: "test")
      }
      #expect(error?.code == .missing)
      #expect(error?.message.contains("none/.lock") == true)
    }
  }

  @Test("Locks of different folders do not affect each other.")
  func others() throws {
    try withTemporaryFolder { one in
      try withTemporaryFolder { two in
        let locks = try [one, two].map { try FolderLock(LogFolder($0.path), purpose: "test") }
        #expect(locks.count == 2)
      }
    }
  }

  @Test("A program that waits gets the lock as soon as it is free.")
  func waits() throws {
    try withTemporaryFolder { url in
      let folder = LogFolder(url.path)
      var lock: FolderLock? = try FolderLock(folder, purpose: "first")
      let path = folder.path
      let waiting = DispatchGroup()
      nonisolated(unsafe) var result: Result<FolderLock, any Error>?
      DispatchQueue.global().async(group: waiting) {
        result = Result {
          try FolderLock(LogFolder(path), wait: .seconds(20), purpose: "second")
        }
      }
      #expect(waiting.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
      withExtendedLifetime(lock) {}
      lock = nil
      waiting.wait()
      #expect(throws: Never.self) { try result?.get() }
    }
  }

  @Test("A program waits for a held lock only as long as was asked.")
  func waitsInVain() throws {
    try withTemporaryFolder { url in
      let folder = LogFolder(url.path)
      let lock = try FolderLock(folder, purpose: "first")
      let start = ContinuousClock.now
      _ = #expect(throws: LogError.self) {
        _ = try FolderLock(folder, wait: .milliseconds(60), purpose: "second")
      }
      #expect(ContinuousClock.now - start >= .milliseconds(60))
      withExtendedLifetime(lock) {}
    }
  }

  @Test("A folder that does not exist can't be locked.")
  func missing() throws {
    try withTemporaryFolder { url in
      _ = #expect(throws: LogError.self) {
        _ = try FolderLock(LogFolder(url.path + "/missing"), purpose: "test")
      }
    }
  }

  @Test("A pipe instead of a lock's file is reported, and nobody waits for the pipe.")
  func pipe() async {
    await #expect(processExitsWith: .success) {
      // If a program waits for the pipe, it ends here.
      alarm(60)
      try withTemporaryFolder { url in
        let folder = LogFolder(url.path)
        try #require(mkfifo(url.path + "/.lock", 0o600) == 0)
        let error = #expect(throws: LogError.self) { _ = try FolderLock(folder, purpose: "test") }
        try #require(error?.code == .damaged && error?.path == url.path + "/.lock")
        try #require(FolderLock.otherHolder(of: folder) == nil)
      }
    }
  }

  @Test("A stop request ends the wait for a lock.")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      // If the wait does not end, the process does.
      alarm(60)
      try withTemporaryFolder { url in
        let lock = try FolderLock(LogFolder(url.path), purpose: "first")
        StopRequest.make()
        let error = #expect(throws: LogError.self) {
          _ = try FolderLock(LogFolder(url.path), wait: .seconds(1000), purpose: "second")
        }
        try #require(error?.code == .locked && error?.path == url.path)
        withExtendedLifetime(lock) {}
      }
    }
  }
}
