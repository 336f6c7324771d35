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
  ///   - people: The file of people; nil for none.
  ///   - changes: The number of changes in the history of trips.
  ///   - seed: The seed of all values.
  ///   - release: The release of the app that wrote the store.
  ///   - hasSmallPhotos: Whether photos have only a few hundred bytes.
  ///   - progress: Called after each save with the number of changes so far. If it throws, the
  ///     work ends and leaves no files.
  /// - Returns: The numbers of transactions and changes in the histories.
  /// - Throws: ``SeedingError`` if a file exists or can't be written, and the errors of the store
  ///   and of `progress`.
  @discardableResult
  package static func seed(
    _ store: URL,
    people: URL? = nil,
    changes: Int,
    seed: UInt64,
    release: Release = .third,
    hasSmallPhotos: Bool = false,
    progress: (Int) throws -> Void = { _ in }
  ) throws -> SeedingSummary {
    let work = try UnfinishedStores(beside: store, people: people)
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
          people: work.people,
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
    /// The file exists.
    case exists
    case notWritten
  }

  package let code: Code
  /// What happened, where, and what to do.
  package let description: String
}

/// Stores that are being created, in a folder beside their destination.
private struct UnfinishedStores {
  let store: URL
  let people: URL?
  private let moves: [(from: URL, to: URL)]
  private let folder: URL

  init(beside store: URL, people: URL?) throws {
    let place = store.deletingLastPathComponent()
    let folder = place.appendingPathComponent(".\(store.lastPathComponent).seeding-\(getpid())")
    self.folder = folder
    self.store = folder.appendingPathComponent("trips.store")
    self.people = people.map { _ in folder.appendingPathComponent("people.store") }
    moves = zip([self.store, self.people], [store, people]).compactMap { from, to in
      from.flatMap { from in to.map { (from, $0) } }
    }
    for (_, place) in moves {
      for path in [place.path, place.path + "-wal", place.path + "-blobs"]
      where FileManager.default.fileExists(atPath: path) {
        throw SeedingError(
          code: .exists,
          description: "\(path) exists already, and is not overwritten. Give another path, or "
            + "remove it first."
        )
      }
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

  /// Moves the files to their destination; the store of trips is last, because other programs look for it.
  func finish() throws {
    for (from, to) in moves.reversed() {
      let blobs = from.path + "-blobs"
      if FileManager.default.fileExists(atPath: blobs) {
        try sync(blobs)
        guard rename(blobs, to.path + "-blobs") == 0 else {
          throw failure("make", path: to.path + "-blobs")
        }
      }
      try sync(from.path)
      // A hard link is used because it fails if another program has created the file.
      guard link(from.path, to.path) == 0 else { throw failure("make", path: to.path) }
      try sync(to.deletingLastPathComponent().path)
    }
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

/// The numbers of transactions and changes in seeded histories.
package struct SeedingSummary: Hashable, Sendable {
  /// The numbers in the history of one store.
  package struct Counts: Hashable, Sendable {
    package var transactions = 0
    package var changes = 0
  }

  package var trips: Counts
  /// The numbers in the history of the store that has only people; nil if there is only one store.
  package var people: Counts?
}
