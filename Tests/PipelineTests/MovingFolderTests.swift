import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("Log folders that other programs change")
struct MovingFolderTests {
  /// Calls `body` with a store that has a log for every few transactions.
  private func withLogs(_ body: (World) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "moving")
      for _ in 0..<12 {
        try world.write(2)
        try world.export()
      }
      try body(world)
    }
  }

  /// A second folder with the same logs.
  private func copy(_ logs: LogFolder, _ name: String) throws -> LogFolder {
    let copy = logs.path + "-" + name
    try FileManager.default.copyItem(atPath: logs.path, toPath: copy)
    return LogFolder(copy)
  }

  @Test(
    "Logs that are compacted meanwhile are verified, replayed and read."
  )
  func compaction() throws {
    try withLogs { world in
      for round in 0..<6 {
        let logs = try copy(world.logs, "\(round)")
        var hasCompacted = false
        // It runs after a log was opened and the next ones were listed.
        func compactOnce() throws {
          guard !hasCompacted else { return }
          hasCompacted = true
          _ = try compact(CompactRequest(logs: logs))
        }
        switch round % 3 {
        case 0:
          let results = try verify(VerifyRequest(logs: logs)) { _ in try compactOnce() }
          #expect(results.map(\.findings) == [[]])
        case 1:
          let request = ImportRequest(
            logs: logs,
            store: world.folder.path + "/replica \(round).store"
          )
          let result = try importLogs(request) { _ in try compactOnce() }
          let head = try world.source.read { try $0.sealedHead() }
          #expect(result.to.transaction == head)
          #expect(result.transactions == head)
          #expect(result.isNew)
          let replica = try Store.open(.file(URL(fileURLWithPath: request.store)))
          #expect(try rowDump(of: replica) == rowDump(of: world.source))
        default:
          let history = try FolderHistory(logs, store: world.source.identifier)
          var ids: [Int64] = []
          let head = try history.outline().head
          try history.read(
            1...head,
            wants: { _ in true },
            change: { _, _ in try compactOnce() },
            transaction: { ids.append($0.id) }
          )
          #expect(ids == Array(1...head))
          #expect(try FolderHistory(logs, store: world.source.identifier).schemas().count == 1)
        }
        #expect(hasCompacted)
      }
    }
  }

  @Test("A log that is exported during verify is not reported as missing.")
  func export() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "exporting")
      try world.write(4)
      try world.export()
      try world.write(4)
      var hasExported = false
      let results = try verify(VerifyRequest(logs: world.logs)) { _ in
        guard !hasExported else { return }
        hasExported = true
        _ = try world.export()
      }
      #expect(results.map(\.findings) == [[]])
      #expect(results.map(\.end) == [.token])
    }
  }

  @Test("An import fails if a log is removed while it runs.")
  func gone() throws {
    try withLogs { world in
      let files = try world.logs.files(of: world.source.identifier, lineage: 0)
      var isRemoved = false
      let request = ImportRequest(logs: world.logs, store: world.folder.path + "/replica.store")
      #expect(throws: (any Error).self) {
        try importLogs(request) { _ in
          guard !isRemoved else { return }
          isRemoved = true
          try FileManager.default.removeItem(atPath: files[5].path)
        }
      }
      #expect(isRemoved)
    }
  }

  @Test("A store that is written during a comparison is compared in one state.")
  func writtenMeanwhile() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "written meanwhile")
      try world.write(8)
      try world.export()
      try world.write(4)
      var request = VerifyRequest(logs: world.logs)
      request.against = world.path
      let results = try verify(request) { _ in try world.history.write(to: world.source) }
      #expect(results.map(\.findings) == [[]])
      #expect(results[0].unexported ?? 0 > 4)
    }
  }

  @Test("Two imports into a replica that starts with a snapshot both succeed.")
  func twoSnapshots() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "two snapshots")
      try world.write(8)
      try world.export { $0.wantsSnapshot = true }
      try world.write(4)
      try world.export()
      var request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      request.fromSnapshot = true
      let results = Mutex<[Result<ImportResult, any Error>]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { [request] _ in
        let result = Result { try importLogs(request) }
        results.withLock { $0.append(result) }
      }
      let head = try world.source.read { try $0.sealedHead() }
      for result in results.withLock({ $0 }) { #expect(try result.get().to.transaction == head) }
    }
  }

  @Test("Reading a history fails if its logs are removed meanwhile, and skips none of them.")
  func goneFromHistory() throws {
    try withLogs { world in
      let files = try world.logs.files(of: world.source.identifier, lineage: 0)
      for gone in [4...4, 5...11] {
        let logs = try copy(world.logs, "gone \(gone.lowerBound)")
        let history = try FolderHistory(logs, store: world.source.identifier)
        let head = try history.outline().head
        var isRemoved = false
        #expect(throws: (any Error).self) {
          try history.read(
            1...head,
            wants: { _ in true },
            change: { _, _ in },
            transaction: { _ in
              guard !isRemoved else { return }
              isRemoved = true
              for file in files[gone] {
                let path = file.path.replacing(world.logs.path, with: logs.path)
                try FileManager.default.removeItem(atPath: path)
              }
            }
          )
        }
        #expect(isRemoved)
      }
    }
  }

  @Test(
    "A file that existed before a failing run still exists afterwards.",
    arguments: [true, false]
  )
  func fileThatWasThere(_ isDryRun: Bool) throws {
    try withLogs { world in
      let path = world.folder.path + "/empty.store"
      try Data().write(to: URL(fileURLWithPath: path))
      var request = ImportRequest(logs: world.logs, store: path)
      request.isDryRun = isDryRun
      request.until = .transaction(999)
      #expect(throws: PipelineError.self) { try importLogs(request) }
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("A dry run that reads the logs twice counts them once.")
  func dryRunTwice() throws {
    try withLogs { world in
      var request = ImportRequest(logs: world.logs, store: world.folder.path + "/none.store")
      request.isDryRun = true
      var hasCompacted = false
      let result = try importLogs(request) { _ in
        guard !hasCompacted else { return }
        hasCompacted = true
        _ = try compact(CompactRequest(logs: world.logs))
      }
      #expect(result.transactions == (try world.source.read { try $0.sealedHead() }))
      #expect(!FileManager.default.fileExists(atPath: request.store))
    }
  }

  @Test("Changes in the folders of other stores do not cause another reading of the logs.")
  func otherStores() throws {
    try withLogs { world in
      let other = world.logs.path + "/store=8E322CC2-9AF7-4DE5-AD6A-D7245BCBE616.tar.gz"
      try Data("x".utf8).write(to: URL(fileURLWithPath: other))
      var request = ImportRequest(logs: world.logs, store: world.folder.path + "/replica.store")
      request.origin = world.source.identifier
      _ = try importLogs(request)
      var verification = VerifyRequest(logs: world.logs)
      verification.store = world.source.identifier
      #expect(try verify(verification).map(\.findings) == [[]])
    }
  }

  @Test("An import continues after another import that was faster.")
  func twoImports() throws {
    try withLogs { world in
      let path = world.folder.path + "/replica.store"
      let request = ImportRequest(logs: world.logs, store: path)
      let head = try world.source.read { try $0.sealedHead() }
      var part = request
      part.until = .transaction(3)
      _ = try importLogs(part)
      var hasImported = false
      // The whole second import runs between two logs of the first.
      let result = try importLogs(request) { progress in
        guard progress.transactions >= 2, !hasImported else { return }
        hasImported = true
        _ = try? importLogs(request)
      }
      #expect(result.to.transaction == head)
      let replica = try Store.open(.file(URL(fileURLWithPath: path)))
      #expect(try rowDump(of: replica) == rowDump(of: world.source))
      #expect(try importLogs(request).transactions == 0)
    }
  }
}
