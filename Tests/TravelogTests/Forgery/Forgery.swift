import Format
import Foundation
import LogFuzzing
import PipelineTesting
import Store
import StoreTesting
import Testing

/// One way to forge what `verify` reads, and how the program answers.
///
/// TESTING.md has a table of the kinds of forgeries.
struct Forgery: Sendable, CustomTestStringConvertible {
  /// What is forged.
  let name: String
  /// The exit codes that find it.
  let codes: Set<Int32>
  /// A text that the answer contains; empty for any.
  let answer: String
  /// Forges files of a world, and returns a run of the program that has to find it.
  let run: @Sendable (LongerWorld) throws -> Run

  var testDescription: String { name }

  init(
    _ name: String,
    codes: Set<Int32> = [1],
    answer: String = "",
    run: @escaping @Sendable (LongerWorld) throws -> Run
  ) {
    self.name = name
    self.codes = codes
    self.answer = answer
    self.run = run
  }

  /// A forgery of the lines of one log; only the digest of its trailer is computed again, if at all.
  init(
    lines name: String,
    of log: Int = 2,
    answer: String = "damaged:",
    fixesTrailer: Bool = true,
    _ alter: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.init(name, answer: answer) { world in
      try world.alter(log, fixesTrailer: fixesTrailer, alter)
      let replica = world.folder.path + "/replica.store"
      #expect(try travelog("import", world.logs, "--into", replica).code != 0)
      return try travelog("verify", world.logs)
    }
  }

  /// A forgery of the lines of one log after which all digests, also of later logs, are computed again, so that
  /// only a digest from elsewhere shows it.
  init(
    history name: String,
    of log: Int = 2,
    _ alter: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.init(name, answer: "end-missing: ") { world in
      try world.alter(log, fixesTrailer: true, alter)
      try world.rewriteDigests(from: log)
      let alone = try travelog("verify", world.logs)
      #expect(alone.code == 0, "It should be sound in itself: \(alone.output)")
      return try travelog("verify", world.logs, "--head", world.head)
    }
  }
}

/// The forged world with a third log: transaction 9 inserts five guests and two camps, and transaction 10 changes two
/// guests and deletes one.
struct LongerWorld {
  let world: ForgedWorld
  let head: String
  /// A folder for the files of one forgery.
  let folder: URL

  var logs: String { world.logs }

  /// Creates the store and its logs.
  ///
  /// If `isRestored` is true, the store is then restored as it was before transaction 9, changes,
  /// and continues in lineage 1. The head remains that of lineage 0.
  init(
    _ folder: URL,
    hasSnapshot: Bool = false,
    erasure: Erasure? = nil,
    isRestored: Bool = false
  ) throws {
    self.folder = folder
    world = try ForgedWorld(folder, hasSnapshot: hasSnapshot)
    let backup = folder.path + "/backup"
    if isRestored {
      try FileManager.default.createDirectory(atPath: backup, withIntermediateDirectories: true)
      try Store.open(.file(URL(fileURLWithPath: world.store)))
        .copy(to: URL(fileURLWithPath: backup + "/a.store"))
    }
    let store = try Store.open(.file(URL(fileURLWithPath: world.store)), schema: worldSchema)
    let guest = try #require(worldSchema.index(of: "Guest"))
    let camp = try #require(worldSchema.index(of: "Camp"))
    let columns = store.layouts[guest].columns
    let note = try #require(store.layouts[guest].column(of: "note"))
    try store.write(Author(name: "app")) { writer in
      for id in 9...13 as ClosedRange<Int64> {
        let values = columns.map { $0.name == "note" ? .text("note of \(id)") : Value.null }
        try writer.insert(guest, id: id, values: values)
      }
      for id in 1...2 as ClosedRange<Int64> {
        let values = writer.layouts[camp].columns.map { _ in Value.null }
        try writer.insert(camp, id: id, values: [.text("camp \(id)")] + values.dropFirst())
      }
    }
    try store.write(Author(name: "app")) { writer in
      for id in [9, 10] as [Int64] {
        try writer.update(guest, id: id, columns: [note], values: [.text("later note of \(id)")])
      }
      try writer.delete(guest, id: 11)
    }
    #expect(try travelog("export", world.store, "--to", world.logs).code == 0)
    if let erasure {
      var who = ["--author", "officer", "--reason", "case 12"]
      if erasure == .inChain { who += ["--store", world.store] }
      let what = ["--entity", "Guest", "--id", "11", "--attribute", "note"]
      #expect(try travelog(["erase", world.logs] + what + who).code == 0)
    }
    head = try store.read { try $0.historyRange().head.digest.description }
    guard isRestored else { return }
    let restored = try Store.open(.file(URL(fileURLWithPath: backup + "/a.store")))
    try restored.write(Author(name: "app")) { try $0.delete(guest, id: 1) }
    let run = try travelog("recover", backup + "/a.store", "--to", world.logs)
    #expect(run.code == 0, "\(run.errors)")
  }

  private init(_ other: LongerWorld, folder: URL) {
    self.folder = folder
    world = other.world.with(logs: folder.path + "/logs")
    head = other.head
  }

  /// Where an erasure is recorded.
  enum Erasure { case besideLogs, inChain }

  /// The same store with a copy of the logs in another folder.
  func copy(to folder: URL) throws -> LongerWorld {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = LongerWorld(self, folder: folder)
    try FileManager.default.copyItem(atPath: logs, toPath: copy.logs)
    return copy
  }

  /// The lines of a log, without line feeds.
  func lines(_ log: Int) throws -> [String] {
    try gunzip(world.files()[log]).split(separator: "\n").map(String.init)
  }

  /// Alters the lines of a log, and computes the digest of its trailer again.
  func alter(
    _ log: Int,
    fixesTrailer: Bool = true,
    _ alter: (inout [String]) throws -> Void
  ) throws {
    let before = try lines(log)
    var lines = before
    try alter(&lines)
    try #require(lines != before, "nothing was altered")
    let bytes = fixesTrailer ? withTrailer(lines) : Array(lines.map { $0 + "\n" }.joined().utf8)
    try world.write(bytes, to: world.files()[log])
  }

  /// Computes all digests of a log and of the logs after it again, and removes the tree and the token, which have the
  /// old ones.
  func rewriteDigests(from log: Int) throws {
    try world.rewrite(Array(world.files()[log...]), "", "")
    let lineage = try world.lineage()
    try FileManager.default.removeItem(
      atPath: (lineage as NSString).deletingLastPathComponent + "/_token.json"
    )
  }
}

/// The bytes of a log with these lines and the digest of its trailer computed again.
func withTrailer(_ lines: [String]) -> [UInt8] {
  guard let last = lines.last, last.hasPrefix(#"{"kind":"trailer""#) else {
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }
  let bytes = Array(lines.dropLast().map { $0 + "\n" }.joined().utf8)
  let trailer = last.replacing(
    /"digest":"[0-9a-f]{64}"/,
    with: #""digest":"\#(SHA256.digest(of: bytes))""#
  )
  return bytes + Array((trailer + "\n").utf8)
}

extension [String] {
  /// The first line that has all of these texts.
  func place(_ texts: String...) throws -> Int {
    try #require(firstIndex { line in texts.allSatisfy { line.contains($0) } }, "\(texts)")
  }

  /// Replaces a text in the first line that has it.
  mutating func replace(_ old: String, _ new: String) throws {
    let place = try place(old)
    self[place] = self[place].replacingOccurrences(of: old, with: new)
  }
}
