import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog
@testable import Format

@Suite("Logs of erased transactions")
struct ErasureTests {
  private func open(_ path: String) throws -> Store {
    try Store.open(.file(URL(fileURLWithPath: path)), options: Options(isReadOnly: true))
  }

  /// Calls `body` with a folder that has logs of a store in tombstone mode.
  private func withErasures(
    _ name: String,
    hasLargeValues: Bool = true,
    _ body: (inout World, _ records: String) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, name, mode: .tombstones)
      world.history.hasLargeValues = hasLargeValues
      try world.write(25)
      try world.export { $0.maximumFileSize = 1 }
      let records = world.logs.erasures(of: world.source.identifier, lineage: 0)
      while !FileManager.default.fileExists(atPath: records) {
        try world.write(25)
        try FileManager.default.removeItem(atPath: world.logs.path)
        try world.logs.create()
        try world.export { $0.maximumFileSize = 1 }
      }
      try body(&world, records)
    }
  }

  private func replica(_ logs: LogFolder, _ path: String) throws -> Store {
    _ = try importLogs(ImportRequest(logs: logs, store: path))
    return try open(path)
  }

  @Test(
    "A store with history_mode tombstone is exported, verified and replayed to the same lines.",
    arguments: 1...trials(2, long: 20)
  )
  func tombstones(_ round: Int) throws {
    try withErasures("erasures \(round)") { world, _ in
      let folder = world.folder.path
      #expect(try world.lines() == lines(of: world.source))
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.map(\.findings) == [[]])
      #expect(verified.map(\.notices) == [[]])
      #expect(verified.allSatisfy { $0.erased > 0 && $0.erasures != nil && !$0.isUnproven })
      #expect(verified.map { $0.except.map(\.kind) } == [[.restated]])
      let copy = try replica(world.logs, folder + "/replica.store")
      #expect(try rowDump(of: copy) == rowDump(of: world.source))
      #expect(try lines(of: copy) == lines(of: world.source))
      try copy.check { Issue.record("\($0)") }
      // The replica's own logs have the same lines, and later values are erased in them too.
      let again = LogFolder(folder + "/again")
      try again.create()
      _ = try Pipeline.export(ExportRequest(store: folder + "/replica.store", logs: again))
      #expect(try verify(VerifyRequest(logs: again)).map(\.findings) == [[]])
      #expect(
        try replica(again, folder + "/second.store").read { try $0.historyRange() }
          == copy.read { try $0.historyRange() }
      )
      #expect(try lines(of: open(folder + "/second.store")) == world.lines())
      // Further exports and imports keep the rows equal.
      for _ in 0..<4 {
        try world.write(8)
        try world.export()
        #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
        let copy = try replica(world.logs, folder + "/replica.store")
        #expect(try rowDump(of: copy) == rowDump(of: world.source))
      }
      var request = VerifyRequest(logs: world.logs)
      request.against = world.path
      #expect(try verify(request).map(\.findings) == [[]])
    }
  }

  @Test(
    "Compaction keeps the same lines of erased transactions, and every history source reads them."
  )
  func sources() throws {
    try withErasures("sources of erasures") { world, _ in
      let whole = try world.lines()
      let id = world.source.identifier
      var alone = ""
      for file in try world.logs.files(of: id, lineage: 0) {
        alone += try PipelineTesting.lines(LogHistory(path: file.path), file.range)
      }
      #expect(alone == whole)
      _ = try Pipeline.compact(CompactRequest(logs: world.logs))
      #expect(try world.lines() == whole)
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      let history = try FolderHistory(world.logs, store: id)
      #expect(try PipelineTesting.lines(history, 1...history.outline().head) == whole)
      _ = try Pipeline.prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
    }
  }

  @Test("The deletions in the chain confirm what remains of erased lines without the records.")
  func deletionsRestate() throws {
    try withErasures("deletions that restate") { world, records in
      for isAll in [false, true] {
        var list = try Self.read(records)
        if isAll { list.removeAll() } else { list.removeLast() }
        try Data(list.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: records))
        let verified = try verify(VerifyRequest(logs: world.logs))
        #expect(verified.map(\.findings) == [[]])
        #expect(verified.map { $0.except.map(\.kind) } == [[.restated]])
      }
      let copy = try replica(world.logs, world.folder.path + "/replica.store")
      #expect(try lines(of: copy) == lines(of: world.source))
      // Nothing else confirms the lines: a log without the later ones is damaged.
      let files = try world.logs.files(of: world.source.identifier, lineage: 0)
      let erased = try #require(
        try files.first { file in try gunzip(file.path).contains(#","salt":""#) }
      )
      let alone = try LogSpool(files: [erased.path])
      let findings = try verify(VerifyRequest(logs: alone.folder)).flatMap(\.findings)
      #expect(findings.contains { $0.kind == .damaged && $0.transaction > 0 })
    }
  }

  @Test("Erased transactions pass through a stream with their records, and as files in any order.")
  func streams() throws {
    try withErasures("streams of erasures") { world, records in
      let path = world.folder.path + "/stream"
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try world.export {
        $0.stream = output.fileDescriptor; $0.maximumFileSize = 1
      }
      try output.close()
      let input = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      let spool = try LogSpool(stream: input.fileDescriptor, name: "a stream")
      #expect(try verify(VerifyRequest(logs: spool.folder)).map(\.findings) == [[]])
      let copy = try replica(spool.folder, world.folder.path + "/replica.store")
      #expect(try lines(of: copy) == lines(of: world.source))
      let files = try world.logs.files(of: world.source.identifier, lineage: 0).map(\.path)
      let gathered = try LogSpool(files: files.reversed())
      #expect(try verify(VerifyRequest(logs: gathered.folder)).map(\.findings) == [[]])
      // The deletions in the chain confirm the same.
      try FileManager.default.removeItem(atPath: records)
      let unrecorded = try LogSpool(files: files)
      #expect(try verify(VerifyRequest(logs: unrecorded.folder)).flatMap(\.findings) == [])
    }
  }

  /// Changes of the records; each must be found.
  private static let damages: [(String, @Sendable (inout [String]) -> Void)] = [
    ("the first is missing", { $0.removeFirst() }),
    ("one in the middle is missing", { $0.remove(at: $0.count / 2) }),
    ("two are swapped", { $0.swapAt(0, $0.count - 1) }),
    ("one is duplicated", { $0.insert($0[0], at: 1) }),
    ("one has another time", { $0[0] = $0[0].replacing(#""ts":"2"#, with: #""ts":"3"#) }),
    ("the last has another reason", { $0[$0.count - 1].replace("before", with: "after") }),
    ("a line is not a record", { $0.append("hello") }),
    ("a blank is added", { $0[0] += " " }),
  ]

  @Test(
    "An erasure record that is altered, moved or added, or lost before others, is found.",
    arguments: damages.indices
  )
  func damage(_ index: Int) throws {
    try withErasures("damaged records") { world, records in
      while try Self.read(records).count < 3 {
        try world.write(10)
        try world.export()
      }
      var list = try Self.read(records)
      Self.damages[index].1(&list)
      try Data(list.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: records))
      let findings = try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings)
      #expect(findings.first?.kind == .damaged, "\(Self.damages[index].0)")
      let path = world.folder.path + "/replica.store"
      #expect(throws: LogError.self) { try replica(world.logs, path) }
    }
  }

  private static func read(_ records: String) throws -> [String] {
    try String(contentsOfFile: records, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("An erasure record of a transaction that is whole, or does not exist, is found.")
  func wrongRecords() throws {
    try withErasures("wrong records") { world, records in
      let id = world.source.identifier
      let sound = try Data(contentsOf: URL(fileURLWithPath: records))
      let erasures = try Erasures(path: records, store: id, lineage: 0)
      var whole: Transaction?
      let last = try world.source.read { try $0.historyRange().head }
      try world.source.read { reader in
        let cursor = try reader.history()
        while let next = try cursor.nextTransaction() {
          if next.state == .whole { whole = next }
        }
      }
      let known = try #require(whole?.digest)
      let other = SHA256.digest(of: [1, 2, 3])
      for (transaction, digest) in [
        (whole?.id ?? 0, known), (1, other), (last.transaction, other),
      ] {
        var forged = erasures
        let record = ErasureRecord(
          time: "2026-01-01T00:00:00.000000Z",
          transaction: transaction,
          operation: .recorded,
          digest: digest,
          lines: other
        )
        try forged.append([record], to: records)
        let findings = try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings)
        #expect(findings.first?.kind == .damaged)
        #expect(findings.first?.transaction == transaction)
        try sound.write(to: URL(fileURLWithPath: records))
      }
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }

  @Test("A value that a forged record of an erasure replaces is found.")
  func forgedErasure() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "forged erasure")
      let guest = worldSchema.index(of: "Guest") ?? 0
      let columns = world.source.layouts[guest].columns.map {
        $0.name == "note" ? Value.text("true") : .null
      }
      try world.source.write(Author()) { try $0.insert(guest, id: 1, values: columns) }
      let path = try #require(try world.export().files.first)
      var lines = try gunzip(path).split(separator: "\n").map { "\($0)\n" }
      let parts = lines[1].components(separatedBy: #""seed":"1:"#)
      let seed = try #require(
        Seed(bytes: Array(Data(base64Encoded: String(parts[1].prefix(24))) ?? Data()))
      )
      let rest = parts[1].dropFirst(26)
      let values = try #require(rest.range(of: #","after":"#)).lowerBound
      func digest(_ text: some StringProtocol, _ salt: Seed) -> Digest {
        Array(text.utf8).withUnsafeBytes { valuesDigest($0, salt: salt) }
      }
      func line(_ values: Digest, _ salt: Seed?) -> String {
        var members: [UInt8] = []
        LineLeaf.hidden(values: values, salt: salt).append(to: &members)
        return parts[0] + String(decoding: members, as: UTF8.self) + ","
          + rest.replacing("true", with: "lie!")
      }
      let other = rest[values...].dropLast(2).replacing("true", with: "lie!")
      let member = try #require(lines[2].firstMatch(of: /,"digest":"([0-9a-f]{64})"/))
      let stated = try #require(Digest(hexadecimal: String(member.1)))
      let remaining = naiveDigest(
        [Array(line(digest(other, seed.restated), nil).utf8)],
        closing: Array(lines[2].replacing(member.0, with: "").utf8),
        after: TransactionDigest.beginning(ofStore: world.source.identifier, lineage: 0)
      )
      lines[1] = line(digest(rest[values...].dropLast(2), seed), seed.restated)
      let whole = SHA256.digest(of: Array(lines.dropLast().joined().utf8))
      lines[3].replace(/[0-9a-f]{64}/, with: "\(whole)")
      let file = try GzipCompressor(level: 1, path: path).member(of: Array(lines.joined().utf8))
      try Data(file).write(to: URL(fileURLWithPath: path))
      let record = ErasureRecord(
        time: "2026-01-01T00:00:00.000000Z",
        transaction: 1,
        operation: .recorded,
        digest: stated,
        lines: remaining
      )
      var erasures = Erasures(store: world.source.identifier, lineage: 0)
      try erasures.append(
        [record],
        to: world.logs.erasures(of: world.source.identifier, lineage: 0)
      )
      let finding = try #require(
        try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).first
      )
      #expect(finding.kind == .damaged && finding.transaction == 1)
      #expect("\(finding)".contains("no value is marked as erased"))
    }
  }

  @Test("The next export overwrites an erasure record that was cut off.")
  func cutRecord() throws {
    try withErasures("cut record") { world, records in
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: records))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(#"{"kind":"erasure","ts":"2026"#.utf8))
      try handle.close()
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      let before = try Self.read(records).count
      while try Self.read(records).count <= before {
        try world.write(10)
        try world.export()
      }
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }

  @Test("Each type has a placeholder that its column accepts and that is unique.")
  func placeholders() throws {
    try withTemporaryFolder { folder in
      let attributes =
        [Attribute(name: "known", type: .string)]
        + ValueType.declared.map { Attribute(name: $0.rawValue, type: $0) }
      let unique = ValueType.declared.filter { $0 != .bool && $0 != .json }.map { [$0.rawValue] }
      let schema = StoreSchema(
        version: "1.0.0",
        entities: [
          Entity(
            name: "All",
            attributes: attributes,
            relationships: [
              Relationship(
                name: "other",
                destination: "All",
                isToMany: false,
                isOptional: false,
                storage: .column("other")
              )
            ],
            uniques: unique
          )
        ]
      )
      let store = try Store.open(
        .file(folder.appendingPathComponent("replica.store")),
        schema: schema,
        options: Options(origin: ReplicaOrigin(identifier: UUID().uuidString, lineage: 0))
      )
      let names = ValueType.declared.map(\.rawValue) + ["other"]
      let after =
        #"{"known":"x","# + names.map { #""\#($0)":null"# }.joined(separator: ",") + "}"
      let special =
        #"{"after":{"# + names.map { #""\#($0)":"erased""# }.joined(separator: ",") + "}}"
      let digest = try store.read { try $0.schemas().last?.digest } ?? ""
      for id in [1, 2, 100] as [Int64] {
        try store.replay(content: { _ in .bytes(Data()) }) { replayer in
          let transaction = try store.read { try $0.historyRange().head.transaction } + 1
          try replayer.begin(transaction, count: 1)
          try replayer.apply(
            kind: .insert,
            "All",
            id,
            ["", "", after, special].map { Array($0.utf8) }
          )
          var closing = Transaction(
            id: transaction,
            time: "2026-01-01T00:00:00.000000Z",
            schema: digest,
            count: 1
          )
          closing.digest = SHA256.digest(of: [UInt8(id)])
          closing.state = .erased
          try replayer.end(closing)
        }
      }
      #expect(try rows("SELECT id, known FROM \"All\"", in: store) == ["1|x", "2|x", "100|x"])
      // Readers of rows accept each placeholder.
      var count = 0
      try store.read { try $0.snapshot { _ in count += 1 } }
      #expect(count == 3)
    }
  }

  @Test("A value that is set again after its erasure is in the replica's row.")
  func knownAgain() throws {
    try withTemporaryFolder { folder in
      // The lines after the erasure of one attribute of an existing object.
      let store = try Store.open(
        .file(folder.appendingPathComponent("replica.store")),
        schema: worldSchema,
        options: Options(origin: ReplicaOrigin(identifier: UUID().uuidString, lineage: 0))
      )
      let schema = try store.read { try $0.schemas().last?.digest } ?? ""
      let changes: [(ChangeKind, [String])] = [
        (
          .insert,
          [
            "", "", #"{"name":null,"rating":4.5,"opened":null,"picture":null,"stars":null}"#,
            #"{"after":{"name":"erased","stars":"erased"}}"#,
          ]
        ),
        (
          .update,
          [
            #"["name"]"#, #"{"name":null}"#, #"{"name":"Grand"}"#,
            #"{"before":{"name":"erased"}}"#,
          ]
        ),
        (.update, [#"["rating"]"#, #"{"rating":4.5}"#, #"{"rating":5.0}"#, ""]),
      ]
      var found: [[String]] = []
      for (index, change) in changes.enumerated() {
        let id = Int64(index + 1)
        let texts = change.1.map { Array($0.utf8) }
        try store.replay(content: { _ in .bytes(Data()) }) { replayer in
          try replayer.begin(id, count: 1)
          try replayer.apply(kind: change.0, "Hotel", 7, texts)
          var transaction = Transaction(
            id: id,
            time: "2026-01-01T00:00:00.000000Z",
            schema: schema,
            count: 1
          )
          transaction.digest = SHA256.digest(of: [UInt8(index)])
          transaction.state = index < 2 ? .erased : .whole
          try replayer.end(transaction)
        }
        found.append(try rows("SELECT name, rating, stars FROM Place", in: store))
      }
      #expect(found == [["erased 7|4.5|-7"], ["Grand|4.5|-7"], ["Grand|5.0|-7"]])
    }
  }
}

extension Replayer {
  /// Replays a change with the texts of its properties, before, after and special.
  fileprivate func apply(
    kind: ChangeKind,
    _ entity: String,
    _ object: Int64,
    _ texts: [[UInt8]]
  ) throws {
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    try Array(entity.utf8).withUnsafeBytes { entity in
      try texts[0].withUnsafeBytes { changed in
        try texts[1].withUnsafeBytes { before in
          try texts[2].withUnsafeBytes { after in
            try texts[3].withUnsafeBytes { special in
              try apply(
                Change(
                  kind: kind,
                  sequence: 0,
                  entity: entity,
                  object: object,
                  changed: changed.isEmpty ? empty : changed,
                  before: before.isEmpty ? empty : before,
                  after: after.isEmpty ? empty : after,
                  special: special.isEmpty ? empty : special,
                  large: empty
                )
              )
            }
          }
        }
      }
    }
  }
}
