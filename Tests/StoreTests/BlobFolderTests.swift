import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Changes
@testable import Store

@Suite("The folder of blob files")
struct BlobFolderTests {
  private let value = Array("a large value".utf8)
  private var digest: String { SHA256.digest(of: value).description }

  private func withFolder(_ body: (BlobFolder, _ store: String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let store = folder.path + "/a.store"
      try Data().write(to: URL(fileURLWithPath: store))
      let blobs = BlobFolder(besides: store)
      try blobs.create()
      try body(blobs, store)
    }
  }

  /// Calls `body` with the large values of a new store.
  private func withBlobs(_ body: (Blobs, BlobFolder, Connection) throws -> Void) throws {
    try withFolder { folder, store in
      let connection = try Connection(path: store, mode: .readWriteCreate)
      try Catalog.create(sampleSchema, on: connection, provenance: .system)
      try body(Blobs(connection, folder: folder), folder, connection)
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("A value is read, measured and removed by its digest, and the folder has no other files.")
  func values() throws {
    try withFolder { blobs, _ in
      #expect(try blobs.read(digest) == nil && blobs.size(of: digest) == nil)
      try value.withUnsafeBytes { try blobs.write($0, digest: digest) }
      try blobs.sync()
      #expect(blobs.contains(digest))
      #expect(try blobs.read(digest) == Data(value) && blobs.size(of: digest) == 13)
      #expect(try blobs.names() == [digest])
      // An existing file is not overwritten.
      try [UInt8]().withUnsafeBytes { try blobs.write($0, digest: digest) }
      #expect(try blobs.read(digest) == Data(value))
      try blobs.remove(digest)
      try blobs.remove(digest)
      #expect(try blobs.names() == [] && !blobs.contains(digest))
    }
  }

  @Test("A name that is not a digest is neither found nor removed outside the folder.")
  func names() throws {
    try withFolder { blobs, store in
      #expect(!blobs.contains("../a.store"))
      #expect(try blobs.size(of: "../a.store") == nil && blobs.read("../a.store") == nil)
      for name in ["../a.store", "", ".", ".."] { try blobs.remove(name) }
      #expect(access(store, F_OK) == 0 && access(blobs.path, F_OK) == 0)
      try Data().write(to: URL(fileURLWithPath: blobs.file(".left")))
      try blobs.remove(".left")
      #expect(try blobs.names() == [])
    }
  }

  @Test("A copy that does not have its digest is refused, and leaves no file.")
  func altered() throws {
    try withFolder { blobs, _ in
      let other = String(repeating: "0", count: 64)
      #expect(throws: CanonicalEncodingError.self) {
        try blobs.copy(.bytes(Data(value)), digest: other)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: blobs.path) == [])
      try blobs.copy(.bytes(Data(value)), digest: digest)
      try blobs.copy(.file(blobs.file(digest)), digest: other, isChecked: false)
      #expect(try blobs.read(other) == Data(value))
      #expect(try blobs.names().sorted() == [digest, other].sorted())
    }
  }

  @Test("A value for which the disk has no space is an error, and leaves no file.")
  func fullDisk() throws {
    try withFolder { blobs, _ in
      // A write to this device fails as on a full disk.
      symlink("/dev/full", blobs.file(".\(digest).\(getpid())"))
      let error = #expect(throws: StoreError.self) {
        try value.withUnsafeBytes { try blobs.write($0, digest: digest) }
      }
      #expect(error?.code == .diskFull)
      let left = try FileManager.default.contentsOfDirectory(atPath: blobs.path)
      #expect(left == [])
    }
  }

  private func expectMissingFolder(_ action: () throws -> Void) {
    let error = #expect(throws: StoreError.self) { try action() }
    #expect(error?.code == .inputOutput)
    #expect(error?.message.contains("No such file or directory") == true)
  }

  @Test("If the folder is missing, the error of a value gives the system's reason.")
  func missingFolder() throws {
    try withTemporaryFolder { folder in
      let blobs = BlobFolder(besides: folder.path + "/none/a.store")
      let found = try blobs.names()
      #expect(found == [])
      expectMissingFolder { try value.withUnsafeBytes { try blobs.write($0, digest: digest) } }
      expectMissingFolder { try blobs.create() }
      expectMissingFolder { try blobs.sync() }
      expectMissingFolder { _ = try blobs.mark() }
    }
  }

  @Test("Exactly the users who may read the store may read its large values.")
  func permissions() throws {
    let modes: [(store: mode_t, value: mode_t, folder: mode_t)] = [
      (0o600, 0o600, 0o700), (0o644, 0o644, 0o755), (0o604, 0o604, 0o705), (0o666, 0o644, 0o755),
    ]
    for mode in modes {
      try withTemporaryFolder { folder in
        let store = folder.path + "/a.store"
        try Data().write(to: URL(fileURLWithPath: store))
        chmod(store, mode.store)
        let blobs = BlobFolder(besides: store)
        try blobs.create()
        try blobs.create()
        try value.withUnsafeBytes { try blobs.write($0, digest: digest) }
        #expect(self.mode(blobs.path) == mode.folder)
        #expect(self.mode(blobs.file(digest)) == mode.value)
      }
    }
  }

  @Test("A store with a folder refuses a value that does not have its digest, and keeps nothing.")
  func alteredInFolder() throws {
    try withBlobs { blobs, folder, connection in
      let other = SHA256.digest(of: [1]).description
      #expect(throws: CanonicalEncodingError.self) {
        try blobs.keep(.bytes(Data(value)), digest: other)
      }
      #expect(!folder.contains(digest) && !folder.contains(other))
      let count = "SELECT count(*) FROM store_blob"
      #expect(try connection.integer(count) == 0)
      try blobs.keep(.bytes(Data(value)), digest: digest)
      #expect(try folder.read(digest) == Data(value))
      #expect(try connection.integer(count) == 1)
    }
  }

  @Test("A failed write removes its files, unless SQLite has already released the write lock.")
  func abandoned() throws {
    for isReleased in [false, true] {
      try withBlobs { blobs, folder, connection in
        #expect(!blobs.isTouched)
        try connection.execute("BEGIN IMMEDIATE")
        _ = try value.withUnsafeBytes { try blobs.keep($0) }
        #expect(blobs.isTouched)
        if isReleased { try connection.execute("ROLLBACK") }
        blobs.abandon()
        #expect(!blobs.isTouched)
        // The marker lets the next opening of the store find the file.
        let names = try folder.names()
        #expect(names.contains(digest) == isReleased)
        #expect(names.contains { $0.hasPrefix(".writing.") } == isReleased)
        #expect(names.count == (isReleased ? 2 : 0))
        if !isReleased { try connection.execute("ROLLBACK") }
      }
    }
  }

  @Test("A store without a folder refuses a value that does not have its digest.")
  func alteredInMemory() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { writer in
        try writer.blobs.keep(.bytes(Data(value)), digest: digest)
        let other = SHA256.digest(of: [1]).description
        #expect(throws: CanonicalEncodingError.self) {
          try writer.blobs.keep(.bytes(Data(value)), digest: other)
        }
      }
    }
  }
}
