import ChangeLog
import Foundation
import Pipeline
import SampleTrips
import SwiftData

/// A history with very many changes in one transaction, bytes in a value, or log files.
///
/// Each is a given number of times larger than in an ordinary store. The program exports, verifies
/// and imports it, and must not need more memory for it.
struct BigThings {
  let program: ProgramBudgets
  let folder: URL
  let count: Int

  var figures: [Figure] {
    ways(of: "a transaction of \(count * 10) changes", makeLongTransaction)
      + ways(of: "a value of \(count / 1_000) MiB", makeLargeValue)
      + ways(of: "\(count / 100) files of logs", makeManyFiles)
  }

  /// The figures for one large history, which is created when it is first needed.
  private func ways(of name: String, _ make: @escaping (URL, String) throws -> Void) -> [Figure] {
    let place = folder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
    let store = place.appending(path: "big.store")
    let logs = place.appending(path: "logs").path
    func made() throws {
      guard !FileManager.default.fileExists(atPath: place.path) else { return }
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try make(store, logs)
      _ = try ProgramRun(program.travelog, ["export", store.path, "--to", logs])
    }
    return [
      Figure(name: "export \(name), MiB", limit: 64) {
        try made()
        let target = place.appending(path: UUID().uuidString).path
        defer { program.remove(target) }
        return try program.mebibytes(["export", store.path, "--to", target, "--new-folder"])
      },
      Figure(name: "verify \(name), MiB", limit: 64) {
        try made()
        return try program.mebibytes(["verify", logs])
      },
      Figure(name: "import \(name), MiB", limit: 64) {
        let target = place.appending(path: UUID().uuidString).path
        defer { program.remove(target) }
        return try program.mebibytes(["import", logs, "--into", target])
      },
      Figure(name: "export, verify and import \(name), s", limit: .infinity) {
        let target = place.appending(path: UUID().uuidString).path
        defer { program.remove(target) }
        return try [
          ["export", store.path, "--to", target + ".logs", "--new-folder"],
          ["verify", target + ".logs"],
          ["import", target + ".logs", "--into", target],
        ].reduce(0) { try $0 + ProgramRun(program.travelog, $1).seconds }
      },
    ]
  }

  /// Another program writes very many rows at once, so no process has them in memory.
  private func makeLongTransaction(_ store: URL, _ logs: String) throws {
    _ = try SampleTrips.container(at: store)
    _ = try ProgramRun(
      "sqlite3",
      [
        store.path,
        """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count * 10))
        INSERT INTO Tag (word, color) SELECT 'tag ' || n, n % 7 FROM number
        """,
      ]
    )
  }

  private func makeLargeValue(_ store: URL, _ logs: String) throws {
    let context = ModelContext(try SampleTrips.container(at: store))
    let trip = SampleTripsSchemaV3.Trip(
      name: "Panorama",
      destination: "Bergen",
      startDate: .now,
      endDate: .now
    )
    var photo = Data(count: (count / 1_000) << 20)
    photo.withUnsafeMutableBytes { bytes in
      for index in stride(from: 0, to: bytes.count, by: 4096) {
        bytes[index] = UInt8(truncatingIfNeeded: index >> 12)
      }
    }
    trip.photo = photo
    context.insert(trip)
    try context.save()
  }

  private func makeManyFiles(_ store: URL, _ logs: String) throws {
    let context = ModelContext(try SampleTrips.container(at: store))
    for number in 0..<count / 100 {
      context.insert(
        SampleTripsSchemaV3.Trip(
          name: "Trip \(number)",
          destination: "Bergen",
          startDate: .now,
          endDate: .now
        )
      )
      try context.save()
      _ = try Pipeline.export(ExportRequest(store: store.path, logs: LogFolder(logs)))
    }
  }
}
