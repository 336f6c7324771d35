import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Recovering")
struct RecoverTests {
  private func replica(_ world: World, _ name: String) throws -> Store {
    let request = ImportRequest(logs: world.logs, store: world.folder.path + "/" + name)
    _ = try importLogs(request)
    return try Store.open(
      .file(URL(fileURLWithPath: request.store)),
      options: Options(isReadOnly: true)
    )
  }

  @Test(
    "History that was deleted too early becomes a gap, and the logs still give the store.",
    arguments: 1...3
  )
  func gap(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "gap \(round)")
      try world.write(20)
      let first = try world.export()
      // A replica that has imported the first logs continues through the gap.
      let follower = ImportRequest(logs: world.logs, store: folder.path + "/follower.store")
      _ = try importLogs(follower)
      try world.write(20)
      let base = first.to.transaction + 5
      try world.source.deleteHistory([1...base])
      #expect(throws: PipelineError.self) { try world.export() }
      let result = try recover(RecoverRequest(store: world.path, logs: world.logs))
      #expect(result.remedy == .gap)
      #expect(result.from == first.to)
      #expect(result.resumes.transaction == base)
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.map(\.findings) == [[]])
      #expect(verified.map(\.end) == [.token])
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: world.source))
      _ = try importLogs(follower)
      let store = try Store.open(.file(URL(fileURLWithPath: follower.store)))
      #expect(try rowDump(of: store) == rowDump(of: world.source))
      // The replica's own export has the same lines.
      let again = LogFolder(folder.path + "/again")
      try again.create()
      _ = try Pipeline.export(ExportRequest(store: follower.store, logs: again))
      #expect(try verify(VerifyRequest(logs: again)).map(\.findings) == [[]])
      let text = try again.files(of: world.source.identifier, lineage: 0)
        .map { try gunzip($0.path) }.joined().split(separator: "\n")
        .filter { !$0.hasPrefix(#"{"kind":"header""#) && !$0.hasPrefix(#"{"kind":"trailer""#) }
      #expect(try text.joined(separator: "\n") + "\n" == world.lines())
      try store.check { Issue.record("\($0)") }
      // The folder is also a history across the gap.
      let history = try FolderHistory(world.logs, store: world.source.identifier)
      var last: Int64 = 0
      try history.read(
        1...history.outline().head,
        wants: { _ in true },
        change: { _, _ in },
        transaction: { last = $0.id }
      )
      #expect(last == result.export.to.transaction)
      // Later transactions are exported as usual.
      try world.write(5)
      try world.export()
      _ = try importLogs(follower)
      #expect(try rowDump(of: store) == rowDump(of: world.source))
      let later = try recover(RecoverRequest(store: world.path, logs: world.logs))
      #expect(later.remedy == .none && later.objects == 0)
    }
  }

  @Test("A gap has the time of the transaction after it, so a later time includes both.")
  func timeOfGap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "time of a gap")
      try world.write(5)
      try world.export()
      try world.write(5)
      let base = try world.source.read { try $0.sealedHead() } - 2
      try world.source.deleteHistory([1...base])
      let now = currentTime()
      usleep(2000)
      let head = try world.source.read { try $0.sealedHead() }
      _ = try recover(RecoverRequest(store: world.path, logs: world.logs))
      let history = try History("\(world.logs.path)@\(now)")
      #expect(history.last == head)
      var request = ImportRequest(logs: world.logs, store: folder.path + "/then.store")
      request.until = .time(now)
      #expect(try importLogs(request).to.transaction == head)
    }
  }

  @Test("Transactions after a gap whose values were erased are whole in every replica.")
  func erasedGap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "erased gap")
      try world.write(5)
      try world.export()
      try writeGuest(9_000, to: world.path)
      let base = try world.source.read { try $0.sealedHead() }
      try world.source.write(Author()) { writer in
        try writer.delete(worldSchema.index(of: "Guest") ?? 0, id: 9_000)
      }
      try world.write(3)
      try world.source.deleteHistory([1...base])
      _ = try recover(RecoverRequest(store: world.path, logs: world.logs))
      let whole = try replica(world, "whole.store")
      try whole.check { Issue.record("\($0)") }
      let request = EraseRequest(logs: world.logs, entity: "Guest", object: 9_000)
      #expect(try erase(request).transactions > 0)
      let erased = try replica(world, "erased.store")
      try erased.check { Issue.record("\($0)") }
    }
  }

  @Test("A store that begins a lineage and has no later history has nothing to prune.")
  func pruneAfterLineage() throws {
    try withLineages { world, copy in
      let store = try Store.open(.file(URL(fileURLWithPath: copy)))
      let head = try store.read { try $0.sealedHead() }
      try store.deleteHistory([1...head])
      let request = PruneRequest(store: copy, logs: world.logs, keep: .zero)
      #expect(try prune(request).through == nil)
    }
  }

  @Test("An older copy whose history begins where the logs end is recognised.")
  func divergedAtBase() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "diverged at the base")
      try world.write(8)
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      try writeGuest(9_001, to: world.path)
      let end = try world.export().to
      for id in Int64(9_002)...9_003 { try writeGuest(id, to: copy) }
      let store = try Store.open(.file(URL(fileURLWithPath: copy)))
      try store.deleteHistory([1...end.transaction])
      #expect(try store.read { try $0.historyRange().base.transaction } == end.transaction)
      let old = try contents(of: URL(fileURLWithPath: world.logs.path))
      let error = #expect(throws: PipelineError.self) {
        try Pipeline.export(ExportRequest(store: copy, logs: world.logs))
      }
      #expect(error?.code == .historyDiverged)
      let result = try recover(RecoverRequest(store: copy, logs: world.logs))
      #expect(result.remedy == .lineage)
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(results.map(\.findings) == [[], []])
      // The parent never had the state that begins the lineage.
      #expect(results.map { $0.except.map(\.kind) } == [[], [.start]])
      let now = try contents(of: URL(fileURLWithPath: world.logs.path))
      for (name, data) in old where name.hasSuffix(".gz") { #expect(now[name] == data) }
      let restored = try Store.open(.file(URL(fileURLWithPath: copy)))
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: restored))
    }
  }

  @Test("A token with an altered digest is rebuilt from the logs, and reported as wrong.")
  func alteredToken() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "altered token")
      try world.write(8)
      try world.export()
      let path = world.logs.token(of: world.source.identifier)
      let good = try String(contentsOfFile: path, encoding: .utf8)
      let digest = try world.source.read { try $0.historyRange().head.digest.description }
      let bad = good.replacing(digest, with: String(digest.reversed()))
      try bad.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).count == 1)
      #expect(try recover(RecoverRequest(store: world.path, logs: world.logs)).remedy == .none)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == good)
      // A token that is behind is compared too.
      let head = try world.source.read { try $0.sealedHead() }
      try bad.replacing("\"transaction\":\(head)", with: "\"transaction\":\(head - 2)")
        .write(toFile: path, atomically: true, encoding: .utf8)
      let findings = try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings)
      #expect(findings.map(\.kind) == [.damaged])
      #expect(try recover(RecoverRequest(store: world.path, logs: world.logs)).remedy == .none)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == good)
      try bad.replacing("\"transaction\":\(head)", with: "\"transaction\":0")
        .write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).count == 1)
    }
  }

  @Test(
    "A store that was restored from an older copy continues in a new lineage.",
    arguments: 1...3
  )
  func lineage(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "lineage \(round)")
      try world.write(15)
      if round == 2 { try world.source.deleteHistory([1...4]) }
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      let fork = try world.source.read { try $0.historyRange().head.transaction }
      let older = world.history
      try world.write(10)
      let first = try world.export()
      let old = try contents(of: URL(fileURLWithPath: world.logs.path))
        .filter { $0.key.hasSuffix(".gz") }
      world.history = older
      let url = URL(fileURLWithPath: copy)
      let restored = try Store.open(.file(url))
      for _ in 0..<(round == 3 ? 0 : 12) { try world.history.write(to: restored) }
      let request = RecoverRequest(store: copy, logs: world.logs)
      let result = try recover(request)
      #expect(result.remedy == .lineage)
      #expect(result.from == first.to)
      #expect(result.resumes.lineage == 1)
      if round == 1 { #expect(result.resumes.transaction == fork) }
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.map(\.findings) == [[], []])
      #expect(verified.map(\.lineage) == [0, 1])
      #expect(verified.map(\.end) == [.lineage, .token])
      #expect(verified.last?.snapshotObjects == result.objects)
      #expect(verified.last?.transactions == result.export.transactions)
      #expect(verified.last?.changes == result.export.changes)
      let now = try Store.open(.file(url))
      try now.check { Issue.record("\($0)") }
      #expect(now.lineage == 1)
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: now))
      for _ in 0..<5 { try world.history.write(to: now) }
      _ = try Pipeline.export(ExportRequest(store: copy, logs: world.logs))
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: now))
      // The old lineage is unchanged.
      let after = try contents(of: URL(fileURLWithPath: world.logs.path))
      for (name, data) in old { #expect(after[name] == data) }
      #expect(try recover(request).remedy == .none)
    }
  }

  private func writeGuest(_ id: Int64, to path: String) throws {
    let store = try Store.open(.file(URL(fileURLWithPath: path)))
    try store.write(Author()) { writer in
      let guest = worldSchema.index(of: "Guest") ?? 0
      let values = writer.layouts[guest].columns.map { _ in Value.null }
      try writer.insert(guest, id: id, values: values)
    }
  }

  /// A folder with two lineages, whose first one has several logs.
  private func withLineages(_ body: (World, _ copy: String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "lineages")
      try world.write(8)
      try world.export()
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      try world.write(4)
      try world.export()
      try writeGuest(99, to: copy)
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      try body(world, copy)
    }
  }

  @Test("Verification finds that a log is missing at the end of an old lineage.")
  func oldEnd() throws {
    try withLineages { world, _ in
      let old = try world.logs.files(of: world.source.identifier, lineage: 0)
      try FileManager.default.removeItem(atPath: try #require(old.last?.path))
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(results.map { $0.findings.map(\.kind) } == [[.endMissing], []])
      #expect(results[0].findings.first?.transaction == old.last?.range.upperBound)
      #expect(results.map(\.end) == [.none, .token])
    }
  }

  @Test("Verification finds an old lineage that continues after the head that the next one names.")
  func laterEnd() throws {
    try withLineages { world, _ in
      var world = world
      try world.write(3)
      let aside = LogFolder(world.folder.path + "/aside")
      try aside.create()
      try startLogs(of: world.path, in: aside)
      // The same history in one log, with transactions after the start of the next lineage.
      let folder = world.logs.lineageFolder(world.source.identifier, lineage: 0)
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.copyItem(
        atPath: aside.lineageFolder(world.source.identifier, lineage: 0),
        toPath: folder
      )
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(results.map { $0.findings.map(\.kind) } == [[.damaged], []])
    }
  }

  @Test("A later lineage without the old one is not proven, unless a digest covers it.")
  func laterLineageAlone() throws {
    try withLineages { world, _ in
      try FileManager.default.removeItem(
        atPath: world.logs.lineageFolder(world.source.identifier, lineage: 0)
      )
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(results.map(\.findings) == [[]])
      #expect(results[0].except.map(\.kind) == [.start] && results[0].isUnproven)
      #expect(results[0].notices.contains { $0.message.contains("lineage 0 are missing") })
      var request = VerifyRequest(logs: world.logs)
      request.heads = [results[0].to.digest]
      #expect(try verify(request).map(\.isUnproven) == [false])
    }
  }

  @Test(
    "A store of a later lineage starts another folder, which supports every command."
  )
  func laterLineageElsewhere() throws {
    try withLineages { world, copy in
      let elsewhere = LogFolder(world.folder.path + "/elsewhere")
      try elsewhere.create()
      let export = ExportRequest(store: copy, logs: elsewhere)
      #expect(try startLogs(of: copy, in: elsewhere).snapshot != nil)
      func check(_ name: String, fromSnapshot: Bool = false) throws {
        let verified = try verify(VerifyRequest(logs: elsewhere))
        #expect(verified.map(\.findings) == [[]])
        #expect(verified.map(\.end) == [.token])
        var request = ImportRequest(logs: elsewhere, store: world.folder.path + "/" + name)
        request.fromSnapshot = fromSnapshot
        let result = try importLogs(request)
        #expect(result.snapshotObjects > 0)
        let replica = try Store.open(.file(URL(fileURLWithPath: request.store)))
        let store = try Store.open(.file(URL(fileURLWithPath: copy)))
        #expect(replica.lineage == 1)
        #expect(try rowDump(of: replica) == rowDump(of: store))
        #expect(try importLogs(request).transactions == 0)
        var against = VerifyRequest(logs: elsewhere)
        against.against = copy
        #expect(try verify(against).map(\.findings) == [[]])
      }
      try check("state.store")
      #expect(try recover(RecoverRequest(store: copy, logs: elsewhere)).remedy == .none)
      try writeGuest(98, to: copy)
      _ = try Pipeline.export(export)
      try check("later.store")
      #expect(try recover(RecoverRequest(store: copy, logs: elsewhere)).remedy == .none)
      // If the old lineage is still in its folder, a snapshot inside the later one works too.
      var whole = ExportRequest(store: copy, logs: world.logs)
      whole.wantsSnapshot = true
      _ = try Pipeline.export(whole)
      _ = try compact(CompactRequest(logs: world.logs))
      var request = ImportRequest(logs: world.logs, store: world.folder.path + "/whole.store")
      request.fromSnapshot = true
      #expect(try importLogs(request).snapshotObjects > 0)
      // The token is rebuilt from the logs.
      try FileManager.default.removeItem(atPath: elsewhere.token(of: world.source.identifier))
      try writeGuest(97, to: copy)
      // The other one proves the snapshot.
      #expect(try Pipeline.export(export).transactions == 2)
      // Earlier transactions are only in the other folder; the rest can be pruned without it.
      let store = try Store.open(.file(URL(fileURLWithPath: copy)))
      let first = try #require(elsewhere.snapshots(of: store.identifier, lineage: 1).first)
      try store.deleteHistory([1...first.range.upperBound])
      let prune = PruneRequest(store: copy, logs: elsewhere, keep: .zero)
      #expect(try Pipeline.prune(prune).transactions > 0)
      _ = try Pipeline.export(export)
      try check("pruned.store")
    }
  }

  @Test(
    "A store that is restored a second time continues in another lineage.",
    arguments: [0, 3]
  )
  func restoredTwice(_ later: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "twice \(later)")
      try world.write(8)
      try world.export()
      let fork = try world.source.read { try $0.sealedHead() }
      let copies = try ["first", "second", "third"].map { name in
        let path = folder.path + "/\(name).store"
        try copyStore(world.path, to: path)
        return path
      }
      try world.write(4)
      try world.export()
      for id in 0..<later { try writeGuest(Int64(90 + id), to: copies[0]) }
      #expect(
        try recover(RecoverRequest(store: copies[0], logs: world.logs)).resumes.lineage == 1
      )
      // An interrupted run may leave all logs of the lineage in one file.
      _ = try compact(CompactRequest(logs: world.logs))
      try writeGuest(80, to: copies[1])
      let second = try recover(RecoverRequest(store: copies[1], logs: world.logs))
      #expect(second.remedy == .lineage)
      // If the copy has no transactions of its own, it continues the same lineage.
      #expect(second.resumes.lineage == (later == 0 ? 1 : 2))
      #expect(second.resumes.transaction == fork)
      try writeGuest(70, to: copies[2])
      let third = try recover(RecoverRequest(store: copies[2], logs: world.logs))
      #expect(third.resumes.lineage == (later == 0 ? 2 : 3))
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.flatMap(\.findings).isEmpty)
      #expect(
        verified.map(\.end)
          == (later == 0 ? [.lineage, .lineage, .token] : [.lineage, .lineage, .lineage, .token])
      )
      let now = try Store.open(.file(URL(fileURLWithPath: copies[2])))
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: now))
      #expect(try recover(RecoverRequest(store: copies[2], logs: world.logs)).remedy == .none)
      // Restoring the copy that was used before gives the same result.
      try writeGuest(60, to: copies[1])
      let again = try recover(RecoverRequest(store: copies[1], logs: world.logs))
      #expect(again.resumes.lineage == third.resumes.lineage + 1)
      #expect(try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).isEmpty)
      // An earlier point belongs to the lineage that was restored, not to the last one.
      let before = try imported(world, "before.store", .transaction(fork - 1))
      #expect(before.to.lineage == 0)
    }
  }

  @Test("A copy continues after the last transaction in common, whose state begins the lineage.")
  func fork() throws {
    for common in 1...4 as ClosedRange<Int64> {
      try withTemporaryFolder { folder in
        let world = try World(folder, "fork after \(common)")
        for id in 1...common { try world.insertGuest(id) }
        let copy = folder.path + "/copy.store"
        try copyStore(world.path, to: copy)
        // The logs end inside and after the common transactions.
        if common != 3 { try world.export() }
        for id in common + 1...6 {
          try world.insertGuest(id)
          if id == 5 { try world.export() }
        }
        try world.export()
        for id in Int64(12)...13 { try writeGuest(id, to: copy) }
        let result = try recover(RecoverRequest(store: copy, logs: world.logs))
        #expect(result.remedy == .lineage, "\(common)")
        try #expect(result.from == world.point(6), "\(common)")
        #expect(result.resumes.lineage == 1 && result.resumes.transaction == common)
        #expect(result.objects == common, "\(common)")
        // Two more transactions of the copy are exported.
        #expect(result.export.transactions == 2, "\(common)")
        #expect(result.export.to.transaction == common + 2, "\(common)")
        let lineage = try world.logs.files(of: world.source.identifier, lineage: 1)
        #expect(lineage.first?.range == common...common, "\(common)")
        #expect(result.file == lineage.first?.path, "\(common)")
        #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[], []])
      }
    }
  }

  @Test("A lineage that another copy began with another state is not continued.")
  func otherState() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "other state")
      try world.write(8)
      try world.export()
      let copies = ["first", "second"].map { folder.path + "/\($0).store" }
      for copy in copies { try copyStore(world.path, to: copy) }
      try world.write(4)
      try world.export()
      for (index, copy) in copies.enumerated() {
        try writeGuest(Int64(90 + index), to: copy)
        // Without history, the lineage begins with the state of the copy.
        let store = try Store.open(.file(URL(fileURLWithPath: copy)))
        try store.deleteHistory([1...store.read { try $0.sealedHead() }])
        let result = try recover(RecoverRequest(store: copy, logs: world.logs))
        #expect(result.resumes.lineage == Int64(index + 1))
        #expect(try rowDump(of: replica(world, "replica \(index).store")) == rowDump(of: store))
      }
    }
  }

  private func imported(_ world: World, _ name: String, _ until: Point) throws -> ImportResult {
    var request = ImportRequest(logs: world.logs, store: world.folder.path + "/" + name)
    request.until = until
    return try importLogs(request)
  }

  private func code(_ body: () throws -> ImportResult) -> PipelineError.Code? {
    #expect(throws: PipelineError.self) { _ = try body() }?.code
  }

  @Test("The error of a replica of an older lineage says that it can't follow the next one.")
  func followerOfOldLineage() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "follower")
      try world.write(8)
      try world.export()
      let fork = try world.source.read { try $0.sealedHead() }
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      _ = try imported(world, "fork.store", .head)
      _ = try imported(world, "before.store", .transaction(fork - 2))
      try world.write(4)
      try world.export()
      let end = try imported(world, "end.store", .head).to
      try writeGuest(99, to: copy)
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      for name in ["fork.store", "before.store", "end.store"] {
        #expect(code { try imported(world, name, .head) } == .historyDiverged)
      }
      // Up to the restored transaction both lineages are equal.
      #expect(try imported(world, "before.store", .transaction(fork - 1)).transactions == 1)
      #expect(
        code { try imported(world, "before.store", .transaction(fork + 1)) } == .historyDiverged
      )
      // The logs of only the old lineage can continue.
      let old = LogFolder(folder.path + "/old")
      let id = world.source.identifier
      try FileManager.default.createDirectory(
        atPath: old.storeFolder(id),
        withIntermediateDirectories: true
      )
      try FileManager.default.copyItem(
        atPath: world.logs.lineageFolder(id, lineage: 0),
        toPath: old.lineageFolder(id, lineage: 0)
      )
      let request = ImportRequest(logs: old, store: folder.path + "/fork.store")
      #expect(try importLogs(request).to == end)
      // A replica of the new lineage finds no logs for it there.
      _ = try imported(world, "new.store", .head)
      let none = ImportRequest(logs: old, store: folder.path + "/new.store")
      #expect(code { try importLogs(none) } == .missingLogs)
    }
  }

  @Test("A point before the latest lineage is restored from the lineage before it.")
  func pointBeforeLineage() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "point before")
      try world.write(6)
      let early = folder.path + "/early.store"
      try copyStore(world.path, to: early)
      let point = try world.source.read { try $0.point($0.sealedHead()) }
      usleep(20_000)
      let time = timeText(Date())
      usleep(20_000)
      try world.write(3)
      let fork = try world.source.read { try $0.sealedHead() }
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      usleep(20_000)
      try world.write(4)
      usleep(20_000)
      let between = timeText(Date())
      try world.export()
      try writeGuest(99, to: copy)
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      let was = try rowDump(of: Store.open(.file(URL(fileURLWithPath: early))))
      for (name, until) in [
        ("id.store", Point.transaction(point.transaction)), ("time.store", .time(time)),
      ] {
        #expect(try imported(world, name, until).to == point)
        let replica = try Store.open(.file(URL(fileURLWithPath: folder.path + "/" + name)))
        #expect(try rowDump(of: replica) == was)
      }
      // From the restored transaction on, a point means the latest lineage.
      #expect(try imported(world, "fork.store", .transaction(fork)).to.lineage == 1)
      // If the old lineage continued, a time between is ambiguous.
      #expect(code { try imported(world, "between.store", .time(between)) } == .historyDiverged)
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/between.store"))
      // The error of a history names the place of earlier transactions.
      let error = #expect(throws: PipelineError.self) { try History("\(world.logs.path)@2") }
      let old = world.logs.lineageFolder(world.source.identifier, lineage: 0)
      #expect(error?.hint.contains(old) == true)
      #expect(try History("\(old)@2").last == 2)
    }
  }

  @Test("A point before all logs is an error.")
  func pointBeforeAll() throws {
    try withLineages { world, _ in
      let path = world.folder.path + "/none.store"
      #expect(
        code { try imported(world, "none.store", .time("1999-01-01T00:00:00.000000Z")) }
          == .missingLogs
      )
      try FileManager.default.removeItem(
        atPath: world.logs.lineageFolder(world.source.identifier, lineage: 0)
      )
      #expect(code { try imported(world, "none.store", .transaction(2)) } == .missingLogs)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("A gap reaches to the last deleted transaction, also if earlier ones are kept.")
  func deletedBetween() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "deleted between")
      for id in 1...2 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      for id in 3...7 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.source.deleteHistory([4...5])
      #expect(throws: PipelineError.self) { try world.export() }
      let result = try recover(RecoverRequest(store: world.path, logs: world.logs))
      #expect(result.remedy == .gap && result.objects == 3)
      try #expect(result.from == world.point(2) && result.resumes == world.point(5))
      let files = try world.logs.files(of: world.source.identifier, lineage: 0)
      #expect(files.prefix(2).map(\.range) == [1...2, 3...5])
      #expect(result.file == files.dropFirst().first?.path)
      // The two later transactions and the one that proves the gap are exported.
      #expect(result.export.transactions == 3 && result.export.to.transaction == 8)
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.map(\.findings) == [[]] && verified.map(\.except) == [[]])
    }
  }

  /// A schema with one entity, whose attributes have these names.
  private func schema(_ names: String...) -> StoreSchema {
    let attributes = names.map { Attribute(name: $0, type: .string, isOptional: true) }
    return StoreSchema(
      version: String(names.count),
      entities: [Entity(name: "E", attributes: attributes)]
    )
  }

  @Test("A copy that has no transaction of the logs begins a lineage with its first transaction.")
  func nothingInCommon() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "nothing in common")
      let copy = folder.path + "/copy.store"
      try copyStore(world.path, to: copy)
      try world.insertGuest(1)
      try world.export()
      for id in Int64(2)...4 { try writeGuest(id, to: copy) }
      let result = try recover(RecoverRequest(store: copy, logs: world.logs))
      #expect(result.remedy == .lineage && result.objects == 1)
      #expect(result.resumes.lineage == 1 && result.resumes.transaction == 1)
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.map(\.findings) == [[], []])
    }
  }

  @Test("A copy without any transaction begins a lineage with an empty state.", arguments: 0...1)
  func emptyCopy(_ later: Int) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "empty copy")
      let copy = folder.path + "/copy.store"
      try copyStore(world.path, to: copy)
      for id in Int64(1)...3 { try world.insertGuest(id) }
      try world.export()
      let result = try recover(RecoverRequest(store: copy, logs: world.logs))
      #expect(result.remedy == .lineage && result.objects == 0)
      #expect(result.resumes.lineage == 1 && result.resumes.transaction == 1)
      #expect(result.export.transactions == 0)
      for id in 0..<later { try writeGuest(Int64(10 + id), to: copy) }
      let export = try Pipeline.export(ExportRequest(store: copy, logs: world.logs))
      #expect(export.transactions == later && export.to.transaction == Int64(1 + later))
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.map(\.findings) == [[], []])
      let store = try Store.open(.file(URL(fileURLWithPath: copy)))
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: store))
      try store.check { Issue.record("\($0)") }
      #expect(try recover(RecoverRequest(store: copy, logs: world.logs)).remedy == .none)
    }
  }

  @Test(
    "A folder that lacks the lineage of the store is reported as such, without advice to recover."
  )
  func missingLineage() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "missing lineage")
      for id in Int64(1)...3 { try world.insertGuest(id) }
      try world.export()
      let elsewhere = LogFolder(folder.path + "/elsewhere")
      try elsewhere.create()
      try startLogs(of: world.path, in: elsewhere)
      let copy = folder.path + "/copy.store"
      try copyStore(world.path, to: copy)
      try world.insertGuest(4)
      for logs in [world.logs, elsewhere] {
        _ = try Pipeline.export(ExportRequest(store: world.path, logs: logs))
      }
      try writeGuest(9, to: copy)
      // This run begins the lineage in one of the two folders.
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      func isRight(_ message: String?, _ hint: String?) -> Bool {
        message?.contains("lineage 1") == true && hint?.contains("lineage 1") == true
          && hint?.contains("recover") == false
      }
      let error = #expect(throws: PipelineError.self) {
        try Pipeline.export(ExportRequest(store: copy, logs: elsewhere))
      }
      #expect(error?.code == .historyDiverged && isRight(error?.message, error?.hint))
      let status = try Pipeline.status(of: copy, logs: elsewhere).logs
      #expect(status?.health == .diverged && isRight(status?.message, status?.hint))
      var against = VerifyRequest(logs: elsewhere)
      against.against = copy
      let findings = try verify(against).flatMap(\.findings)
      #expect(findings.map(\.kind) == [.differs])
      #expect(findings.first?.description.contains("lineage 1") == true)
      #expect(try Pipeline.status(of: copy, logs: world.logs).logs?.health == .ok)
    }
  }

  @Test("A token of an earlier lineage does not make the status of a store wrong.")
  func statusWithOldToken() throws {
    try withLineages { world, copy in
      let token = world.logs.token(of: world.source.identifier)
      let old = world.folder.path + "/old.json"
      try FileManager.default.removeItem(atPath: token)
      let other = LogFolder(world.folder.path + "/other")
      try other.create()
      try startLogs(of: world.path, in: other)
      try FileManager.default.copyItem(
        atPath: other.token(of: world.source.identifier),
        toPath: old
      )
      try FileManager.default.copyItem(atPath: old, toPath: token)
      #expect(try Pipeline.status(of: copy, logs: world.logs).logs?.health == .ok)
    }
  }

  @Test("A gap in which the schema changed can't be written, and the logs stay as they are.")
  func schemaChange() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      try Store.open(.file(url), schema: schema("a")).write(Author()) { writer in
        try writer.insert(0, id: 1, values: [.text("x")])
      }
      let logs = LogFolder(folder.path + "/logs")
      try logs.create()
      _ = try export(ExportRequest(store: url.path, logs: logs))
      try Migration.migrate(url, to: schema("a", "b"), author: Author())
      let store = try Store.open(.file(url))
      for id in Int64(2)...4 {
        try store.write(Author()) { try $0.insert(0, id: id, values: [.null, .text("y")]) }
      }
      try store.deleteHistory([1...4])
      let old = try logs.allFiles()
      let error = #expect(throws: PipelineError.self) {
        try recover(RecoverRequest(store: url.path, logs: logs))
      }
      #expect(error?.code == .schemaMismatch)
      #expect(try logs.allFiles() == old)
    }
  }
}
