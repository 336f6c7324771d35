import Format
import FoundationEssentials
import Glibc
import SQLite

/// The large values of a store.
///
/// Each large value is stored once, under its SHA-256, with the number of rows and of changes that
/// refer to it.
///
/// The values are in files beside the store, or in a table if the store is in memory. Unused values
/// are removed after the commit, while the write lock is still held. Without the lock, another
/// process could begin to use them.
final class Blobs {
  /// The largest size in bytes of an external attribute's value that is kept in its row, not in a
  /// file.
  static let inlineLimit = 128 * 1024

  private let connection: Connection
  private let folder: BlobFolder?
  /// Whether values of external attributes are kept in files; false for a store in memory.
  let hasFolder: Bool
  /// The connection to the store; nil unless `connection` is a database in memory with the store's
  /// unsealed history.
  private let store: Connection?
  private var created: [String] = []
  private var marker: String?
  private(set) var isTouched = false

  init(_ connection: Connection, folder: BlobFolder?) {
    self.connection = connection
    self.folder = folder
    hasFolder = folder != nil
    store = nil
  }

  /// Keeps new values in memory, for a store that was opened for reading.
  init(inMemory connection: Connection, folder: BlobFolder?, besides store: Connection) {
    self.connection = connection
    self.folder = folder
    self.store = store
    hasFolder = false
  }

  /// Stores bytes.
  ///
  /// The caller must also count a use, or the next commit removes the bytes.
  func keep(_ bytes: UnsafeRawBufferPointer) throws -> LargeReference {
    let digest = SHA256.digest(of: bytes).description
    try keep(digest, bytes: bytes) { try $0.write(bytes, digest: digest) }
    return LargeReference(digest: digest, size: Int64(bytes.count))
  }

  /// Stores a value and verifies its digest.
  ///
  /// The caller must also count a use, or the next commit removes the value.
  func keep(_ value: LargeValue, digest: String) throws {
    if hasFolder { return try keep(digest, bytes: nil) { try $0.copy(value, digest: digest) } }
    let kept = try value.data().withUnsafeBytes { try keep($0) }
    guard kept.digest == digest else { throw alteredValue(digest) }
  }

  private func keep(
    _ digest: String,
    bytes: UnsafeRawBufferPointer?,
    write: (BlobFolder) throws -> Void
  ) throws {
    let find = try connection.cached("SELECT size FROM \(connection.tables.blob) WHERE sha256 = ?1")
    try find.bind(1, digest)
    defer { find.reset() }
    let isKnown = try find.step()
    if let folder, hasFolder, !isKnown || !folder.contains(digest) {
      if marker == nil {
        try folder.create()
        marker = try folder.mark()
      }
      try write(folder)
      if !isKnown { created.append(digest) }
    }
    isTouched = true
    if isKnown, find.int64(at: 0) != Self.unknownSize { return }
    let size = try bytes.map { Int64($0.count) } ?? folder?.size(of: digest) ?? Self.unknownSize
    let insert = try connection.cached(
      "INSERT INTO \(connection.tables.blob) (sha256, size, rows, history, content)"
        + " VALUES (?1, ?2, 0, 0, ?3) ON CONFLICT (sha256) DO UPDATE SET size = excluded.size"
    )
    try insert.bind(1, digest)
    try insert.bind(2, size)
    if !hasFolder, let bytes { try insert.bind(3, blob: bytes) } else { try insert.bind(3, .null) }
    try insert.run()
  }

  /// Changes how many rows, and how many changes in history, refer to a large value.
  func count(_ digest: String, rows: Int64 = 0, history: Int64 = 0) throws {
    try connection.run(
      "UPDATE \(connection.tables.blob) SET rows = rows + ?2, history = history + ?3"
        + " WHERE sha256 = ?1",
      values: [.text(digest), .integer(rows), .integer(history)]
    )
    guard connection.changes == 1 else {
      throw missingValue(digest, at: connection.path)
    }
    isTouched = true
  }

  func isKept(_ digest: String) throws -> Bool {
    try connection.hasRow(
      "SELECT 1 FROM \(connection.tables.blob) WHERE sha256 = ?1 AND size >= 0",
      values: [.text(digest)]
    )
  }

  func contains(_ digest: String) -> Bool { folder?.contains(digest) ?? false }

  /// Adds to the count of the rows with a value that a foreign writer used.
  ///
  /// Foreign writers do not count the values that they use.
  ///
  /// A foreign writer may even have written the digest of a value that does not exist. Then the
  /// size of the value is recorded as unknown.
  func adopt(_ digest: String, rows: Int64) throws {
    let size =
      try store.flatMap { try Self.size(of: digest, on: $0) } ?? folder?.size(of: digest)
    try connection.run(
      "INSERT INTO \(connection.tables.blob) (sha256, size, rows, history) VALUES (?1, ?2, 0, 0)"
        + " ON CONFLICT DO NOTHING",
      values: [.text(digest), .integer(size ?? Self.unknownSize)]
    )
    try connection.run(
      "UPDATE \(connection.tables.blob) SET rows = max(0, rows + ?2) WHERE sha256 = ?1",
      values: [.text(digest), .integer(rows)]
    )
    isTouched = true
  }

