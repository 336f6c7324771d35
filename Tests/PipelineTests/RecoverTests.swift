import ChangeLog
import Foundation
import Pipeline
import Store
import StoreTesting
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
    "history that was deleted too early becomes a gap, and the logs give the store again",
    arguments: 1...3
  )
  func gap(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "gap \(round)")
      try world.write(20)
      let first = try world.export()
      // A replica that followed so far goes on through the gap.
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
      // The folder as a history goes on over the gap too.
      let history = try FolderHistory(world.logs, store: world.source.identifier)
      var last: Int64 = 0
      try history.read(
        1...history.outline().head,
        wants: { _ in true },
        change: { _, _ in },
        transaction: { last = $0.id }
      )
      #expect(last == result.export.to.transaction)
      // And all goes on as before.
      try world.write(5)
      try world.export()
      _ = try importLogs(follower)
      #expect(try rowDump(of: store) == rowDump(of: world.source))
      #expect(try recover(RecoverRequest(store: world.path, logs: world.logs)).remedy == .none)
    }
  }

  @Test("a store that was restored from an older copy goes on in a new lineage", arguments: 1...3)
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
      let now = try Store.open(.file(url))
      try now.check { Issue.record("\($0)") }
      #expect(now.lineage == 1)
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: now))
      for _ in 0..<5 { try world.history.write(to: now) }
      _ = try Pipeline.export(ExportRequest(store: copy, logs: world.logs))
      #expect(try rowDump(of: replica(world, "replica.store")) == rowDump(of: now))
      // Nothing of the old lineage has changed.
      let after = try contents(of: URL(fileURLWithPath: world.logs.path))
      for (name, data) in old { #expect(after[name] == data) }
      #expect(try recover(request).remedy == .none)
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
      let restored = try Store.open(.file(URL(fileURLWithPath: copy)))
      try restored.write(Author()) { writer in
        let guest = worldSchema.entities.firstIndex { $0.name == "Guest" } ?? 0
        let values = writer.layouts[guest].columns.map { _ in Value.null }
        try writer.insert(guest, id: 99, values: values)
      }
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      try body(world, copy)
    }
  }

  @Test("a log that is missing at the end of an old lineage is found by what the next one says")
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

  @Test("an old lineage that goes on past the end that the next one names is found")
  func laterEnd() throws {
    try withLineages { world, _ in
      var world = world
      try world.write(3)
      let aside = LogFolder(world.folder.path + "/aside")
      try aside.create()
      _ = try Pipeline.export(ExportRequest(store: world.path, logs: aside))
      // The same history, in one log and further than it was when the next lineage began.
      let folder = world.logs.lineageFolder(world.source.identifier, 0)
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.copyItem(
        atPath: aside.lineageFolder(world.source.identifier, 0),
        toPath: folder
      )
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(results.map { $0.findings.map(\.kind) } == [[.damaged], []])
    }
  }

  @Test("a later lineage by itself is sound, and a notice says that the old one is not here")
  func laterLineageAlone() throws {
    try withLineages { world, _ in
      try FileManager.default.removeItem(
        atPath: world.logs.lineageFolder(world.source.identifier, 0)
      )
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(results.map(\.findings) == [[]])
      #expect(results[0].notices.first?.contains("lineage 0, whose logs are not here") == true)
    }
  }
}
