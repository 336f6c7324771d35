import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Filtered logs")
struct FilteredLogsTests {
  private func filter(_ change: (inout ExportFilter) -> Void) -> ExportFilter {
    var filter = ExportFilter()
    change(&filter)
    return filter
  }

  private func verifyAll(_ logs: LogFolder) throws -> [Verification] {
    var request = VerifyRequest(logs: logs)
    request.includesFiltered = true
    return try verify(request)
  }

  /// The lines of all filtered logs of one kind.
  private func lines(of world: World, _ filter: ExportFilter) throws -> [String] {
    let folder = world.logs.partial(leavingOut: filter.words)
    return try folder.files(of: world.source.identifier, lineage: 0).flatMap { file in
      try gunzip(file.path).split(separator: "\n").map(String.init)
        .filter { !$0.hasPrefix(#"{"kind":"header""#) && !$0.hasPrefix(#"{"kind":"trailer""#) }
    }
  }

  /// The same without those that stand for others, which are left out.
  private func shownLines(of world: World, _ filter: ExportFilter) throws -> [String] {
    try lines(of: world, filter).filter { !$0.hasPrefix(#"{"kind":"omitted""#) }
  }

  private func json(_ line: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test("Authors, reasons, requests and entities select what each export adds to filtered logs.")
  func filters() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "filters")
      world.history.hasLargeValues = false
      let filters = [
        filter { $0.authors = ["app"] }, filter { $0.authors = ["", "widget"] },
        filter { $0.entities = ["Guest"] }, filter { $0.entities = ["Place"] },
        filter {
          $0.entities = ["Hotel"]
          $0.authors = ["app"]
        },
        filter { $0.reasons = ["ticket 7"] },
        filter {
          $0.reasons = ["", "two\n\"lines\"\u{1}"]
          $0.requests = ["é"]
        },
      ]
      for _ in 0..<4 {
        try world.write(12)
        for filter in filters { try world.export { $0.filter = filter } }
      }
      #expect(try world.logs.lineages(of: world.source.identifier).isEmpty)
      let whole = try StoreTesting.lines(of: world.source).split(separator: "\n").map(String.init)
      for filter in filters {
        // A naive filter of all lines: changes by entity, transactions by author.
        let names: Set<String>? =
          filter.entities == ["Place"]
          ? ["Place", "Hotel", "Camp"] : filter.entities.isEmpty ? nil : Set(filter.entities)
        var expected: [String] = []
        var changes: [String] = []
        for line in whole {
          let object = try json(line)
          let name = object["entity"] as? String
          if let name {
            let id = object["id"] as? String ?? ""
            if names?.contains(name) ?? true { changes.append("\(name) \(id)") }
          } else {
            func isWanted(_ key: String, _ texts: [String]) -> Bool {
              texts.isEmpty || texts.contains(object[key] as? String ?? "")
            }
            let details = (object["meta"] as? [String: Any])?["details"] as? String
            if details == Transaction.details(ofFilter: filter.words, after: 0) {
              expected += ["\(object["txn"] as? Int64 ?? 0) \(object["digest"] ?? "")"]
            } else if isWanted("author", filter.authors), isWanted("reason", filter.reasons),
              isWanted("request", filter.requests), names == nil || !changes.isEmpty
            {
              expected += changes + ["\(object["txn"] as? Int64 ?? 0) \(object["digest"] ?? "")"]
            }
            changes.removeAll()
          }
        }
        let found = try shownLines(of: world, filter).map { line in
          let object = try json(line)
          return object["entity"].map { "\($0) \(object["id"] ?? "")" }
            ?? "\(object["txn"] as? Int64 ?? 0) \(object["digest"] ?? "")"
        }
        #expect(found == expected, "\(filter.words)")
        // The next export has nothing to do.
        #expect(try world.export { $0.filter = filter }.transactions == 0)
      }
      let results = try verifyAll(world.logs)
      #expect(results.allSatisfy { $0.findings.isEmpty && $0.filterName != nil })
      #expect(results.map(\.words).sorted() == filters.map(\.words).sorted())
      // What is left out stays in the chain.
      let head = try world.source.read { try $0.historyRange().head }
      #expect(results.allSatisfy { $0.to == head })
    }
  }

  @Test(
    "In filtered logs a line that is left out, put back, altered or cut in another way is found."
  )
  func tampering() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "tampering with partial logs")
      world.history.hasLargeValues = false
      try world.write(40)
      let filter = filter {
        $0.entities = ["Guest"]
        $0.redactions = [.init(entity: "Guest", attribute: "note", manner: .drop)]
      }
      let path = try #require(try world.export { $0.filter = filter }.files.first)
      let lines = try gunzip(path).split(separator: "\n").map { "\($0)\n" }
      func kinds(_ member: String) -> Int { lines.filter { $0.contains(member) }.count }
      #expect(
        kinds(#"{"kind":"omitted""#) > 5 && kinds(#""count":"#) > 3 && kinds(#""values":""#) > 2
      )
      #expect(kinds(#""seed":""#) > 3 && kinds(#""salt":""#) == 1)
      let head = try world.source.read { try $0.historyRange().head }
      for index in lines.indices.dropFirst().dropLast() {
        for change in 0..<3 {
          var changed = lines
          switch change {
          case 0: changed.remove(at: index)
          case 1: changed.insert(lines[index], at: index)
          default:
            // Nothing proves the values that a line with hidden ones still has.
            let values = lines[index].firstRange(of: /,"(before|after)":/)?.lowerBound
            let end = lines[index].contains(#""values":""#) ? values : nil
            let part = lines[index][..<(end ?? lines[index].endIndex)]
            let digit = try #require(part.lastIndex { "0123456789".contains($0) })
            let other = lines[index][digit] == "7" ? "8" : "7"
            changed[index].replaceSubrange(digit...digit, with: other)
          }
          try write(changed, to: path)
          // An omitted transaction at the end shows only in the head.
          #expect(
            try verifyAll(world.logs).contains { !$0.findings.isEmpty || $0.to != head },
            "\(index) \(change)"
          )
        }
      }
      try write(lines, to: path)
      let result = try #require(try verifyAll(world.logs).first)
      #expect(result.findings.isEmpty)
      func count(_ kind: ExceptedPart.Kind) -> Int64 {
        result.except.first { $0.kind == kind }?.count ?? 0
      }
      let members = lines.filter { $0.hasPrefix(#"{"kind":"omitted""#) }
        .map { $0.contains(#""count":"#) }
      #expect(Int(count(.omitted)) == members.count { !$0 })
      let counts = try lines.compactMap { try json($0)["count"] as? Int64 }
      #expect(count(.omittedChanges) == counts.reduce(0, +))
      #expect(Int(count(.hidden)) == kinds(#""values":""#) - 1)
    }
  }

  /// Writes a log with the trailer that its lines should have.
  private func write(_ lines: [String], to path: String) throws {
    let text = lines.dropLast().joined()
    let changes = lines.filter { $0.hasPrefix(#"{"kind":"change""#) }.count
    let trailer = try json(lines[lines.count - 1])
    let last = (trailer["meta"] as? [String: Any])?["last"] as? Int64 ?? 0
    let transactions = lines.filter { $0.hasPrefix(#"{"kind":"transaction""#) }.count
    let digest = SHA256.digest(of: Array(text.utf8))
    let end =
      #"{"kind":"trailer","digest":"\#(digest)","meta":{"last":\#(last),"#
      + #""transactions":\#(transactions),"changes":\#(changes)}}"# + "\n"
    let member = try GzipCompressor(level: 1, path: path).member(of: Array((text + end).utf8))
    try Data(member).write(to: URL(fileURLWithPath: path))
  }

  @Test("Filtered exports leave the full logs and their token unchanged, and can't be imported.")
  func besideTheFullLog() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "beside the full log")
      try world.write(10)
      try world.export()
      let logs = URL(fileURLWithPath: world.logs.path)
      let before = try contents(of: logs).filter { !$0.value.isEmpty }
      let filter = filter { $0.entities = ["Guest"] }
      var files: [String] = []
      while files.isEmpty {
        try world.write(5)
        files = try world.export { $0.filter = filter }.files
      }
      let after = try contents(of: logs)
      for (name, bytes) in before { #expect(after[name] == bytes) }
      #expect(try world.export().from.transaction > 0)
      let path = folder.path + "/replica.store"
      _ = try importLogs(ImportRequest(logs: world.logs, store: path))
      // Filtered logs without full ones are refused, from a folder and as files.
      try FileManager.default.removeItem(
        atPath: world.logs.lineageFolder(world.source.identifier, lineage: 0)
      )
      let other = ImportRequest(logs: world.logs, store: folder.path + "/other.store")
      #expect(throws: LogError.self) { try importLogs(other) }
      let error = #expect(throws: LogError.self) { try importLogs(other) }
      #expect(error?.code == .filtered)
      let spool = try LogSpool(files: files)
      let third = ImportRequest(logs: spool.folder, store: folder.path + "/third.store")
      #expect(throws: LogError.self) { try importLogs(third) }
      #expect(try verifyAll(spool.folder).map(\.findings) == [[]])
    }
  }

  @Test("Redacted values are not in the logs; equal values have equal keyed digests.")
  func redaction() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "redaction")
      let guest = worldSchema.index(of: "Guest") ?? 0
      let columns = world.source.layouts[guest].columns
      let note = world.source.layouts[guest].column(of: "note") ?? 0
      let secret = String(repeating: "a large secret ", count: 100_000)
      for (id, text) in [(1, "secret"), (2, "secret"), (3, "other"), (4, secret)] {
        try world.source.write(Author()) { writer in
          var values = columns.map { $0.name == "score" ? Value.text("77.5") : .null }
          values[note] = .text(text)
          try writer.insert(guest, id: Int64(id), values: values)
        }
      }
      try world.source.write(Author()) {
        try $0.update(guest, id: 1, columns: [note], values: [.text("other")])
      }
      let filter = filter {
        $0.redactions = [
          .init(entity: "Guest", attribute: "note", manner: .hash),
          .init(entity: "Guest", attribute: "score", manner: .drop),
        ]
        $0.key = Array("a key of random bytes".utf8)
      }
      try world.export { $0.filter = filter }
      let text = try lines(of: world, filter).joined(separator: "\n")
      for hidden in ["secret", "other", "77.5"] { #expect(!text.contains(hidden)) }
      #expect(!FileManager.default.fileExists(atPath: world.logs.blobs.path))
      #expect(text.contains(#""score":"redacted""#))
      let changes = try lines(of: world, filter).filter { $0.hasPrefix(#"{"kind":"change""#) }
      func special(_ index: Int, _ side: String) throws -> String? {
        let notes = try json(changes[index])["special"] as? [String: [String: String]]
        return notes?[side]?["note"]
      }
      let hashes = try (0..<4).map { try special($0, "after") }
      #expect(hashes[0] == hashes[1])
      #expect(Set(hashes).count == 3)
      #expect(try special(4, "before") == hashes[0])
      #expect(try special(4, "after") == hashes[2])
      let expected = keyedDigest(of: Array(#""secret""#.utf8), key: filter.key)
      let key = keyedDigest(of: Array("travelog redaction key".utf8), key: filter.key)
      let words = #"dropped "Guest.score"; hashed "Guest.note" by the key "#
      #expect(filter.words == words + key.description.prefix(8))
      #expect(hashes[0] == "hash:\(expected)")
      #expect(try verifyAll(world.logs).map(\.findings) == [[]])
    }
  }

  @Test("An erased value of a redacted property stays marked as erased.")
  func erasedAndRedacted() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "erased and redacted", mode: .tombstones)
      let guest = worldSchema.index(of: "Guest") ?? 0
      let row = world.source.layouts[guest].columns.map {
        $0.name == "note" ? Value.text("secret") : .null
      }
      try world.source.write(Author()) { try $0.insert(guest, id: 1, values: row) }
      try world.source.write(Author()) { try $0.delete(guest, id: 1) }
      let filter = filter {
        $0.redactions = [.init(entity: "Guest", attribute: "note", manner: .drop)]
      }
      try world.export { $0.filter = filter }
      let changes = try lines(of: world, filter).filter { $0.hasPrefix(#"{"kind":"change""#) }
      #expect(changes.count == 2)
      for change in changes {
        #expect(change.contains(#""note":"erased""#) && !change.contains("redacted"), "\(change)")
      }
    }
  }

  @Test("A redacted property is redacted under its names before migrations too.")
  func migration() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      func schema(_ version: String, _ entity: String, _ attribute: String) -> StoreSchema {
        StoreSchema(
          version: version,
          entities: [
            Entity(
              name: entity,
              attributes: [
                Attribute(
                  name: attribute,
                  type: .string,
                  originalName: version == "1.0.0" ? nil : "phone"
                )
              ],
              originalName: version == "1.0.0" ? nil : "Person"
            )
          ]
        )
      }
      let old = try Store.open(.file(url), schema: schema("1.0.0", "Person", "phone"))
      try old.write(Author()) { try $0.insert(0, id: 1, values: [.text("call 1234")]) }
      try Migration.migrate(url, to: schema("2.0.0", "Human", "mobile"), author: Author())
      let store = try Store.open(.file(url))
      try store.write(Author()) {
        try $0.update(0, id: 1, columns: [0], values: [.text("call 9999")])
      }
      let logs = LogFolder(folder.path + "/logs")
      try logs.create()
      var request = ExportRequest(store: url.path, logs: logs)
      request.filter = filter {
        $0.redactions = [.init(entity: "Human", attribute: "mobile", manner: .drop)]
        $0.entities = ["Human"]
      }
      let result = try export(request)
      #expect(result.changes == 2)
      let text = try result.files.map { try gunzip($0) }.joined()
      #expect(!text.contains("call "))
      // Erasing finds the values under both names.
      _ = try export(ExportRequest(store: url.path, logs: logs))
      try store.write(Author()) { try $0.delete(0, id: 1) }
      _ = try export(ExportRequest(store: url.path, logs: logs))
      request.filter.redactions = []
      _ = try export(request)
      var erasing = EraseRequest(logs: logs, entity: "Human", object: 1)
      erasing.store = url.path
      #expect(try erase(erasing).files.count >= 3)
      for name in try logs.allFiles() { #expect(try !gunzip(name).contains("call ")) }
      #expect(try verifyAll(logs).allSatisfy { $0.findings.isEmpty })
    }
  }

  @Test("An unknown author, entity or property, and a digest without a key, are refused.")
  func refusals() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "refusals")
      try world.write(3)
      let cases: [(ExportFilter, PipelineError.Code, String)] = [
        (filter { $0.entities = ["Guests"] }, .unknownName, "Guest"),
        (
          filter { $0.redactions = [.init(entity: "Gast", attribute: "note", manner: .drop)] },
          .unknownName, "Guest"
        ),
        (
          filter { $0.redactions = [.init(entity: "Guest", attribute: "notes", manner: .drop)] },
          .unknownName, "note"
        ),
        (
          filter {
            $0.redactions = [
              .init(entity: "Guest", attribute: "note", manner: .drop),
              .init(entity: "Guest", attribute: "note", manner: .hash),
            ]
          },
          .misuse, "once"
        ),
        (
          filter { $0.redactions = [.init(entity: "Guest", attribute: "note", manner: .hash)] },
          .misuse, "--redact-key"
        ),
      ]
      for (filter, code, hint) in cases {
        let error = #expect(throws: PipelineError.self) {
          try world.export { $0.filter = filter }
        }
        #expect(error?.code == code)
        #expect(error?.hint.contains(hint) == true)
      }
      let snapshot = #expect(throws: PipelineError.self) {
        try world.export {
          $0.filter.entities = ["Guest"]
          $0.wantsSnapshot = true
        }
      }
      #expect(snapshot?.code == .misuse)
    }
  }

