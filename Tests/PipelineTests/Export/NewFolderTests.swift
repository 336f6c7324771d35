import ChangeLog
import Format
import Foundation
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

/// An empty log folder may be on a disk that is not mounted.
@Suite("New log folders")
struct NewFolderTests {
  private func withExported(_ body: (inout World, LogFolder) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "new folders")
      world.history.hasLargeValues = false
      try world.write(8)
      try world.export()
      try world.write(4)
      let empty = LogFolder(folder.path + "/empty")
      try empty.create()
      try body(&world, empty)
    }
  }

  private func isEmpty(_ logs: LogFolder) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: logs.path).isEmpty
  }

  @Test("An export to an empty folder fails if the store was exported before, and writes nothing.")
  func emptyFolder() throws {
    try withExported { world, empty in
      for isDryRun in [true, false] {
        let error = #expect(throws: PipelineError.self) {
          try world.export {
            $0.logs = empty
            $0.isDryRun = isDryRun
          }
        }
        #expect(error?.code == .missingLogs)
        #expect(error?.hint.contains("mounted") == true)
        #expect(error?.hint.contains("--new-folder") == true)
        #expect(try isEmpty(empty))
      }
      // If the token is in another place, the error says what is missing.
      let token = world.folder.path + "/token.json"
      try world.export { $0.token = token }
      let error = #expect(throws: PipelineError.self) {
        try world.export {
          $0.logs = empty
          $0.token = token
        }
      }
      #expect(error?.code == .missingLogs)
      #expect(try isEmpty(empty))
    }
  }

  @Test(
    "An export that starts a new folder writes the whole history, and later ones continue it."
  )
  func newFolder() throws {
    try withExported { world, empty in
      let token = world.folder.path + "/token.json"
      try FileManager.default.copyItem(
        atPath: world.logs.token(of: world.source.identifier),
        toPath: token
      )
      let first = try world.export {
        $0.logs = empty
        $0.token = token
        $0.startsNewFolder = true
      }
      #expect(first.from.transaction == 0 && first.to.transaction == first.head)
      try world.write(3)
      let second = try world.export {
        $0.logs = empty
        $0.token = token
      }
      #expect(second.from == first.to && second.notices.isEmpty)
      try #expect(world.lines(in: empty) == lines(of: world.source))
      try world.export()
      try #expect(world.lines() == lines(of: world.source))
    }
  }

  @Test("A folder that has logs of the store can't be started again.")
  func notNew() throws {
    try withExported { world, _ in
      let error = #expect(throws: PipelineError.self) {
        try world.export { $0.startsNewFolder = true }
      }
      #expect(error?.code == .misuse)
      #expect(error?.hint.contains("--new-folder") == true)
      let next = try world.export()
      #expect(next.transactions == 4)
    }
  }

  @Test("A store remembers the exports of each filter separately.")
  func filters() throws {
    try withExported { world, empty in
      var guests = ExportFilter()
      guests.entities = ["Guest"]
      // The full logs are in the folder, and the first filtered ones are added beside them.
      try world.export { $0.filter = guests }
      var byApp = ExportFilter()
      byApp.authors = ["app"]
      try world.export {
        $0.filter = byApp
        $0.logs = empty
      }
      for filter in [guests, byApp] {
        let error = #expect(throws: PipelineError.self) {
          try world.export {
            $0.filter = filter
            $0.logs = LogFolder(world.folder.path + "/unmounted")
          }
        }
        #expect(error?.code == .missingLogs)
      }
      try world.export {
        $0.filter = guests
        $0.logs = empty
        $0.startsNewFolder = true
      }
    }
  }

  @Test("A store that was exported before the mark existed gets it from the next export.")
  func olderStore() throws {
    try withExported { world, empty in
      try runSQL("DELETE FROM store_catalog WHERE key LIKE 'exported%'", on: world.path)
      #expect(try !world.source.read { try $0.remembersExport(filter: nil) })
      try world.export()
      #expect(try world.source.read { try $0.remembersExport(filter: nil) })
      #expect(throws: PipelineError.self) { try world.export { $0.logs = empty } }
    }
  }

  @Test("A first export does not wait for a program that writes, and the next one adds the mark.")
  func lockedStore() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "locked store")
      try world.write(6)
      let writer = try Connection(path: world.path, mode: .readWrite)
      try writer.execute("BEGIN IMMEDIATE")
      let first = try world.export()
      #expect(first.transactions == first.head)
      #expect(try !world.source.read { try $0.remembersExport(filter: nil) })
      try writer.execute("ROLLBACK")
      try world.export()
      #expect(try world.source.read { try $0.remembersExport(filter: nil) })
    }
  }

  @Test("Equal rows prove the snapshot with which logs begin, although no transaction proves it.")
  func unprovenSnapshot() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "unproven snapshot")
      try world.write(12)
      try world.source.deleteHistory([1...6])
      let writer = try Connection(path: world.path, mode: .readWrite)
      try writer.execute("BEGIN IMMEDIATE")
      try world.export()
      try writer.execute("ROLLBACK")
      let replica = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      #expect(throws: PipelineError.self) { try importLogs(replica) }
      var request = VerifyRequest(logs: world.logs)
      #expect(try verify(request).flatMap(\.marked).map(\.isReplayed) == [false])
      request.against = world.path
      let result = try #require(verify(request).first)
      #expect(result.findings.isEmpty && result.end == .store)
      #expect(result.marked.map(\.isBase) == [true])
      #expect(result.marked.map(\.isReplayed) == [true])
    }
  }

  @Test("A dry run and a stream are not remembered, and verify exports nothing.")
  func notExports() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "not exported")
      try world.write(6)
      try world.export { $0.isDryRun = true }
      try world.export { $0.stream = open("/dev/null", O_WRONLY) }
      #expect(try !world.source.read { try $0.remembersExport(filter: nil) })
      try world.export()
      var verification = VerifyRequest(logs: world.logs)
      verification.against = world.path
      try world.write(2)
      let result = try #require(verify(verification).first)
      #expect(result.findings.isEmpty && result.unexported == 2)
      #expect(result.notices.isEmpty && result.end == .token)
    }
  }

  @Test("A first export that was interrupted before its first log is continued without a flag.")
  func stoppedBeforeFirstLog() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "stopped early")
      try world.write(6)
      try world.export()
      // The files of a program that was stopped after the store recorded the export.
      let identifier = world.source.identifier
      let beginning = HistoryPoint(
        lineage: 0,
        transaction: 0,
        digest: TransactionDigest.beginning(ofStore: identifier, lineage: 0)
      )
      let token = Bookmark(store: identifier, points: [identifier: beginning]).json()
      try FileManager.default.removeItem(atPath: world.logs.lineageFolder(identifier, lineage: 0))
      try Data(token).write(to: URL(fileURLWithPath: world.logs.token(of: identifier)))
      #expect(try status(of: world.path, logs: world.logs).logs?.health == .ok)
      #expect(try world.export().notices.isEmpty)
      try #expect(world.lines() == lines(of: world.source))
      // The same after the log was renamed; it may start with a snapshot of a pruned store.
      for isPruned in [false, true] {
        if isPruned {
          _ = try prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
          try FileManager.default.removeItem(atPath: world.logs.path)
          try world.logs.create()
          #expect(try world.export { $0.startsNewFolder = true }.snapshot != nil)
        }
        try Data(token).write(to: URL(fileURLWithPath: world.logs.token(of: identifier)))
        #expect(try world.export().notices.count == 1)
        #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      }
    }
  }

  @Test("A promoted replica is a new store that was not exported yet.")
  func promotion() throws {
    try withExported { world, empty in
      let path = world.folder.path + "/replica.store"
      _ = try importLogs(ImportRequest(logs: world.logs, store: path))
      let again = LogFolder(world.folder.path + "/again")
      _ = try Pipeline.export(ExportRequest(store: path, logs: again))
      #expect(throws: PipelineError.self) {
        try Pipeline.export(ExportRequest(store: path, logs: empty))
      }
      try Store.open(.file(URL(fileURLWithPath: path))).promote()
      let export = try Pipeline.export(ExportRequest(store: path, logs: empty))
      #expect(export.snapshot != nil)
    }
  }
}
