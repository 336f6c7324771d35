import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Importing")
struct ImportTests {
  private func request(_ world: World, _ name: String = "replica.store") -> ImportRequest {
    ImportRequest(logs: world.logs, store: world.folder.appendingPathComponent(name).path)
  }

  private func replica(_ request: ImportRequest) throws -> Store {
    try Store.open(.file(URL(fileURLWithPath: request.store)), options: Options(isReadOnly: true))
  }

  @Test(
    "A replica equals its origin, and its own export has the same lines.",
    arguments: 1...3
  )
  func replay(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "replay \(round)")
      let request = request(world)
      for _ in 0..<4 {
        try world.write(15)
        try world.export { $0.maximumFileSize = round == 1 ? 1 : 1 << 20 }
        let result = try importLogs(request)
        #expect(result.to == (try world.source.read { try $0.historyRange().head }))
        let replica = try replica(request)
        #expect(try rowDump(of: replica) == rowDump(of: world.source))
        #expect(try lines(of: replica) == lines(of: world.source))
      }
      let logs = LogFolder(folder.appendingPathComponent("again").path)
      try logs.create()
      _ = try Pipeline.export(ExportRequest(store: request.store, logs: logs))
      let again = try logs.files(of: world.source.identifier, lineage: 0).map {
        try gunzip($0.path)
      }
      let text = again.joined().split(separator: "\n").filter {
        !$0.hasPrefix(#"{"kind":"header""#) && !$0.hasPrefix(#"{"kind":"trailer""#)
      }
      #expect(try text.joined(separator: "\n") + "\n" == world.lines())
    }
  }

  @Test("An import reports how many transactions it has to apply, and reaches that number.")
  func progress() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "progress")
      try world.write(20)
      try world.export { $0.maximumFileSize = 1 }
      let head = try world.source.read { try $0.historyRange().head.transaction }
      for (until, total) in [(Point.transaction(head - 4), head - 4), (.head, Int64(4))] {
        var request = request(world)
        request.until = until
        for isDryRun in [true, false] {
          request.isDryRun = isDryRun
          var last = Progress()
          _ = try importLogs(request) { progress in
            #expect(progress.total == total)
            #expect(progress.transactions >= last.transactions)
            last = progress
          }
          #expect(last.transactions == total)
        }
      }
    }
  }

  @Test("A second import changes nothing.")
  func idempotence() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "idempotence")
      try world.write(30)
      try world.export()
      let request = request(world)
      _ = try importLogs(request)
      let rows = try rowDump(of: replica(request))
      let again = try importLogs(request)
      #expect(again.transactions == 0)
      #expect(again.from == again.to)
      #expect(try rowDump(of: replica(request)) == rows)
    }
  }

  @Test(
    "An import up to a point gives the state that the store had then.",
    arguments: 1...trials(2, long: 20)
  )
  func time(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "time \(round)")
      var states: [(Int64, [String])] = []
      for _ in 0..<10 {
        try world.write(4)
        let head = try world.source.read { try $0.historyRange().head.transaction }
        states.append((head, try rowDump(of: world.source)))
      }
      try world.export { $0.maximumFileSize = 3000 }
      for (id, rows) in states {
        var request = request(world, "at \(id).store")
        request.until = .transaction(id)
        #expect(try importLogs(request).to.transaction == id)
        #expect(try rowDump(of: replica(request)) == rows)
      }
      // One replica is imported from point to point.
      var step = request(world)
      for (id, rows) in states {
        step.until = .transaction(id)
        _ = try importLogs(step)
        #expect(try rowDump(of: replica(step)) == rows)
      }
    }
  }

  @Test("A replica that is past the given point is refused and unchanged.")
  func pastPoint() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "past the point")
      try world.write(6)
      try world.export { $0.wantsSnapshot = true }
      try world.write(4)
      try world.export()
      let whole = request(world)
      _ = try importLogs(whole)
      var snapshot = request(world, "from snapshot.store")
      snapshot.fromSnapshot = true
      snapshot.until = .transaction(6)
      _ = try importLogs(snapshot)

      func time(_ id: Int64) throws -> Point {
        .time(try #require(try world.source.read { try $0.transaction(id)?.time }))
      }
      let early = try time(5)
      for (past, points) in [
        (whole, [.transaction(10), .transaction(0), early]), (snapshot, [.transaction(5), early]),
      ] as [(ImportRequest, [Point])] {
        for point in points {
          for isDryRun in [true, false] {
            var past = past
            past.until = point
            past.isDryRun = isDryRun
            let before = try rowDump(of: replica(past))
            let error = #expect(throws: PipelineError.self) { try importLogs(past) }
            #expect(error?.code == .misuse)
            #expect(error?.message.contains("which is later than") == true)
            #expect(error?.hint.contains("--into new.store --until \(point)") == true)
            #expect(try rowDump(of: replica(past)) == before)
            #expect(throws: PipelineError.self) {
              try checkIsNotPast(point, store: past.store)
            }
          }
        }
      }
      // The replica's own point and a later one are accepted.
      for (here, point) in [
        (whole, .transaction(11)), (snapshot, .transaction(6)),
        (snapshot, try time(6)), (snapshot, .transaction(8)),
      ] as [(ImportRequest, Point)] {
        var here = here
        here.until = point
        try checkIsNotPast(point, store: here.store)
        let transactions = try importLogs(here).transactions
        #expect(transactions == (point == .transaction(8) ? 2 : 0))
      }
    }
  }

  /// Expects that a dry run changes no file and reports what the import then does.
  private func checkDryRun(_ request: ImportRequest, _ folder: URL) throws {
    var plan = request
    plan.isDryRun = true
    let before = try contents(of: folder)
    var said = try importLogs(plan)
    #expect(try contents(of: folder) == before)
    let done = try importLogs(request)
    said.danglingLinks = done.danglingLinks
    #expect(said == done)
  }

  @Test("A dry run of several logs reports what the import would do, and changes no file.")
  func dryRun() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "dry run of an import")
      for _ in 0..<5 {
        try world.write(6)
        try world.export { $0.wantsSnapshot = true }
      }
      let files = try world.logs.files(of: world.source.identifier, lineage: 0)
      #expect(files.count > 3)
      var step = request(world)
      for until in [.transaction(3), .transaction(14), .head, .head] as [Point] {
        var whole = request(world, "\(until).store")
        whole.until = until
        step.until = until
        try checkDryRun(whole, folder)
        try checkDryRun(step, folder)
      }
      var snapshot = request(world, "snapshot.store")
      snapshot.fromSnapshot = true
      snapshot.until = .transaction(files[2].range.upperBound + 1)
      try checkDryRun(snapshot, folder)
      step.until = .transaction(10_000)
      step.isDryRun = true
      let error = #expect(throws: PipelineError.self) { try importLogs(step) }
      let last = try #require(files.last).range.upperBound
      #expect(error?.message.contains("end at transaction \(last)") == true)
    }
  }

  @Test("The progress of a dry run does not count transactions that the replica has.")
  func progressOfDryRun() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "progress of a dry run")
      for id in 1...4 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      var request = request(world)
      request.until = .transaction(3)
      _ = try importLogs(request)
      request.until = .head
      for isDryRun in [true, false] {
        request.isDryRun = isDryRun
        var counted: Int64 = 0
        let result = try importLogs(request) { counted = max(counted, $0.transactions) }
        #expect(result.transactions == 1 && counted <= 1)
      }
    }
  }

  @Test("A dry run of a later lineage reports what the import then does.")
  func dryRunOfLineage() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "dry run of a lineage")
      try world.write(6)
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      var restored = world.history
      try world.write(4)
      try world.export()
      let store = try Store.open(.file(URL(fileURLWithPath: copy)))
      for _ in 0..<6 { try restored.write(to: store) }
      _ = try recover(RecoverRequest(store: copy, logs: world.logs))
      try checkDryRun(request(world), folder)
    }
  }

  @Test("A point inside a gap is refused, and the error names the possible points.")
  func endInGap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "end in a gap")
      try world.write(10)
      try world.export()
      try world.write(20)
      try world.source.deleteHistory([1...20])
      _ = try recover(RecoverRequest(store: world.path, logs: world.logs))
      var request = request(world)
      request.until = .transaction(15)
      for isDryRun in [true, false] {
        request.isDryRun = isDryRun
        let error = #expect(throws: PipelineError.self) { try importLogs(request) }
        #expect(error?.code == .missingLogs)
        #expect(error?.message.contains("transactions 11 to 20 as one") == true)
        #expect(error?.hint.contains("10") == true && error?.hint.contains("20") == true)
      }
      request.until = .transaction(20)
      #expect(try importLogs(request).to.transaction == 20)
    }
  }

  @Test("A changed replica stops the import, with all differences.")
  func differences() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "differences")
      try world.source.write(Author()) { writer in
        try writer.insert(
          worldSchema.index(of: "Hotel") ?? 0,
          id: 1000,
          values: [.text("Grand"), .null, .null, .null, .integer(4)]
        )
      }
      try world.export()
      let request = request(world)
      _ = try importLogs(request)
      try runSQL("UPDATE Place SET stars = 1, rating = 2.5 WHERE id = 1000", on: request.store)
      try world.source.write(Author()) { writer in
        try writer.delete(
          worldSchema.index(of: "Hotel") ?? 0,
          id: 1000
        )
      }
      try world.write(3)
      try world.export()
      let error = #expect(throws: StoreError.self) { try importLogs(request) }
      #expect(error?.code == .replayMismatch)
      #expect(error?.replayDifferences.count == 2)
      #expect(try replica(request).read { try $0.historyRange().head.transaction } == 1)
    }
  }

  @Test("An import applies every transaction before the damage, and none of the damaged log.")
  func damage() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "damage")
      try world.write(10)
      let first = try world.export()
      try world.write(10)
      let second = try world.export()
      let path = try #require(second.files.first)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      let request = request(world)
      #expect(throws: LogError.self) { try importLogs(request) }
      #expect(try replica(request).read { try $0.historyRange().head } == first.to)
    }
  }

  @Test("A replica whose first log is damaged is removed.", arguments: [2, 3, 40])
  func unused(parts: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "unused \(parts)")
      try world.write(10)
      let path = try #require(try world.export().files.first)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes[bytes.count - bytes.count / parts] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      let request = request(world)
      let others = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(throws: LogError.self) { try importLogs(request) }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == others
      )
    }
  }

  @Test("An import applies the rest of a log that the replica has in part.")
  func overlap() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "overlap")
      try world.write(12)
      try world.export()
      var request = request(world)
      request.until = .transaction(5)
      _ = try importLogs(request)
      request.until = .head
      let result = try importLogs(request)
      #expect(result.from.transaction == 5)
      #expect(result.to == (try world.source.read { try $0.historyRange().head }))
      #expect(try rowDump(of: replica(request)) == rowDump(of: world.source))
    }
  }

  @Test("A store that is not a replica, or a replica of another store, is refused.")
  func wrongStore() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "wrong store")
      try world.write(3)
      try world.export()
      let own = ImportRequest(logs: world.logs, store: world.path)
      #expect(throws: PipelineError.self) { try importLogs(own) }
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("other"),
        withIntermediateDirectories: true
      )
      let other = try World(folder.appendingPathComponent("other"), "other")
      try other.export()
      let replica = ImportRequest(logs: other.logs, store: folder.path + "/other replica")
      #expect(throws: PipelineError.self) { try importLogs(replica) }
    }
  }

  @Test("The store's identifier separates the logs of two stores in one folder.")
  func severalStores() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "several stores")
      try world.write(5)
      try world.export()
      let people = try Store.open(
        .file(folder.appendingPathComponent("people.store")),
        schema: worldSchema
      )
      var history = HistoryWorld(SeededGenerator(for: "people"))
      for _ in 0..<5 { try history.write(to: people) }
      _ = try Pipeline.export(ExportRequest(store: people.location.path, logs: world.logs))
      var request = request(world)
      let error = #expect(throws: PipelineError.self) { try importLogs(request) }
      #expect(error?.code == .otherStore)
      request.origin = UUID().uuidString
      let unknown = #expect(throws: PipelineError.self) { try importLogs(request) }
      #expect(unknown?.code == .missing)
      #expect(unknown?.hint.contains(people.identifier) == true)
      var verification = VerifyRequest(logs: world.logs)
      verification.after = TrustedPosition(transaction: 1, digest: SHA256.digest(of: []))
      let verify = #expect(throws: PipelineError.self) { try Pipeline.verify(verification) }
      #expect(verify?.code == .otherStore)
      request.origin = people.identifier
      _ = try importLogs(request)
      #expect(try rowDump(of: replica(request)) == rowDump(of: people))
    }
  }

  @Test(
    "A replica follows its origin's migrations, in one run or in several.",
    arguments: [false, true]
  )
  func migration(_ inSteps: Bool) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "migration \(inSteps)")
      var schemas = [worldSchema]
      for (version, change) in [("2.0.0", renamed), ("2.1.0", { $0 }), ("3.0.0", filled)]
        as [(String, (Entity) -> Entity)]
      {
        let last = schemas[schemas.count - 1]
        schemas.append(StoreSchema(version: version, entities: last.entities.map(change)))
      }
      try world.write(20)
      let request = request(world)
      for schema in schemas.dropFirst() {
        if inSteps {
          try world.export()
          _ = try importLogs(request)
        }
        let url = URL(fileURLWithPath: world.path)
        try Migration.migrate(url, to: schema, author: Author(name: "migrator"))
        let store = try Store.open(.file(url), schema: schema)
        try store.write(Author(name: "app")) { writer in
          let guest = schema.index(of: "Guest") ?? 0
          let id = try writer.reserveIDs("Guest", count: 1)
          let columns = writer.layouts[guest].columns
          try writer.insert(
            guest,
            id: id,
            values: columns.map { $0.name == "rank" ? .integer(3) : .null }
          )
        }
      }
      let result = try world.export()
      #expect(result.files.count >= (inSteps ? 1 : 4))
      _ = try importLogs(request)
      let store = try Store.open(.file(URL(fileURLWithPath: world.path)))
      #expect(try replica(request).schema == schemas[3])
      #expect(try rowDump(of: replica(request)) == rowDump(of: store))
      #expect(try lines(of: replica(request)) == lines(of: store))
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }

  @Test(
    "The error of a replica that can't migrate gives the reason, and not a schema mismatch."
  )
  func stoppedMigration() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "stopped migration")
      try world.write(12)
      try world.export()
      let request = request(world)
      _ = try importLogs(request)
      let schema = StoreSchema(version: "2.0.0", entities: worldSchema.entities.map(filled))
      try Migration.migrate(URL(fileURLWithPath: world.path), to: schema, author: Author())
      try world.export()
      try runSQL("UPDATE Guest SET note = 'altered'", on: request.store)
      for _ in 0..<2 {
        let error = #expect(throws: StoreError.self) { try importLogs(request) }
        #expect(error?.code == .replayMismatch)
        #expect(error?.hint.contains("Create a new replica") == true, "\(error?.message ?? "")")
      }
    }
  }

  private func renamed(_ entity: Entity) -> Entity {
    var entity = entity
    for index in entity.attributes.indices where entity.attributes[index].name == "note" {
      entity.attributes[index].name = "remark"
      entity.attributes[index].column = "remark"
      entity.attributes[index].originalName = "note"
    }
    return entity
  }

  private func filled(_ entity: Entity) -> Entity {
    guard entity.name == "Guest" else { return entity }
    var entity = entity
    entity.attributes.append(Attribute(name: "rank", type: .int64, defaultValue: .integer(1)))
    return entity
  }

  @Test("The folder of a store without history is refused, because it contains no logs.")
  func folderWithoutLogs() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "folder without logs")
      try world.export()
      let error = #expect(throws: PipelineError.self) { try importLogs(request(world)) }
      #expect(error?.code == .missingLogs)
      #expect(error?.message.contains("contains no logs") == true)
    }
  }
}