  @Test("A lost token of filtered logs is rebuilt from the filtered logs.")
  func token() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "partial token")
      world.history.hasLargeValues = false
      let filter = filter { $0.authors = ["app"] }
      var all: [String] = []
      for round in 0..<4 {
        try world.write(10)
        try world.export { $0.filter = filter }
        let token = world.logs.partial(leavingOut: filter.words).token(of: world.source.identifier)
        if round == 1 { try FileManager.default.removeItem(atPath: token) }
        all = try lines(of: world, filter)
      }
      let aside = LogFolder(folder.path + "/aside")
      try aside.create()
      let files = try startLogs(of: world.path, in: aside, filter: filter).files
      let text = try files.map { try gunzip($0) }.joined()
      let once = text.split(separator: "\n").map(String.init)
        .filter { !$0.hasPrefix(#"{"kind":"header""#) && !$0.hasPrefix(#"{"kind":"trailer""#) }
      #expect(once == all)
    }
  }

  @Test("Compaction merges the filtered logs of each kind separately, and changes no line.")
  func compaction() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "partial compaction")
      world.history.hasLargeValues = false
      let filters = [filter { $0.authors = ["app"] }, filter { $0.entities = ["Guest"] }]
      for _ in 0..<5 {
        try world.write(8)
        for filter in filters { try world.export { $0.filter = filter } }
      }
      let before = try filters.map { try lines(of: world, $0) }
      var request = CompactRequest(logs: world.logs)
      request.isDryRun = true
      let plan = try compact(request)
      #expect(try filters.map { try lines(of: world, $0) } == before)
      request.isDryRun = false
      let results = try compact(request)
      #expect(Set(results.map(\.filter)) == Set(filters.map { Optional($0.words) }))
      #expect(results.map(\.filesAfter) == [1, 1])
      #expect(results.map(\.filesAfter) == plan.map(\.filesAfter))
      #expect(results.allSatisfy { $0.filesBefore > 1 })
      #expect(try filters.map { try lines(of: world, $0) } == before)
      #expect(try verifyAll(world.logs).allSatisfy { $0.findings.isEmpty && $0.files == 1 })
      // The next export continues.
      try world.write(8)
      for filter in filters { #expect(try world.export { $0.filter = filter }.notices == []) }
      #expect(try verifyAll(world.logs).allSatisfy { $0.findings.isEmpty })
    }
  }

  @Test("The next compaction completes one that was interrupted before it removed the small logs.")
  func stoppedCompaction() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "stopped partial compaction")
      world.history.hasLargeValues = false
      let filter = filter { $0.authors = ["app"] }
      for _ in 0..<4 {
        try world.write(8)
        try world.export { $0.filter = filter }
      }
      let small = try contents(of: URL(fileURLWithPath: world.logs.path))
      let before = try lines(of: world, filter)
      _ = try compact(CompactRequest(logs: world.logs))
      // The small logs exist again, as if none had been removed.
      for (name, data) in small where name.hasSuffix(".gz") {
        let file = URL(fileURLWithPath: world.logs.path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
        try data.write(to: file)
      }
      _ = try compact(CompactRequest(logs: world.logs))
      #expect(try lines(of: world, filter) == before)
      #expect(try verifyAll(world.logs).allSatisfy { $0.findings.isEmpty && $0.files == 1 })
    }
  }

  @Test("Status reports how far each kind of filtered logs is behind.")
  func status() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "partial status")
      world.history.hasLargeValues = false
      let filters = [filter { $0.authors = ["app"] }, filter { $0.entities = ["Guest"] }]
      try world.write(8)
      try world.export { $0.filter = filters[0] }
      let first = try Pipeline.status(of: world.path, logs: world.logs)
      #expect(first.logs?.health == .notExported)
      #expect(first.filtered.map(\.words) == [filters[0].words])
      #expect(first.filtered.map(\.logs.lagTransactions) == [0])
      try world.write(8)
      try world.export { $0.filter = filters[1] }
      try world.export()
      try world.write(3)
      let status = try Pipeline.status(of: world.path, logs: world.logs)
      let head = status.head.transaction
      #expect(status.logs?.health == .ok)
      #expect(status.filtered.count == 2)
      let exported = status.logs?.exported?.transaction
      for (filter, behind) in zip(filters, [first.head.transaction, exported]) {
        let filtered = try #require(status.filtered.first { $0.words == filter.words }).logs
        #expect(filtered.exported?.transaction == behind)
        #expect(filtered.lagTransactions == head - (behind ?? 0))
        #expect(filtered.waitingSince != nil && filtered.health == .ok && filtered.files > 0)
      }
      // Deleted history can't be compared.
      try world.source.deleteHistory([1...head - 1])
      let expired = try Pipeline.status(of: world.path, logs: world.logs)
      #expect(expired.filtered.map(\.logs.health) == [.expired, .expired])
    }
  }

  @Test("Prune keeps transactions that filtered logs do not have yet, unless a flag allows it.")
  func prune() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "partial prune")
      world.history.hasLargeValues = false
      let filter = filter { $0.authors = ["app"] }
      try world.write(10)
      let filtered = try world.export { $0.filter = filter }
      try world.write(10)
      let whole = try world.export()
      var request = PruneRequest(store: world.path, logs: world.logs, keep: .zero)
      request.isDryRun = true
      #expect(try Pipeline.prune(request).heldBy == [filter.words])
      request.ignoresFiltered = true
      #expect(try Pipeline.prune(request).through == whole.to.transaction - 1)
      request.ignoresFiltered = false
      request.isDryRun = false
      let result = try Pipeline.prune(request)
      #expect(result.through == filtered.to.transaction - 1)
      #expect(result.heldBy == [filter.words])
      // The filtered export continues at its token, and prune may then delete what it has.
      let next = try world.export { $0.filter = filter }
      #expect(next.notices == [] && next.from.transaction == filtered.to.transaction)
      let again = try Pipeline.prune(request)
      #expect(again.through == whole.to.transaction - 1)
      #expect(again.heldBy == [])
      // If filtered logs are ignored, prune keeps nothing for them.
      try world.write(10)
      let last = try world.export()
      request.ignoresFiltered = true
      #expect(try Pipeline.prune(request).through == last.to.transaction - 1)
      request.ignoresFiltered = false
      #expect(try Pipeline.prune(request).heldBy == [])
      let error = #expect(throws: PipelineError.self) { try world.export { $0.filter = filter } }
      #expect(error?.code == .historyExpired)
      // Keeping more would not help filtered logs whose transactions are already deleted.
      try world.write(5)
      let end = try world.export()
      let rest = try Pipeline.prune(request)
      #expect(rest.heldBy == [] && rest.through == end.to.transaction - 1)
    }
  }

  @Test("Filtered logs begin after transactions that were deleted from the middle of history.")
  func afterMiddle() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "filtered logs after the middle")
      for id in 1...5 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.source.deleteHistory([2...3])
      let result = try world.export { $0.filter = filter { $0.entities = ["Guest"] } }
      try #expect(result.from == world.point(3) && result.to == world.point(6))
      #expect(result.notices.map(\.message).allSatisfy { $0.contains("after transaction 3") })
      #expect(result.notices.count == 1)
      #expect(try verifyAll(world.logs).map(\.findings) == [[]])
    }
  }

  @Test("If history was deleted after a stopped first export, the error says how to begin again.")
  func stoppedFirst() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "stopped first export")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id) }
      var request = ExportRequest(store: world.path, logs: world.logs)
      request.filter = filter { $0.entities = ["Guest"] }
      // The run has written its token, which says 0, but no log yet.
      #expect(throws: CancellationError.self) {
        try export(request) { _ in throw CancellationError() }
      }
      try world.source.deleteHistory([1...2])
      let error = #expect(throws: PipelineError.self) { try export(request) }
      #expect(error?.code == .historyExpired && error?.hint.contains("--new-folder") == true)
    }
  }

  @Test("Filtered logs of a store with deleted transactions begin after them.", arguments: 1...3)
  func afterDeleted(_ last: Int64) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "partial logs after \(last)")
      world.history.hasLargeValues = false
      try world.write(6)
      let base = try world.source.read { try $0.point(last) }
      try world.source.deleteHistory([1...last])
      let result = try world.export { $0.filter = filter { $0.entities = ["Guest"] } }
      #expect(result.from == base)
      #expect(try verifyAll(world.logs).map(\.findings) == [[]])
    }
  }

  @Test("If the first filtered log is damaged, the later ones are verified, and have no finding.")
  func damagedFirst() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "damaged partial logs")
      world.history.hasLargeValues = false
      let filter = filter { $0.authors = ["app"] }
      try world.write(6)
      let first = try #require(try world.export { $0.filter = filter }.files.first)
      try world.write(6)
      let second = try world.export { $0.filter = filter }
      let log = URL(fileURLWithPath: first)
      try Data(contentsOf: log).prefix(40).write(to: log)
      let results = try verifyAll(world.logs)
      #expect(results.map { $0.findings.map(\.path) } == [[first]])
      #expect(results.map(\.files) == [1] && results.map(\.to) == [second.to])
    }
  }

  @Test(
    "The folder of one kind of filtered logs is a history; that of all kinds is refused."
  )
  func histories() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "partial histories")
      world.history.hasLargeValues = false
      let filter = filter { $0.authors = ["app"] }
      for _ in 0..<3 {
        try world.write(8)
        try world.export { $0.filter = filter }
      }
      let error = #expect(throws: LogError.self) { try History(world.logs.path) }
      #expect(error?.code == .filtered)
      let path = world.logs.partial(leavingOut: filter.words)
        .storeFolder(world.source.identifier)
      #expect(error?.hint.contains(path) == true)
      let history = try History(path)
      #expect(history.outline.filter == filter.words)
      #expect(throws: LogError.self) { try history.checkIsWhole() }
      var ids: [Int64] = []
      for range in history.stretches {
        try history.source.read(
          range,
          wants: { _ in true },
          change: { _, _ in },
          transaction: { ids.append($0.id) }
        )
      }
      let expected = try lines(of: world, filter).filter { $0.contains(#""kind":"transaction""#) }
        .map { try #require(json($0)["txn"] as? NSNumber).int64Value }
      #expect(ids == expected)
      // With full logs beside them, the folder is a history of the full ones.
      try world.export()
      #expect(try History(world.logs.path).outline.filter == "")
    }
  }

  @Test("A filtered log whose name ends with another transaction is found.")
  func renamed() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "renamed partial log")
      try world.write(10)
      let filter = filter { $0.entities = ["Guest"] }
      try startLogs(of: world.path, in: world.logs, filter: filter)
      #expect(try verifyAll(world.logs).flatMap(\.findings) == [])
      let logs = world.logs.partial(leavingOut: filter.words)
      let file = try #require(try logs.files(of: world.source.identifier, lineage: 0).last)
      let (first, last) = (file.range.lowerBound, file.range.upperBound)
      let url = URL(fileURLWithPath: file.path)
      let name = LogName(store: "", lineage: 0, day: "", range: first...last + 1).file
      try FileManager.default.moveItem(
        at: url,
        to: url.deletingLastPathComponent().appendingPathComponent(name)
      )
      let findings = try verifyAll(world.logs).flatMap(\.findings)
      #expect(findings.contains { $0.kind == .damaged && $0.path.hasSuffix(name) })
    }
  }
}
