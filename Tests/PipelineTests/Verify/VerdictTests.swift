import ChangeLog
import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Verdicts")
struct VerdictTests {
  /// A store, and a copy of an earlier state of it that continues as lineage 1, both in one folder.
  private func withLineages(_ body: (World, _ copy: String, _ fork: Int64) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "verdicts")
      try world.write(10)
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      let fork = try world.source.read { try $0.historyRange().head.transaction }
      let older = world.history
      func head(_ store: Store) throws -> Int64 {
        try store.read { try $0.historyRange().head.transaction }
      }
      // Some writes change nothing, and are not recorded.
      while try head(world.source) < fork + 5 { try world.write(1) }
      try world.export()
      world.history = older
      let restored = try Store.open(.file(URL(fileURLWithPath: copy)))
      while try head(restored) < fork + 5 { try world.history.write(to: restored) }
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      try body(world, copy, fork)
    }
  }

  /// The digests of a lineage's transactions.
  private func digests(_ world: World, lineage: Int64) throws -> [Int64: Digest] {
    let history = try FolderHistory(world.logs, store: world.source.identifier, lineage: lineage)
    let outline = try history.outline()
    var result: [Int64: Digest] = [:]
    try history.read(
      outline.base + 1...outline.head,
      wants: { _ in false },
      change: { _, _ in },
      transaction: { result[$0.id] = $0.digest }
    )
    return result
  }

  @Test("A digest in a later lineage also proves the head of the lineage before it.")
  func lineages() throws {
    try withLineages { world, copy, _ in
      var request = VerifyRequest(logs: world.logs)
      #expect(try verify(request).map(\.verdict) == [.sound, .sound])
      let later = try digests(world, lineage: 1)
      let last = try #require(later.keys.max())
      request.heads = [try #require(later[last])]
      let proven = try verify(request)
      #expect(proven.map(\.verdict) == [.proven, .proven])
      #expect(proven.map(\.proof) == [.lineage(1), .head])
      #expect(proven[0].proven == proven[0].to && proven[1].proven?.transaction == last)
      #expect(proven.map(\.isUnproven) == [false, false])
      let earlier = try digests(world, lineage: 0)
      request.heads = [try #require(earlier[3])]
      let first = try verify(request)
      #expect(first.map(\.verdict) == [.proven, .sound])
      #expect(first[0].heads.map(\.transaction) == [3])
      request.heads.append(SHA256.digest(of: []))
      #expect(try verify(request).map { $0.findings.map(\.kind) } == [[], [.endMissing]])
      request.heads = []
      request.against = copy
      #expect(try verify(request).map(\.proof) == [.lineage(1), .store])
    }
  }

  @Test("After a position in an earlier lineage, its rest and the later lineages are verified.")
  func positions() throws {
    try withLineages { world, _, fork in
      let (earlier, later) = try (digests(world, lineage: 0), digests(world, lineage: 1))
      func verified(_ id: Int64, _ digest: Digest?) throws -> [Verification] {
        var request = VerifyRequest(logs: world.logs)
        request.after = TrustedPosition(transaction: id, digest: try #require(digest))
        return try verify(request)
      }
      let both = try verified(fork + 2, earlier[fork + 2])
      #expect(both.map(\.lineage) == [0, 1] && both.allSatisfy(\.findings.isEmpty))
      #expect(both[0].from.transaction == fork + 2 && both[0].after == both[0].from)
      #expect(both[0].end == .lineage && both[1].after == nil)
      let second = try verified(fork + 2, later[fork + 2])
      #expect(second.map(\.lineage) == [1] && second.allSatisfy(\.findings.isEmpty))
      #expect(second[0].transactions == Int64(later.keys.filter { $0 > fork + 2 }.count))
      let none = try verified(fork + 2, SHA256.digest(of: []))
      #expect(none.map(\.verdict) == [.damaged])
    }
  }

  @Test("After any transaction, only the later ones are verified, wherever logs end.")
  func everyPosition() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "every position")
      for _ in 0..<3 {
        try world.write(4)
        try world.export()
      }
      let all = try digests(world, lineage: 0)
      let last = try #require(all.keys.max())
      for (id, digest) in all {
        var request = VerifyRequest(logs: world.logs)
        request.after = TrustedPosition(transaction: id, digest: digest)
        let sound = try verify(request)
        #expect(sound.map(\.findings) == [[]] && sound.map(\.transactions) == [last - id])
        #expect(sound.map(\.from.transaction) == [id] && sound.map(\.to.transaction) == [last])
        request.after = TrustedPosition(transaction: id, digest: SHA256.digest(of: []))
        #expect(try verify(request).map(\.verdict) == [.damaged], "transaction \(id)")
      }
    }
  }

  @Test("The token of another copy of a store is found, unless the logs have other findings.")
  func otherToken() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "another token")
      try world.write(6)
      let copy = folder.path + "/copy.store"
      try copyStore(world.path, to: copy)
      var other = world.history
      try world.write(8)
      let log = try #require(try world.export().files.first)
      try other.write(to: Store.open(.file(URL(fileURLWithPath: copy))))
      let logs = LogFolder(folder.path + "/logs of the copy")
      try logs.create()
      _ = try export(ExportRequest(store: copy, logs: logs))
      var request = VerifyRequest(logs: world.logs)
      let token = logs.token(of: world.source.identifier)
      request.token = token
      #expect(try verify(request).flatMap(\.findings).map(\.path) == [token])
      let day = folder.path + "/logs/store=\(world.source.identifier)/lineage=0/date=1999-01-01"
      try FileManager.default.createDirectory(atPath: day, withIntermediateDirectories: true)
      let name = URL(fileURLWithPath: log).lastPathComponent
      try FileManager.default.moveItem(atPath: log, toPath: "\(day)/\(name)")
      #expect(try verify(request).flatMap(\.findings).map(\.path) == ["\(day)/\(name)"])
    }
  }

  @Test("A digest between a gap and its mark does not prove the gap, and no position is inside it.")
  func gap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "unproven gap")
      try world.write(10)
      let base = try world.export().to.transaction
      try world.write(10)
      try world.source.deleteHistory([1...base + 5])
      _ = try recover(RecoverRequest(store: world.path, logs: world.logs))
      let digests = try digests(world, lineage: 0)
      var request = VerifyRequest(logs: world.logs)
      request.heads = [try #require(digests[base + 7])]
      let result = try #require(verify(request).first)
      #expect(result.verdict == .proven && result.isUnproven)
      #expect(result.except.map(\.kind) == [.gap])
      #expect(result.except.map(\.transactions) == [[base + 5]])
      #expect(result.except.map(\.count) == [1])
      request.against = world.path
      #expect(try verify(request).map(\.except) == [[]])
      var after = VerifyRequest(logs: world.logs)
      after.after = TrustedPosition(transaction: base + 2, digest: SHA256.digest(of: []))
      let kinds = try verify(after).flatMap(\.findings).map(\.kind)
      #expect(Set(kinds) == [.endMissing])
      after.after = TrustedPosition(
        transaction: base + 7,
        digest: try #require(digests[base + 7])
      )
      #expect(try verify(after).map(\.except.isEmpty) == [true])
    }
  }

  @Test("A verdict names at most ten transactions of a part, and counts all.")
  func manyTransactions() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "many transactions")
      let guest = try #require(worldSchema.index(of: "Guest"))
      let column = try #require(world.source.layouts[guest].column(of: "note"))
      let none = world.source.layouts[guest].columns.map { _ in Value.null }
      try world.source.write(Author()) { try $0.insert(guest, id: 1, values: none) }
      for number in 1...12 {
        try world.source.write(Author()) {
          try $0.update(guest, id: 1, columns: [column], values: [.text("note \(number)")])
        }
      }
      try world.source.write(Author()) { try $0.delete(guest, id: 1) }
      try world.export()
      _ = try erase(EraseRequest(logs: world.logs, entity: "Guest", object: 1))
      let part = try #require(verify(VerifyRequest(logs: world.logs)).first?.except.first)
      #expect(part.kind == .unanchored && part.count == 14 && part.transactions.count == 10)
      #expect(part.description.contains(", …"))
    }
  }
}
