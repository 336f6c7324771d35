import Foundation
import ProcessTesting
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("History that several processes write", .serialized)
struct HistoryProcessTests {
  /// Starts the program that saves entries of three parts each; it is built beside the tests.
  private func probe(_ store: URL, _ author: String, _ count: Int) throws -> ChildProcess {
    let process = ChildProcess()
    process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
      .appendingPathComponent("ProcessProbe")
    process.arguments = ["write", store.path, author, "\(count)"]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Replays the whole history into a new store, and expects the same rows.
  private func expectAgreement(_ url: URL, in folder: URL) throws -> Int64 {
    let store = try Store.open(.file(url), options: Options(isReadOnly: true))
    #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
    let replica = try Store.open(
      .memory("replica"),
      schema: store.schema,
      options: Options(
        origin: ReplicaOrigin(identifier: store.identifier, lineage: store.lineage)
      )
    )
    try copyHistory(of: store, into: replica, batch: 1000)
    #expect(try rowDump(of: replica) == rowDump(of: store))
    let head = try store.read { try $0.historyRange().head }
    #expect(try replica.read { try $0.historyRange().head } == head)
    return head.transaction
  }

  @Test("After a process is killed at any moment, rows and history agree.")
  func killed() throws {
    try withTemporaryFolder { folder in
      var random = SeededGenerator(for: "killed processes")
      var saved: Int64 = 0
      var found = 0
      let rounds = trials(15, long: 1000)
      for round in 0..<rounds {
        // Every 25 rounds use a new store, so that some are killed during its creation.
        let url = folder.appendingPathComponent("\(round / 25).store")
        if round % 25 == 0 { saved = 0 }
        let process = try probe(url, "round \(round)", 100_000)
        usleep(UInt32.random(in: 5_000...120_000, using: &random))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        guard FileManager.default.fileExists(atPath: url.path) else { continue }
        found += 1
        do {
          let head = try expectAgreement(url, in: folder)
          #expect(head >= saved)
          saved = head
        } catch let error as StoreError where error.code == .notAStore && saved == 0 {
          // The process was killed before the first table was created.
          continue
        }
      }
      #expect(found > rounds / 3)
    }
  }

  @Test("While two processes save, a third reads every transaction whole and in order.")
  func reader() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("entries.store")
      let count = trials(300, long: 10_000)
      let first = try probe(url, "first", 1)
      first.waitUntilExit()
      let writers = try ["a", "b"].map { try probe(url, $0, count) }
      let store = try Store.open(.file(url), options: Options(isReadOnly: true))
      var last: Int64 = 0
      var authors: [String: Int] = [:]
      var passes = 0
      let total = Int64(2 * count + 1)
      var isOver = false
      while !isOver {
        // One more pass after the last writer ended sees all that they wrote.
        isOver = !writers.contains(where: \.isRunning)
        passes += 1
        try store.read { reader in
          let point = try reader.point(last)
          let cursor = try reader.history(after: last)
          while let transaction = try cursor.nextTransaction() {
            var changes = 0
            while let change = try cursor.nextChange() {
              #expect(change.sequence == Int64(changes))
              changes += 1
            }
            #expect(changes == 4)
            #expect(transaction.id == last + 1)
            authors[transaction.author ?? "", default: 0] += 1
            last = transaction.id
          }
          try reader.check(point)
        }
      }
      for writer in writers {
        writer.waitUntilExit()
        #expect(writer.terminationStatus == 0)
      }
      #expect(last == total)
      #expect(authors == ["first": 1, "a": count, "b": count])
      #expect(passes > 3)
      _ = try expectAgreement(url, in: folder)
    }
  }
}
