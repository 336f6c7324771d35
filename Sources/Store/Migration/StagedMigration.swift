import Changes
import FoundationEssentials
import Glibc
import SQLite

/// A migration of several stages on a copy of a store, which takes the store's place at the end.
///
/// Between its stages the copy is an ordinary store, to be opened with the schema that it then has
/// and changed by code of the application. While the migration goes on, others read the store as it
/// was, and nobody can write it. Nothing of it is seen before ``commit()``; a crash leaves the store
/// as it was.
package final class StagedMigration {
  /// The store's file.
  package let file: URL
  /// The copy that the stages work on.
  package let workingCopy: URL

  /// Holds the lock for writing, until the copy takes the store's place.
  private let lock: Connection
  /// Sees whether somebody else wrote.
  private let witness: Connection
  private let version: Int64
  private let blobs: BlobFolderCopy
  private var isOpen = true

  /// Copies a store, and keeps others from writing it.
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
    // Only who holds the lock has a copy, so that one that is there was left by a crash.
    try Self.removeFiles(of: workingCopy)
    try Self.create(workingCopy, like: file)
    let copy = try Connection(path: workingCopy.path(percentEncoded: false), mode: .readWrite)
    // A crash makes the copy worthless, so that it need not survive one.
    try copy.execute("PRAGMA synchronous = OFF")
    try witness.backup(to: copy)
    try blobs.make()
  }

  /// Makes an empty file that nobody may read who may not read another one.
  private static func create(_ file: URL, like other: URL) throws {
    let path = file.path(percentEncoded: false)
    var status = stat()
    let isKnown = stat(other.path(percentEncoded: false), &status) == 0
    let mode = isKnown ? status.st_mode & 0o666 : 0o600
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileFailure.workingCopy(errno).at(path) }
    close(descriptor)
  }

  deinit {
    // Whoever forgets a migration abandons it.
    abandon()
  }

  /// Takes the copy to another schema, if it has not got that already.
  @discardableResult
  package func migrate(
    to schema: StoreSchema,
    author: Author,
    options: Options = Options()
  ) throws -> MigrationPlan? {
    try Migration.migrate(workingCopy, to: schema, author: author, options: options)
  }

  /// Puts the copy in the store's place, in one transaction of the store.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/changedMeanwhile`` where another process wrote
  ///   between the end of the lock and that transaction. The store is then as that process left it,
  ///   and the migration is to be begun anew.
  package func commit() throws { try commit(whenUnlocked: {}) }

  /// Commits, and calls between the end of the one lock and the beginning of the other.
  func commit(whenUnlocked: () throws -> Void) throws {
    guard isOpen else { throw MigrationFailure.outOfOrder.at(file.path(percentEncoded: false)) }
    defer { abandon() }
    try describingErrors(at: file.path(percentEncoded: false)) {
      let copy = try Connection(
        path: workingCopy.path(percentEncoded: false),
        mode: .readWrite
      )
      guard
        try Catalog.value("identifier", on: copy) == Catalog.value("identifier", on: lock)
      else {
        throw MigrationFailure.otherStore.at(file.path(percentEncoded: false))
      }
      // SQLite copies over a database only from outside its transactions, so that the lock is
      // let go and taken again; the witness tells whether somebody came between.
      try lock.execute("ROLLBACK")
      try whenUnlocked()
      try copy.backup(to: lock) {
        guard try witness.dataVersion() == version else {
          throw MigrationFailure.changedMeanwhile.at(file.path(percentEncoded: false))
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
      // The migration is done. A file that nothing refers to takes up room, and no more.
    }
  }

  private func knownBlobs() throws -> Set<String> {
    Set(try lock.all("SELECT sha256 FROM store_blob") { $0.string(at: 0) })
  }

  /// Throws the copy away and lets others write the store, which is as it was.
  package func abandon() {
    guard isOpen else { return }
    isOpen = false
    do {
      lock.rollBack()
      try Self.removeFiles(of: workingCopy)
    } catch {
      // What is left of the copy is removed when the next migration begins.
    }
  }

  private static func removeFiles(of copy: URL) throws {
    let path = copy.path(percentEncoded: false)
    for suffix in ["", "-wal", "-shm", "-journal", "-blobs"] {
      do {
        try FileManager.default.removeItem(atPath: path + suffix)
      } catch let error as CocoaError where error.code == .fileNoSuchFile {
        // There is nothing to remove.
      }
    }
  }
}
