import Glibc
import Stopping
import SwiftData

extension SampleTrips {
  /// A release of the app, which has its own schema.
  package enum Release: String, CaseIterable, Sendable {
    case first = "1"
    case second = "2"
    case third = "3"
  }

  /// Creates a store with a plausible history, by the same calls that an app makes.
  ///
  /// Equal seeds and numbers of changes give equal stores, with the same rows, history and
  /// identity. The store is created in a separate folder beside its destination. The complete store
  /// is then moved.
  ///
  /// - Parameters:
  ///   - store: The file of trips, which must not exist.
  ///   - changes: The number of changes in the history.
  ///   - seed: The seed of all values.
  ///   - release: The release of the app that wrote the store.
  ///   - hasSmallPhotos: Whether photos have only a few hundred bytes.
  ///   - progress: Called after each save with the number of changes so far. If it throws, the
  ///     work ends and leaves no files.
  /// - Returns: The numbers of transactions and changes in the history.
  /// - Throws: ``SeedingError`` if a file exists or can't be written, and the errors of the store
  ///   and of `progress`.
  @discardableResult
  package static func seed(
    _ store: URL,
    changes: Int,
    seed: UInt64,
    release: Release = .third,
    hasSmallPhotos: Bool = false,
    progress: (Int) throws -> Void = { _ in }
  ) throws -> SeedingSummary {
    let work = try UnfinishedStore(beside: store)
    defer { work.remove() }
    let summary = try {
      switch release {
      case .first:
        return try EarlySeeder<SampleTripsSchemaV1.Trip>(
          work.store,
          version: SampleTripsSchemaV1.self,
          year: 2022,
          changes: changes,
          seed: seed,
          sharesNames: true
        ).run(progress)
      case .second:
        return try EarlySeeder<SampleTripsSchemaV2.Trip>(
          work.store,
          version: SampleTripsSchemaV2.self,
          year: 2023,
          changes: changes,
          seed: seed,
          sharesNames: false
        ).run(progress)
      case .third:
        let seeder = try Seeder(
          work.store,
          changes: changes,
          seed: seed,
          hasSmallPhotos: hasSmallPhotos
        )
        try seeder.run(progress)
        return seeder.summary
      }
    }()
    try work.finish()
    return summary
  }
}

/// The reason why a store could not be created.
package struct SeedingError: Error, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    case exists
    case notWritten
  }

  package let code: Code
  /// What happened, where, and what to do.
  package let description: String
}

/// A store that is being created, in a folder beside its destination.
private struct UnfinishedStore {
  let store: URL
  private let destination: URL
  private let folder: URL

  init(beside store: URL) throws {
    destination = store
    let place = store.deletingLastPathComponent()
    let folder = place.appendingPathComponent(".\(store.lastPathComponent).seeding-\(getpid())")
    self.folder = folder
    self.store = folder.appendingPathComponent("trips.store")
    for path in [store.path, store.path + "-wal", store.path + "-blobs"]
    where FileManager.default.fileExists(atPath: path) {
      throw SeedingError(
        code: .exists,
        description: "\(path) exists already, and is not overwritten. Give another path, or "
          + "remove it first."
      )
    }
    Leftovers.add(folder.path)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw SeedingError(
        code: .notWritten,
        description:
          "The folder \(folder.path) can't be made: \(error.localizedDescription). Check "
          + "that the folder above it is there and can be written."
      )
    }
  }

  func finish() throws {
    let (blobs, path) = (store.path + "-blobs", destination.path)
    if FileManager.default.fileExists(atPath: blobs) {
      try sync(blobs)
      let target = path + "-blobs"
      guard rename(blobs, target) == 0 else { throw failure("make", path: target) }
    }
    try sync(store.path)
    // A hard link is used because it fails if another program has created the file.
    guard link(store.path, path) == 0 else { throw failure("make", path: path) }
    try sync(destination.deletingLastPathComponent().path)
  }

  private func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path: path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("sync", path: path) }
  }

  private func failure(_ verb: String, path: String) -> SeedingError {
    SeedingError(
      code: errno == EEXIST ? .exists : .notWritten,
      description:
        "To \(verb) \(path) failed: \(String(cString: strerror(errno))). Check the folder "
        + "and the disk, and seed again."
    )
  }

  func remove() {
    // If the removal fails, the folder remains; its name explains its purpose.
    try? FileManager.default.removeItem(at: folder)
    Leftovers.forget(folder.path)
  }
}

/// The numbers of transactions and changes in a seeded history.
package struct SeedingSummary: Hashable, Sendable {
  package var transactions = 0
  package var changes = 0
}
