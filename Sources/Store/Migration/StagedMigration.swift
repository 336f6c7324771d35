import Format
import FoundationEssentials
import Glibc
import SQLite

/// A migration in several stages, which runs on a copy of a store and replaces the store at the
/// end.
///
/// Between two stages, the copy is an ordinary store. The application opens it with the schema of
/// the last stage, and can change it. Meanwhile other programs can read the original store, but not
/// write to it. The migration is not visible to these programs before ``commit()``. A crash leaves
/// the original store unchanged.
package final class StagedMigration {
  package let file: URL
  package let workingCopy: URL

  /// The connection that has the write lock until the copy replaces the store.
  private let lock: Connection
  /// A second connection, which detects commits of other writers.
  private let witness: Connection
  private let version: Int64
  private let blobs: BlobFolderCopy
  private var isOpen = true

  /// Copies a store and locks it.
  package static func begin(
    on file: URL,
    options: Options = Options()
  ) throws -> StagedMigration {
    try describingErrors(at: file.path(percentEncoded: false)) {
      try StagedMigration(file: file, options: options)
    }
  }

  private init(file: URL, options: Options) throws {
    self.file = file
    workingCopy = file.deletingLastPathComponent()
      .appending(path: file.lastPathComponent + "-migration", directoryHint: .notDirectory)
    blobs = BlobFolderCopy(from: file, to: workingCopy)
    let storeFile = StoreFile(location: .file(file), options: options)
    (lock, _) = try storeFile.open()
    try lock.execute("BEGIN IMMEDIATE")
    witness = try storeFile.connectReader()
    version = try witness.dataVersion()
    // This process has the lock, so an existing copy is left from a crash.
    try Self.removeFiles(of: workingCopy)
    try Self.create(workingCopy, like: file)
    let copy = try Connection(path: workingCopy.path(percentEncoded: false), mode: .readWrite)
    // After a crash the copy is not used, so it need not be durable.
    try copy.execute("PRAGMA synchronous = OFF")
    try witness.backup(to: copy)
    try blobs.make()
  }

  /// Creates an empty file with the permissions of another file.
  private static func create(_ file: URL, like other: URL) throws {
    let path = file.path(percentEncoded: false)
    var status = stat()
    let isKnown = stat(other.path(percentEncoded: false), &status) == 0
    let mode = isKnown ? status.st_mode & 0o666 : 0o600
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      let number = errno
      throw StoreError(number == EACCES || number == EROFS ? .readOnly : .inputOutput, at: path) {
        "Can't create \(path), the copy that a migration works on: \(systemText(number))."
      }
    }
    close(descriptor)
  }

  deinit {
    // A migration that was neither committed nor abandoned is abandoned now.
    abandon()
  }

  /// Migrates the copy to a schema, unless the copy has the schema already.
  @discardableResult
  package func migrate(
    to schema: StoreSchema,
    author: Author,
    options: Options = Options()
  ) throws -> MigrationPlan? {
    try Migration.migrate(workingCopy, to: schema, author: author, options: options)
  }

  /// Replaces the store by the copy, in one transaction.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/changedMeanwhile`` if another process wrote
  ///   after the release of the lock and before the replacement. The store then contains the
  ///   changes of that process, and the migration must begin again.
  package func commit() throws { try commit(whenUnlocked: {}) }

  /// Commits; `whenUnlocked` is called while no lock is held.
  func commit(whenUnlocked: () throws -> Void) throws {
    let path = file.path(percentEncoded: false)
    guard isOpen else { throw outOfOrder(at: path) }
    defer { abandon() }
    try describingErrors(at: path) {
      let copy = try Connection(
        path: workingCopy.path(percentEncoded: false),
        mode: .readWrite
      )
      guard
        try Catalog.value("identifier", on: copy) == Catalog.value("identifier", on: lock)
      else {
        throw StoreError(.misuse, at: path) {
          "The working copy for the migration of \(path) is a copy of another store."
        }
      }
      // SQLite can't copy a database inside a transaction of the target, so the lock is released
      // and taken again. The witness detects whether another program wrote meanwhile.
      try lock.execute("ROLLBACK")
      try whenUnlocked()
      try copy.backup(to: lock) {
        guard try witness.dataVersion() == version else {
          throw changedMeanwhile(at: path)
        }
        try blobs.bringBack()
      }
    }
    removeUnusedBlobs()
  }

  private func removeUnusedBlobs() {
    do {
      try lock.execute("BEGIN IMMEDIATE")
      try blobs.finish(known: try knownBlobs())
      try lock.execute("COMMIT")
    } catch {
      // The store is migrated. If a file remains that nothing refers to, the file only uses disk
      // space.
    }
  }

  private func knownBlobs() throws -> Set<String> {
    Set(try lock.all("SELECT sha256 FROM store_blob") { $0.string(at: 0) })
  }

  /// Deletes the copy and unlocks the unchanged store.
  package func abandon() {
    guard isOpen else { return }
    isOpen = false
    do {
      lock.rollBack()
      try Self.removeFiles(of: workingCopy)
    } catch {
      // If a file can't be removed now, the next migration removes it.
    }
  }

  private static func removeFiles(of copy: URL) throws {
    let path = copy.path(percentEncoded: false)
    for suffix in ["", "-wal", "-shm", "-journal", "-blobs"] {
      do {
        try FileManager.default.removeItem(atPath: path + suffix)
      } catch let error as CocoaError where error.code == .fileNoSuchFile {
        // The file does not exist.
      }
    }
  }
}