  /// The size in the catalog for a value whose file is missing.
  private static let unknownSize: Int64 = -1

  /// The size of a value in bytes; nil if the size is not known.
  func size(of digest: String) throws -> Int64? {
    guard Digest(hexadecimal: digest) != nil else { return nil }
    let known =
      try Self.size(of: digest, on: connection)
      ?? store.flatMap { try Self.size(of: digest, on: $0) }
    return known == Self.unknownSize ? nil : known
  }

  private static func size(of digest: String, on connection: Connection) throws -> Int64? {
    try connection.integer(
      "SELECT size FROM \(connection.tables.blob) WHERE sha256 = ?1",
      values: [.text(digest)]
    )
  }

  /// The bytes of a value; nil if its file is missing.
  func data(ifThere digest: String) throws -> Data? { try folder?.read(digest) }

  func data(_ digest: String) throws -> Data {
    guard let data = try data(ifThere: digest) else {
      throw missingValue(digest, at: connection.path)
    }
    return data
  }

  func content(_ digest: String) throws -> LargeValue {
    if let folder, folder.contains(digest) { return .file(folder.file(digest)) }
    guard let data = try Self.data(digest, on: connection) else {
      throw missingValue(digest, at: connection.path)
    }
    return .bytes(data)
  }

  /// The bytes of a value that is kept in memory; nil if memory does not contain the value.
  func data(inMemory digest: String) throws -> Data? { try Self.data(digest, on: connection) }

  static func data(_ digest: String, on connection: Connection) throws -> Data? {
    try connection.first(
      "SELECT content FROM \(connection.tables.blob) WHERE sha256 = ?1",
      values: [.text(digest)]
    ) {
      $0.isNull(at: 0) ? nil : $0.data(at: 0)
    }
  }

  /// Syncs the new files, because the rows that refer to them are committed next.
  func prepareToCommit() throws {
    if marker != nil { try folder?.sync() }
  }

  /// Removes the new files after a failed write; the write lock must still be held.
  func abandon() {
    guard connection.isInTransaction else {
      // SQLite has ended the transaction itself and released the lock, so other processes may
      // already use the same values.
      marker = nil
      return forget()
    }
    for digest in created {
      // If the file can't be removed now, the marker usually remains too. The next opening of the
      // store then removes the file.
      try? folder?.remove(digest)
    }
    forget()
  }

  func committed() {
    let wasTouched = isTouched
    forget()
    guard wasTouched else { return }
    // The save succeeded, so an error here is not reported; a later save removes the values.
    try? removeUnused()
  }

  /// Removes files of a program that was interrupted during a write.
  func removeLeftovers() throws {
    guard let folder else { return }
    guard try folder.names().contains(where: { $0.hasPrefix(".") }) else {
      return try removeUnused()
    }
    try connection.inTransaction {
      // This process has the write lock, so no other program is writing. Each marker is left from
      // an interrupted program.
      let find = try connection.prepare("SELECT 1 FROM \(connection.tables.blob) WHERE sha256 = ?1")
      for name in try folder.names() {
        try find.bind(1, name)
        let isKnown = try find.step()
        find.reset()
        if !isKnown { try folder.remove(name) }
      }
    }
    try removeUnused()
  }

  private func removeUnused() throws {
    let list = "SELECT sha256 FROM \(connection.tables.blob) WHERE rows = 0 AND history = 0"
    let any = try connection.prepare(list)
    let hasAny = try any.step()
    any.reset()
    guard hasAny else { return }
    try connection.inTransaction {
      let unused = try connection.prepare(list)
      while try unused.step() { try folder?.remove(unused.string(at: 0)) }
      try connection.execute("DELETE FROM \(connection.tables.blob) WHERE rows = 0 AND history = 0")
    }
  }

  private func forget() {
    created.removeAll()
    isTouched = false
    if let marker {
      // If the marker can't be removed, the only effect is that the next opening searches for
      // unused files again.
      try? folder?.remove(marker)
    }
    marker = nil
  }
}

extension BlobFolder {
  /// Creates a marker, and returns its name.
  ///
  /// The marker exists while files are written that no row refers to yet.
  func mark() throws -> String {
    let name = ".writing.\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
    let descriptor = open(file(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw failure("create", file: file(name))
    }
    close(descriptor)
    return name
  }
}

func missingValue(_ digest: String, at path: String) -> StoreError {
  StoreError(.missingBlob, at: path) {
    "The large value \(digest) of the store \(path) is missing."
      + "\nRestore the folder \(path)-blobs together with the store."
  }
}

func missingInReplay(_ digest: String) -> StoreError {
  StoreError(.missingBlob) {
    "The large value \(digest) of a replayed transaction is missing."
      + "\nCopy the blob file from the log folder."
  }
}
