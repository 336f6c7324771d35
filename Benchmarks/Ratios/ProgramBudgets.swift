import Foundation
import SampleTrips
import SwiftData

/// The program beside this one, or the one that the environment names.
let builtTravelog =
  ProcessInfo.processInfo.environment["TRAVELOG"]
  ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  .appending(path: "travelog").path

/// The budgets of the program, run as by cron, over a store of SampleTrips with `count` changes.
struct ProgramBudgets {
  let count: Int
  private let folder: URL
  let travelog: String
  private let store: String
  private let changed: String
  private let logs: String

  init(count: Int, folder: URL) throws {
    self.count = count
    self.folder = folder
    travelog = builtTravelog
    store = folder.appending(path: "program.store").path
    changed = folder.appending(path: "changed.store").path
    logs = folder.appending(path: "program.logs").path
    try SampleTrips.seed(URL(fileURLWithPath: store), changes: count, seed: 2)
    _ = try ProgramRun("sqlite3", [store, "VACUUM INTO '\(changed)'"])
    // One row in a hundred differs.
    _ = try ProgramRun(
      "sqlite3",
      [changed, "UPDATE BucketListItem SET title = title || '.' WHERE id % 100 = 0"]
    )
    _ = try ProgramRun(travelog, ["export", store, "--to", logs])
  }

  var budgets: [Budget] {
    [
      Budget(
        name: "start, against sqlite3 --version",
        limit: 3,
        peer: { try again("sqlite3", ["--version"]) },
        ours: { try again(travelog, ["--version"]) }
      ),
      Budget(
        name: "diff of two stores, against sqldiff of their tables",
        limit: 0.7,
        peer: {
          try tables.reduce(0) { sum, table in
            try sum + ProgramRun("sqldiff", ["--table", table, store, changed]).seconds
          }
        },
        ours: {
          try ProgramRun(travelog, ["diff", store, changed, "--format", "sql"], codes: [1]).seconds
        }
      ),
    ]
  }

  /// Measurements without a peer.
  var figures: [Figure] {
    [
      Figure(name: "export 100 new transactions of \(count), ms", limit: 50) {
        try write(transactions: 100)
        return try ProgramRun(travelog, ["export", store, "--to", logs]).seconds * 1_000
      },
      Figure(name: "export \(count) changes, MiB", limit: 64) {
        let place = folder.appending(path: UUID().uuidString).path
        defer { remove(place) }
        return try mebibytes(["export", store, "--to", place, "--new-folder"])
      },
      Figure(name: "import \(count) changes, MiB", limit: 64) {
        let place = folder.appending(path: UUID().uuidString).path
        defer { remove(place) }
        return try mebibytes(["import", logs, "--into", place])
      },
      Figure(name: "verify \(count) changes, MiB", limit: 64) { try mebibytes(["verify", logs]) },
      Figure(name: "diff of two stores, MiB", limit: 64) {
        try mebibytes(["diff", store, changed], codes: [1])
      },
    ]
  }

  private let tables = [
    "Trip", "BucketListItem", "LivingAccommodation", "Tag", "Trip_tags",
  ]

  /// The seconds of twenty runs, because one run is too short.
  private func again(_ program: String, _ arguments: [String]) throws -> Double {
    try (0..<20).reduce(0) { sum, _ in try sum + ProgramRun(program, arguments).seconds }
  }

  func mebibytes(_ arguments: [String], codes: Set<Int32> = [0]) throws -> Double {
    Double(try ProgramRun(travelog, arguments, codes: codes, isWatched: true).peak) / 1_024
  }

  private func write(transactions: Int) throws {
    let context = ModelContext(try SampleTrips.container(at: URL(fileURLWithPath: store)))
    context.author = "benchmark"
    for _ in 0..<transactions {
      context.insert(
        SampleTripsSchemaV3.Trip(
          name: UUID().uuidString,
          destination: "Bergen",
          startDate: .now,
          endDate: .now
        )
      )
      try context.save()
    }
  }

  func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] {
      // The file may be missing.
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}
