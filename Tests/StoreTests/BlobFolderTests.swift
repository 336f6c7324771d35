import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Format
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
