import Foundation
import LogFuzzing
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Format

/// A store whose logs somebody alters who can recompute every digest.
struct ForgedWorld {
  let folder: URL
  /// The store's file.
  let store: String
  /// The folder that was exported, with two logs of 4 transactions each; transaction N inserts guest N, and the
  /// last has a large value.
  let logs: String
  /// The digest of the last transaction, as somebody else wrote it down.
  let head: String

  init(_ folder: URL, hasSnapshot: Bool = false) throws {
    self.folder = folder
    logs = folder.path + "/logs"
    let url = folder.appendingPathComponent("a.store")
    let store = try Store.open(.file(url), schema: worldSchema)
    self.store = url.path
    for id in 1...8 as ClosedRange<Int64> {
      let note = id == 8 ? String(repeating: "long ", count: 300_000) : "note of \(id)"
      let guest = worldSchema.index(of: "Guest") ?? 0
      let texts = ["note": note, "page": "https://example.org/\(id)"]
      let values = store.layouts[guest].columns.map {
        texts[$0.name].map { .text($0) } ?? Value.null
      }
      try store.write(Author()) { try $0.insert(guest, id: id, values: values) }
      guard id == 4 else { continue }
      try travelog(["export", url.path, "--to", logs] + (hasSnapshot ? ["--snapshot"] : []))
    }
    try travelog("export", url.path, "--to", logs)
    head = try store.read { try $0.historyRange().head.digest.description }
  }

  private init(_ other: ForgedWorld, logs: String) {
    folder = other.folder
    store = other.store
    head = other.head
    self.logs = logs
  }

  /// The same store with another folder of logs.
  func with(logs: String) -> ForgedWorld { ForgedWorld(self, logs: logs) }

