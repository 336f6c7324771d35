import AppleFiles
import Foundation

/// The budgets of reading a store of Core Data with `count` transactions of about ten changes.
final class AppleBudgets {
  private let folder: URL
  private let phone: AppleFile
  private var store: String { phone.url.path }
  /// The logs of the store, which continue with its new transactions.
  private var logs: String { folder.appending(path: "apple.logs").path }
  /// A store of ours with the same changes.
  private var replica: String { folder.appending(path: "apple.replica").path }

  private static let textSize = 1200

  init(count: Int, folder: URL) throws {
    self.folder = folder
    phone = try .large(
      folder.appending(path: "apple.sqlite"),
      transactions: Int64(count),
      textSize: Self.textSize
    )
    _ = try travelog("export", store, "--to", logs)
    _ = try travelog("import", logs, "--into", replica)
    _ = try travelog("promote", replica)
  }

  var budgets: [Budget] {
    [
      Budget(
        name: "export, against a store of ours with the same changes",
        limit: 4,
        peer: { try self.export(self.replica).seconds },
        ours: { try self.export(self.store).seconds }
      )
    ]
  }

  var figures: [Figure] {
    [
      Figure(name: "export, MiB", limit: 256) {
        try Double(self.export(self.store).peak) / 1024
      },
      Figure(name: "export 100 new transactions, above reading the file, ms", limit: 1_000) {
        try self.phone.append(transactions: 100, textSize: Self.textSize)
        let reading = try ProgramRun("cat", [self.store]).seconds
        return try (self.travelog("export", self.store, "--to", self.logs).seconds - reading)
          * 1_000
      },
    ]
  }

  /// Exports to a new folder.
  private func export(_ store: String) throws -> ProgramRun {
    let place = folder.appending(path: UUID().uuidString)
    let run = try travelog("export", store, "--to", place.path, "--new-folder")
    try FileManager.default.removeItem(at: place)
    return run
  }

  private func travelog(_ arguments: String...) throws -> ProgramRun {
    try ProgramRun(builtTravelog, arguments, isWatched: true)
  }
}
