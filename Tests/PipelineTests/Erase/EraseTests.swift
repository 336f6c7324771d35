import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Erasing values")
struct EraseTests {
  @Test("A log that is a hard link is refused, because the other file would keep the values.")
  func link() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.store.write(Author()) { writer in
        let values = writer.layouts[Self.guest].columns.map { _ in Value.null }
        try writer.insert(Self.guest, id: 1, values: values)
      }
      try secrets.export()
      let log = try secrets.logs.files(of: secrets.store.identifier, lineage: 0)[0].path
      try FileManager.default.moveItem(atPath: log, toPath: folder.path + "/elsewhere.gz")
      try FileManager.default.createSymbolicLink(
        atPath: log,
        withDestinationPath: folder.path + "/elsewhere.gz"
      )
      let error = #expect(throws: PipelineError.self) { try erase(secrets.request) }
      #expect(error?.message.contains("symbolic link") == true)
    }
  }

  private static let guest = worldSchema.index(of: "Guest") ?? 0
  private static let hotel = worldSchema.index(of: "Hotel") ?? 0
  private static let large = String(repeating: "a secret that is long ", count: 60_000)

  /// A store with a guest who has secret notes, and several logs, one of them a snapshot.
  private struct Secrets {
    let folder: URL
    let store: Store
    let logs: LogFolder
    let texts = ["the first secret", "the second secret", "a secret that is long "]

    var path: String { store.location.path }
    var request: EraseRequest {
      var request = EraseRequest(logs: logs, entity: "Guest", object: 1)
      request.store = path
      request.author = "officer"
      request.reason = "she asked for it"
      return request
    }

    init(_ folder: URL, _ mode: HistoryMode? = nil) throws {
      self.folder = folder
      store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema,
        options: Options(historyMode: mode)
      )
      logs = LogFolder(folder.path + "/logs")
      try logs.create()
    }

    func column(_ name: String) -> ColumnIndex {
      store.layouts[guest].column(of: name) ?? 0
    }

    func set(_ note: String, score: String = "1") throws {
      try store.write(Author(name: "app")) {
        try $0.update(
          guest,
          id: 1,
          columns: [column("score"), column("note")],
          values: [.text(score), .text(note)]
        )
      }
    }

    func export(_ wantsSnapshot: Bool = false) throws {
      var request = ExportRequest(store: path, logs: logs)
      request.wantsSnapshot = wantsSnapshot
      _ = try Pipeline.export(request)
    }

    /// Five transactions of the guest, and two of other objects.
    func write() throws {
      try store.write(Author(name: "app")) { writer in
        for id in [1, 2] as [Int64] {
          var values = writer.layouts[guest].columns.map { _ in Value.null }
          values[column("note")] = .text(id == 1 ? texts[0] : "an open note")
          values[column("score")] = .text("10")
          try writer.insert(guest, id: id, values: values)
        }
        try writer.insert(hotel, id: 1, values: [.text("Grand"), .null, .null, .null, .integer(5)])
      }
      try export()
      try set(texts[1], score: "20")
      try set(large, score: "30")
      try export(true)
      try set("nothing to hide", score: "40")
      try store.write(Author()) {
        try $0.update(hotel, id: 1, columns: [0], values: [.text("Royal")])
      }
      try export()
    }

    func delete() throws {
      try store.write(Author(name: "app")) { try $0.delete(guest, id: 1) }
      try export()
    }

    /// The files that contain a text: decompressed logs, blobs, and the store's files.
    func places(of text: String) throws -> [String] {
      let data = Data(text.utf8)
      return try contents(of: folder).filter { name, bytes in
        guard !bytes.isEmpty else { return false }
        let content =
          name.hasSuffix(".gz") ? Data(try gunzip(folder.path + "/" + name).utf8) : bytes
        return content.range(of: data) != nil
      }.map(\.key)
    }

    func replica(_ name: String, fromSnapshot: Bool = false) throws -> Store {
      var request = ImportRequest(logs: logs, store: folder.path + "/" + name)
      request.fromSnapshot = fromSnapshot
      _ = try importLogs(request)
      return try Store.open(.file(URL(fileURLWithPath: request.store)))
    }
  }

  @Test(
    "No byte of a deleted object's values remains in logs, blobs and store, and all verify.",
    arguments: [HistoryMode.full, .tombstones]
  )
  func deleted(_ mode: HistoryMode) throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder, mode)
      try secrets.write()
      try secrets.delete()
      // A file of an interrupted export.
      let left = secrets.logs.lineageFolder(secrets.store.identifier, lineage: 0) + "/.writing"
      try Data(secrets.texts[0].utf8).write(to: URL(fileURLWithPath: left))
      for text in secrets.texts { #expect(try !secrets.places(of: text).isEmpty) }
      let before = try rowDump(of: secrets.store)
      let head = try secrets.store.read { try $0.historyRange().head }
      var request = secrets.request
      request.isDryRun = true
      let plan = try erase(request)
      for text in secrets.texts { #expect(try !secrets.places(of: text).isEmpty) }
      request.isDryRun = false
      let result = try erase(request)
      #expect(result.files == plan.files)
      #expect(result.values == plan.values)
      #expect(result.values > 0)
      #expect(result.largeValues == 1)
      if mode == .full { #expect(result.storeTransactions == 5) }
      for text in secrets.texts + ["nothing to hide"] {
        #expect(try secrets.places(of: text) == [], "\(text)")
      }
      #expect(try !secrets.places(of: "an open note").isEmpty)
      let verified = try verify(VerifyRequest(logs: secrets.logs))
      #expect(verified.map(\.findings) == [[]])
      #expect(verified.map(\.notices) == [[]])
      // One more transaction records the erasure, and confirms the values that remain.
      let record = try #require(
        try secrets.store.read { try $0.transaction(head.transaction + 1) }
      )
      #expect(verified.map(\.to.transaction) == [record.id])
      #expect(verified.allSatisfy { $0.erased > 0 && !$0.isUnproven && $0.erasures == nil })
      let kinds = verified.map { $0.except.map(\.kind) }
      #expect(mode == .tombstones || kinds == [[.restated]])
      #expect(record.operation == .erase && record.author == "officer")
      #expect(record.erasure?.object == ObjectName("Guest", id: 1))
      #expect(record.reason == "she asked for it")
      #expect(record.details?.contains("asked") == false)
      try secrets.store.check { Issue.record("\($0)") }
      #expect(try rowDump(of: secrets.store) == before)
      #expect(try rowDump(of: secrets.replica("replica.store")) == before)
      #expect(try rowDump(of: secrets.replica("other.store", fromSnapshot: true)) == before)
      // The second erasure has nothing to do, and a new export does not have the values either.
      #expect(try erase(request).values == 0)
      let again = LogFolder(folder.path + "/again")
      try again.create()
      try startLogs(of: secrets.path, in: again)
      for text in secrets.texts { #expect(try secrets.places(of: text) == []) }
      #expect(try verify(VerifyRequest(logs: again)).map(\.findings) == [[]])
      try secrets.set("of nobody")
      try secrets.export()
      #expect(try verify(VerifyRequest(logs: secrets.logs)).map(\.findings) == [[]])
    }
  }

  @Test(
    "Earlier values of one attribute are erased, and the object and replicas keep the present one."
  )
  func oneAttribute() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      let before = try rowDump(of: secrets.store)
      var request = secrets.request
      request.attributes = ["note"]
      let result = try erase(request)
      #expect(result.storeTransactions == 4)
      for text in secrets.texts { #expect(try secrets.places(of: text) == [], "\(text)") }
      #expect(try !secrets.places(of: "nothing to hide").isEmpty)
      #expect(try secrets.places(of: #""score":"20""#).isEmpty == false)
      #expect(try verify(VerifyRequest(logs: secrets.logs)).map(\.findings) == [[]])
      try secrets.store.check { Issue.record("\($0)") }
      for fromSnapshot in [false, true] {
        let replica = try secrets.replica("\(fromSnapshot).store", fromSnapshot: fromSnapshot)
        #expect(try rowDump(of: replica) == before)
        try replica.check { Issue.record("\($0)") }
      }
      // The store and its replica still work.
      try secrets.set("another", score: "50")
      try secrets.export()
      let replica = try secrets.replica("false.store")
      #expect(try rowDump(of: replica) == rowDump(of: secrets.store))
      #expect(try lines(of: replica) == lines(of: secrets.store))
    }
  }

  @Test("A replica from before the erasure erases the same values, and has the same lines.")
  func follower() throws {
    for properties in [[], ["note"], ["note", "score"]] {
      try withTemporaryFolder { folder in
        let secrets = try Secrets(folder)
        try secrets.write()
        let old = try secrets.replica("follower.store").location.path
        if properties.isEmpty { try secrets.delete() }
        var request = secrets.request
        request.attributes = properties
        _ = try erase(request)
        #expect(try secrets.places(of: secrets.texts[0]).contains { $0.hasPrefix("follower") })
        let follower = try secrets.replica("follower.store")
        #expect(follower.location.path == old)
        #expect(try rowDump(of: follower) == rowDump(of: secrets.store))
        #expect(try lines(of: follower) == lines(of: secrets.store))
        try follower.check { Issue.record("\($0)") }
        for text in secrets.texts { #expect(try secrets.places(of: text) == [], "\(text)") }
        // The replica's own logs have the same records, and need no others.
        let logs = LogFolder(folder.path + "/again")
        try logs.create()
        _ = try export(ExportRequest(store: old, logs: logs))
        let verified = try verify(VerifyRequest(logs: logs))
        #expect(verified.map(\.findings) == [[]])
        #expect(verified.map { $0.except.map(\.kind) } == [[.restated]])
      }
    }
  }

  /// The updates of the guest that turn the state of the first store into the state of the second.
  private func differences(_ one: Store, _ other: Store) throws -> [String] {
    var result: [String] = []
    try one.read { one in
      try other.read { other in
        try one.differences(to: other) { change in
          guard change.entity.elementsEqual("Guest".utf8) else { return }
          let values = change.values(.before) + change.values(.after)
          result.append(
            values.map {
              String(decoding: $0.key + $0.value.json + $0.value.special, as: UTF8.self)
            }
            .joined(separator: " ")
          )
        }
      }
    }
    return result
  }

  @Test(
    "A replica of a past point shows erased values as erased, until a transaction sets them again.",
    arguments: [false, true]
  )
  func pastPoint(_ fromSnapshot: Bool) throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      var erasure = secrets.request
      erasure.attributes = ["note"]
      _ = try erase(erasure)
      func replica(_ name: String, _ until: Int64, fromSnapshot: Bool = false) throws -> Store {
        var request = ImportRequest(logs: secrets.logs, store: "\(folder.path)/\(name).store")
        request.until = .transaction(until)
        request.fromSnapshot = fromSnapshot
        request.allowsUnproven = true
        _ = try importLogs(request)
        return try Store.open(
          .file(URL(fileURLWithPath: request.store)),
          options: Options(isReadOnly: true)
        )
      }
      let erased = #""note":null"erased""#
      guard !fromSnapshot else {
        let past = try replica("past", 3, fromSnapshot: true)
        #expect(try past.read { try $0.historyRange().base.transaction } == 3)
        let found = try differences(past, secrets.store)
        #expect(found.count == 1 && found[0].contains(erased))
        return
      }
      let first = try replica("first", 1)
      let found = try differences(first, secrets.store)
      #expect(found.count == 1 && found[0].contains(erased))
      #expect(found[0].contains("nothing to hide") && found[0].contains(#""score":"10""#))
      #expect(try differences(secrets.store, first).first?.contains(erased) == true)
      // The same transaction set the value of both, so it is the same value.
      #expect(try differences(first, replica("again", 1)) == [])
      let second = try differences(first, replica("second", 2))
      #expect(second.count == 1 && second[0].components(separatedBy: erased).count == 3)
      // A log can't have a snapshot with erased values.
      let elsewhere = LogFolder(folder.path + "/elsewhere")
      try elsewhere.create()
      var snapshot = ExportRequest(store: first.location.path, logs: elsewhere)
      snapshot.wantsSnapshot = true
      let error = #expect(throws: StoreError.self) { _ = try export(snapshot) }
      #expect(error?.code == .irreversible && error?.message.contains("1 erased value,") == true)
      // Later transactions set the value again.
      let request = ImportRequest(logs: secrets.logs, store: first.location.path)
      _ = try importLogs(request)
      #expect(try differences(first, secrets.store) == [])
      #expect(try export(snapshot).snapshot != nil)
      try first.check { Issue.record("\($0)") }
    }
  }

  @Test("An import beside a reader says that bytes of erased values remain; the next removes them.")
  func bytesBesideReader() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      let request = ImportRequest(logs: secrets.logs, store: folder.path + "/follower.store")
      _ = try importLogs(request)
      try secrets.delete()
      _ = try erase(secrets.request)
      let old = try Store.open(
        .file(URL(fileURLWithPath: request.store)),
        options: Options(isReadOnly: true)
      )
      let result = try old.read { _ in try importLogs(request) }
      #expect(result.hasErasedBytes && result.transactions == 2)
      #expect(try rowDump(of: old) == rowDump(of: secrets.store))
      #expect(try secrets.places(of: secrets.texts[0]).contains { $0.hasPrefix("follower") })
      let next = try importLogs(request)
      #expect(!next.hasErasedBytes && next.transactions == 0)
      for text in secrets.texts { #expect(try secrets.places(of: text) == [], "\(text)") }
    }
  }

  @Test(
    "While another program has locked the logs, an unfinished erasure is a lock, and not damage."
  )
  func running() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      try secrets.delete()
      let lock = secrets.logs.path + "/.lock"
      let mark = secrets.logs.storeFolder(secrets.store.identifier) + "/_erasing.json"
      let note = "travelog erase, process 1 on harbour"
      try Data((note + "\n").utf8).write(to: URL(fileURLWithPath: lock))
      let descriptor = open(lock, O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      var isSeen = false
      _ = try erase(secrets.request) { _ in
        guard FileManager.default.fileExists(atPath: mark), !isSeen else { return }
        isSeen = true
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        for read in [
          { _ = try verify(VerifyRequest(logs: secrets.logs)) },
          { _ = try secrets.replica("replica.store") },
          { _ = try History(secrets.logs.path) },
        ] {
          let error = #expect(throws: LogError.self) { try read() }
          #expect(error?.code == .locked)
          #expect(error?.message.contains(note) == true)
        }
        try #require(flock(descriptor, LOCK_UN) == 0)
        #expect(
          try verify(VerifyRequest(logs: secrets.logs)).flatMap(\.findings).map(\.kind)
            == [.unfinished]
        )
        // A program that has the lock itself knows that the erasure is not finished.
        let own = try FolderLock(secrets.logs, purpose: "test")
        let error = #expect(throws: LogError.self) { _ = try History(secrets.logs.path) }
        #expect(error?.code == .unfinished)
        withExtendedLifetime(own) {}
      }
      #expect(isSeen)
      #expect(try verify(VerifyRequest(logs: secrets.logs)).map(\.findings) == [[]])
    }
  }

  @Test("A replica erases the values that a deletion in tombstone mode erased in the store.")
  func followerOfTombstones() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder, .tombstones)
      try secrets.write()
      _ = try secrets.replica("follower.store")
      try secrets.delete()
      #expect(try secrets.places(of: secrets.texts[0]).contains { $0.hasPrefix("follower") })
      let follower = try secrets.replica("follower.store")
      #expect(try rowDump(of: follower) == rowDump(of: secrets.store))
      #expect(try lines(of: follower) == lines(of: secrets.store))
      try follower.check { Issue.record("\($0)") }
      for text in secrets.texts {
        #expect(try !secrets.places(of: text).contains { $0.hasPrefix("follower") }, "\(text)")
      }
    }
  }

  @Test("A replica imports a gap that also replaces transactions of a store in tombstone mode.")
  func gapOverErasedValues() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder, .tombstones)
      try secrets.write()
      _ = try secrets.replica("follower.store")
      try secrets.set("never exported")
      let head = try secrets.store.read { try $0.historyRange().head.transaction }
      try secrets.store.deleteHistory([1...head])
      // The deletion erases the values before the update, so the state before it is not known.
      try secrets.set("erased")
      try secrets.store.write(Author()) { try $0.delete(Self.guest, id: 1) }
      try secrets.store.write(Author()) { try $0.delete(Self.guest, id: 2) }
      _ = try recover(RecoverRequest(store: secrets.path, logs: secrets.logs))
      let follower = try secrets.replica("follower.store")
      let gaps = try rows("SELECT max(id) FROM history_transaction WHERE op = 'gap'", in: follower)
      let gap = try #require(gaps.first.flatMap { Int64($0) })
      #expect(gap > head)
      #expect(try rowDump(of: follower) == rowDump(of: secrets.store))
      #expect(try lines(of: follower, after: gap) == lines(of: secrets.store, after: gap))
    }
  }

  @Test("Values that were erased twice are confirmed line by line, and replicas erase them twice.")
  func twice() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      _ = try secrets.replica("follower.store")
      for property in ["note", "score"] {
        var request = secrets.request
        request.attributes = [property]
        _ = try erase(request)
      }
      let verified = try verify(VerifyRequest(logs: secrets.logs))
      #expect(verified.map(\.findings) == [[]])
      #expect(verified.allSatisfy { !$0.isUnproven })
      for name in ["follower.store", "new.store"] {
        #expect(try lines(of: secrets.replica(name)) == lines(of: secrets.store))
      }
    }
  }

  @Test(
    "A copy of logs that received the transaction of an erasure, but not the erased logs, is noted."
  )
  func copy() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      try secrets.delete()
      let copy = LogFolder(folder.path + "/copy")
      try FileManager.default.copyItem(atPath: secrets.logs.path, toPath: copy.path)
      _ = try erase(secrets.request)
      for file in try secrets.logs.files(of: secrets.store.identifier, lineage: 0) {
        let place = copy.path + file.path.dropFirst(secrets.logs.path.count)
        if FileManager.default.fileExists(atPath: place) { continue }
        try FileManager.default.copyItem(atPath: file.path, toPath: place)
      }
      func notices(_ logs: LogFolder) throws -> [String] {
        try verify(VerifyRequest(logs: logs)).flatMap(\.notices).map { "\($0)" }
      }
      #expect(try notices(secrets.logs).isEmpty)
      let found = try notices(copy).filter { $0.hasPrefix("\(copy.path) still has values ") }
      #expect(found.count == 1, "\(found)")
    }
  }

  @Test("A value that an object still has is refused, and nothing is changed.")
  func stillThere() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      let logs = try contents(of: URL(fileURLWithPath: secrets.logs.path))
      func refusal(_ change: (inout EraseRequest) -> Void) throws -> PipelineError? {
        var request = secrets.request
        change(&request)
        let error = #expect(throws: PipelineError.self) { try erase(request) }
        #expect(try contents(of: URL(fileURLWithPath: secrets.logs.path)) == logs)
        return error
      }
      #expect(try refusal { _ in }?.code == .stillThere)
      #expect(
        try refusal {
          $0.attributes = ["page", "key", "badge", "note"]; $0.object = 2
        }?.code
          == .stillThere
      )
      #expect(try refusal { $0.object = 99 }?.code == .missing)
      #expect(try refusal { $0.entity = "Gast" }?.code == .unknownName)
      #expect(try refusal { $0.entity = "Gast" }?.hint.contains("Guest") == true)
      #expect(try refusal { $0.attributes = ["notes"] }?.hint.contains("note") == true)
      #expect(
        try refusal {
          $0.origin = UUID().uuidString; $0.store = nil
        }?.code == .missing
      )
      // Not everything is exported, so the logs do not show the present value.
      try secrets.set(secrets.texts[0])
      #expect(try refusal { $0.attributes = ["note"] }?.code == .misuse)
      try secrets.export()
      // The note has its first value again.
      let error = #expect(throws: PipelineError.self) {
        var request = secrets.request
        request.attributes = ["note"]
        _ = try erase(request)
      }
      #expect(error?.code == .stillThere)
    }
  }

  @Test("An unfinished erasure is reported, and only the same erasure completes it.")
  func unfinished() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      try secrets.delete()
      struct Stopped: Error {}
      // Stops after the first log was rewritten.
      let mark = secrets.logs.storeFolder(secrets.store.identifier) + "/_erasing.json"
      var ticks = 0
      #expect(throws: Stopped.self) {
        try erase(secrets.request) { _ in
          if FileManager.default.fileExists(atPath: mark) { ticks += 1 }
          if ticks > 2 { throw Stopped() }
        }
      }
      let findings = try verify(VerifyRequest(logs: secrets.logs)).flatMap(\.findings)
      #expect(findings.map(\.kind) == [.unfinished])
      #expect(findings.first?.description.contains("travelog erase") == true)
      // Digests are not looked for until the erasure is finished.
      var known = VerifyRequest(logs: secrets.logs)
      known.heads = [SHA256.digest(of: [])]
      #expect(try verify(known).flatMap(\.findings).map(\.kind) == [.unfinished])
      let error = #expect(throws: LogError.self) { try secrets.replica("replica.store") }
      #expect(error?.code == .unfinished)
      var other = secrets.request
      other.object = 2
      #expect(throws: LogError.self) { try erase(other) }
      let result = try erase(secrets.request)
      #expect(result.largeValues == 1)
      for text in secrets.texts { #expect(try secrets.places(of: text) == []) }
      #expect(try verify(VerifyRequest(logs: secrets.logs)).map(\.findings) == [[]])
      #expect(try rowDump(of: secrets.replica("replica.store")) == rowDump(of: secrets.store))
    }
  }

  @Test("An erasure without the store changes the tokens, and exports keep the new points.")
  func tokens() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      try secrets.delete()
      var filtered = ExportRequest(store: secrets.path, logs: secrets.logs)
      filtered.filter.entities = ["Guest"]
      _ = try Pipeline.export(filtered)
      let store = secrets.store.identifier
      let filter = try secrets.logs.partials(of: store)[0]
      func points(_ logs: LogFolder) throws -> [String: HistoryPoint] {
        let token = try Data(contentsOf: URL(fileURLWithPath: logs.token(of: store)))
        return try Bookmark(json: token).points
      }
      let before = try points(secrets.logs)
      let name = "\(store)/partial=\(filter)"
      let filteredBefore = try points(secrets.logs.partial(named: filter))
      #expect(before.count == 1 && filteredBefore.keys.elementsEqual([name]))
      var request = secrets.request
      request.store = nil
      _ = try erase(request)
      let path = secrets.logs.erasures(of: store, lineage: 0)
      let records = try Erasures(path: path, store: store, lineage: 0)
      let last = HistoryPoint(
        lineage: 0,
        transaction: try #require(records.lastTransaction),
        digest: records.head
      )
      let after = before.merging(["\(store)/lineage=0/erasures": last]) { $1 }
      #expect(try points(secrets.logs) == after)
      #expect(
        try points(secrets.logs.partial(named: filter)) == after.merging(filteredBefore) { $1 }
      )
      try secrets.store.write(Author()) {
        try $0.update(Self.hotel, id: 1, columns: [0], values: [.text("Plaza")])
      }
      try secrets.export()
      let next = try points(secrets.logs)
      #expect(next["\(store)/lineage=0/erasures"] == last)
      #expect(next[store] != before[store])
    }
  }

  @Test("An erasure with a replica is recorded beside the logs, because a replica records nothing.")
  func withReplica() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "erasure with a replica")
      try world.insertGuest(1, note: "secret")
      try world.deleteGuest(1)
      try world.export()
      let replica = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      _ = try importLogs(replica)
      var request = EraseRequest(logs: world.logs, entity: "Guest", object: 1)
      request.store = replica.store
      #expect(try erase(request).transactions == 2)
      let store = world.source.identifier
      let path = world.logs.erasures(of: store, lineage: 0)
      #expect(try Erasures(path: path, store: store, lineage: 0).count > 0)
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      #expect(try lastTransaction(of: replica.store) == 2)
    }
  }

  @Test("Only the latest lineage decides which values of an object are present.")
  func presentInLineage() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "present values in lineages")
      try world.insertGuest(1, note: "first")
      try world.export()
      let restored = folder.path + "/older.store"
      try copyStore(world.path, to: restored)
      try world.setNote(1, "secret")
      try world.insertGuest(2)
      try world.export()
      let store = try Store.open(.file(URL(fileURLWithPath: restored)))
      let column = try #require(store.layouts[Self.guest].column(of: "note"))
      try store.write(Author(name: "app")) {
        try $0.update(Self.guest, id: 1, columns: [column], values: [.text("open")])
      }
      _ = try recover(RecoverRequest(store: restored, logs: world.logs))
      _ = try Pipeline.export(ExportRequest(store: restored, logs: world.logs))
      // Transaction 2 of both lineages sets the note. The present note is in lineage 1.
      var request = EraseRequest(logs: world.logs, entity: "Guest", object: 1)
      request.attributes = ["note"]
      request.isDryRun = true
      let result = try erase(request)
      #expect(result.values == 5 && result.transactions == 4)
      // Lineage 1 does not have the other guest.
      var other = EraseRequest(logs: world.logs, entity: "Guest", object: 2)
      other.isDryRun = true
      let lost = try erase(other)
      #expect(lost.transactions == 1 && lost.files.count == 1)
    }
  }

  @Test("An erasure without the store records no author and no reason if the given ones are empty.")
  func emptyAuthor() throws {
    try withTemporaryFolder { folder in
      let secrets = try Secrets(folder)
      try secrets.write()
      try secrets.delete()
      var request = secrets.request
      request.store = nil
      request.author = ""
      request.reason = ""
      _ = try erase(request)
      let store = secrets.store.identifier
      let path = secrets.logs.erasures(of: store, lineage: 0)
      let records = try Erasures(path: path, store: store, lineage: 0)
      #expect(records.lastTransaction != nil)
      #expect(try verify(VerifyRequest(logs: secrets.logs)).map(\.erasures) == [records.head])
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains(#""Guest""#) && !text.contains("author") && !text.contains("reason"))
    }
  }

  @Test("A random object of a random history is erased from all lineages.")
  func random() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "erasing at random")
      world.history.hasLargeValues = false
      try world.write(20)
      try world.export { $0.maximumFileSize = 1 }
      try world.write(20)
      try world.export { $0.maximumFileSize = 2000 }
      let rows = try rowDump(of: world.source)
      let deleted = try StoreTesting.rows(
        "SELECT DISTINCT entity || ' ' || object FROM history_change WHERE kind = 'delete'",
        in: world.source
      ).map { $0.split(separator: " ").map(String.init) }
      for name in deleted.prefix(5) {
        var request = EraseRequest(
          logs: world.logs,
          entity: name[0],
          object: ObjectID(try #require(Int64(name[1])))
        )
        request.store = world.path
        _ = try erase(request)
        #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
        try #expect(world.lines() == lines(of: world.source))
      }
      let replica = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      _ = try importLogs(replica)
      let store = try Store.open(.file(URL(fileURLWithPath: replica.store)))
      #expect(try rowDump(of: store) == rows)
      #expect(try lines(of: store) == lines(of: world.source))
      try world.source.check { Issue.record("\($0)") }
    }
  }
}