  /// The folder of the lineage.
  func lineage() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: logs)
    return try logs + "/" + #require(names.first { $0.hasPrefix("store=") }) + "/lineage=0"
  }

  /// The logs of a folder in order, or its snapshots.
  func files(_ kind: String = "date=") throws -> [String] {
    let lineage = try lineage()
    return try FileManager.default.subpathsOfDirectory(atPath: lineage)
      .filter { $0.hasPrefix(kind) && $0.hasSuffix(".ndjson.gz") }.map { "\(lineage)/\($0)" }
      .sorted { ($0 as NSString).lastPathComponent < ($1 as NSString).lastPathComponent }
  }

  /// Calls with the logs, which are as they were afterwards.
  func altered(_ body: () throws -> Void) throws {
    let kept = folder.path + "/kept"
    try FileManager.default.copyItem(atPath: logs, toPath: kept)
    defer {
      // What a test leaves behind can't be removed only if the test has failed.
      try? FileManager.default.removeItem(atPath: logs)
      try? FileManager.default.moveItem(atPath: kept, toPath: logs)
    }
    try body()
  }

  /// Replaces a text in logs that follow each other, recomputes every digest after it, and removes the tree,
  /// which has the old ones.
  func rewrite(_ files: [String], _ old: String, _ new: String) throws {
    let tree = try lineage() + "/_tree"
    if FileManager.default.fileExists(atPath: tree) {
      try FileManager.default.removeItem(atPath: tree)
    }
    var previous: String?
    for file in files {
      var text = try gunzip(file)
      if let previous, let place = text.firstRange(of: /"previous":"[0-9a-f]+"/) {
        text.replaceSubrange(place, with: #""previous":"\#(previous)""#)
      }
      text = text.replacingOccurrences(of: old, with: new)
      let bytes = withDigests(Array(text.utf8))
      try write(bytes, to: file)
      previous = digests(String(decoding: bytes, as: UTF8.self)).last
    }
  }

  /// Replaces a text in a log, and recomputes only the digest of the file.
  func alterText(of file: String, _ old: String, _ new: String) throws {
    var lines = try gunzip(file).replacingOccurrences(of: old, with: new)
      .components(separatedBy: "\n")
    let trailer = lines.count - 2
    let before = lines[..<trailer].map { $0 + "\n" }.joined()
    lines[trailer] = lines[trailer].replacing(
      /"digest":"[0-9a-f]+"/,
      with: #""digest":"\#(SHA256.digest(of: Array(before.utf8)))""#
    )
    try write(Array(lines.joined(separator: "\n").utf8), to: file)
  }

  /// The digests of the transactions of a log.
  func digests(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix(#"{"kind":"transaction""#) }.compactMap {
      $0.firstMatch(of: /"digest":"([0-9a-f]+)"/).map { String($0.output.1) }
    }
  }

  func write(_ bytes: [UInt8], to file: String) throws {
    try Data(gzipped(bytes)).write(to: URL(fileURLWithPath: file))
  }

  /// Replaces the values in the line of a guest, keeps what proves the old ones, and forges a record that they
  /// were erased.
  func forgeErasure(of id: Int64, _ alter: (String) -> String) throws {
    let file = try files()[0]
    let original = try gunzip(file)
    var lines = original.components(separatedBy: "\n")
    let hit = try #require(lines.firstIndex { $0.contains(#""entity":"Guest","id":"\#(id)""#) })
    let line = lines[hit]
    let member = try #require(line.firstMatch(of: /"seed":"1:([^"]+)",/))
    let seed = try #require(
      Seed(bytes: Array(Data(base64Encoded: String(member.1)) ?? Data()))
    )
    let rest = String(line[member.range.upperBound...])
    let altered = alter(rest)
    func values(_ text: String, _ salt: Seed) throws -> Digest {
      let start = try #require(text.firstRange(of: #","after":"#)).lowerBound
      return Array(text[start...].dropLast().utf8).withUnsafeBytes { valuesDigest($0, salt: salt) }
    }
    func hidden(_ values: Digest, _ salt: Seed?) -> String {
      var members: [UInt8] = []
      LineLeaf.hidden(values: values, salt: salt).append(to: &members)
      return line[..<member.range.lowerBound] + String(decoding: members, as: UTF8.self) + ","
        + altered
    }
    lines[hit] = try hidden(values(rest, seed), seed.restated)
    let digests = digests(original)
    let closing = lines[hit + 1].replacing(/,"digest":"[0-9a-f]+"/, with: "") + "\n"
    let remaining = naiveDigest(
      [Array((try hidden(values(altered, seed.restated), nil) + "\n").utf8)],
      closing: Array(closing.utf8),
      after: try #require(Digest(hexadecimal: digests[Int(id) - 2]))
    )
    let trailer = lines.count - 2
    let before = lines[..<trailer].map { $0 + "\n" }.joined()
    lines[trailer] = lines[trailer].replacing(
      /"digest":"[0-9a-f]+"/,
      with: #""digest":"\#(SHA256.digest(of: Array(before.utf8)))""#
    )
    try write(Array(lines.joined(separator: "\n").utf8), to: file)
    try writeRecord(of: id, was: digests[Int(id) - 1], lines: "\(remaining)")
  }

  private func writeRecord(of id: Int64, was: String, lines: String) throws {
    let lineage = try lineage()
    let uuid = try #require(lineage.firstMatch(of: /store=([^\/]+)/)).output.1
    let record =
      #"{"kind":"erasure","ts":"2026-10-05T09:00:00.000000Z","author":"officer","reason":"case 12","#
      + #""txn":\#(id),"op":"recorded","entity":"Guest","id":"\#(id)","attributes":["note"],"#
      + #""was":"\#(was)","lines":"\#(lines)"}"#
    let start = SHA256.digest(of: Array("travelog/1 \(uuid) 0 erasures".utf8))
    let digest = SHA256.digest(of: start.bytes + Array((record + "\n").utf8))
    try "\(record.dropLast()),\"digest\":\"\(digest)\"}\n".write(
      toFile: lineage + "/_erasures.ndjson",
      atomically: true,
      encoding: .utf8
    )
  }

  /// What `verify --json` says of the logs; it must end with a code.
  func verify(
    _ arguments: String...,
    code: Int32,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    let run = try travelog(["verify", logs, "--json"] + arguments)
    #expect(run.code == code, "\(run.output)\(run.errors)", sourceLocation: sourceLocation)
    let lines = run.output.split(separator: "\n")
    return try #require(
      lines.last.flatMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
        as? [String: Any],
      sourceLocation: sourceLocation
    )
  }
}

/// The kinds of the parts or the findings in an answer of `verify`.
func kinds(_ key: String, of answer: [String: Any]) -> [String] {
  (answer[key] as? [[String: Any]] ?? []).compactMap { $0["kind"] as? String }
}
