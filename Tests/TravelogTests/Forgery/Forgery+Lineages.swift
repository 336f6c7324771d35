import Format
import Foundation
import LogFuzzing
import PipelineTesting
import TestSupport
import Testing

/// Forgeries in a folder with two lineages: the store was restored as it was after transaction 8, and
/// then changed.
extension Forgery {
  /// A forgery of the first log of lineage 1, by its lines; all later digests are computed again.
  private init(
    lineage name: String,
    codes: Set<Int32> = [1],
    _ alter: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.init(name, codes: codes) { world in
      try world.alterLineage(alter)
      let alone = try travelog("verify", world.logs)
      #expect(codes.contains(alone.code), "\(name): \(alone.code) \(alone.output)")
      let replica = world.folder.path + "/replica.store"
      for arguments in [["--head", world.head], try world.checkpoint()] {
        let run = try travelog(["import", world.logs, "--into", replica] + arguments)
        #expect(run.code == 17 && !FileManager.default.fileExists(atPath: replica), "\(run.errors)")
        let verified = try travelog(["verify", world.logs] + arguments)
        #expect(verified.code != 0, "\(name): \(verified.output)")
      }
      #expect(try world.isRefusedByReader() != false, "\(name)")
      return alone
    }
  }

  static let lineages: [Forgery] = [
    Forgery(lineage: "a later lineage begins with another state than its parent had") {
      try $0.replace("note of 2", "note of 9")
    },
    Forgery(lineage: "a later lineage begins with an empty state") { lines in
      lines.removeAll { $0.hasPrefix(#"{"kind":"change""#) }
      let place = try lines.place(#"{"kind":"transaction""#)
      lines[place].replace(/"n":[0-9]+/, with: #""n":0"#)
      lines[lines.count - 1].replace(/"changes":[0-9]+/, with: #""changes":0"#)
    },
    Forgery(lineage: "a later lineage lacks an object of its parent") { lines in
      let place = try lines.place(#""entity":"Guest","id":"8""#)
      lines.remove(at: place)
      for index in lines.indices {
        lines[index] = lines[index].replacingOccurrences(of: #""n":8"#, with: #""n":7"#)
      }
      lines[lines.count - 1].replace(/"changes":8/, with: #""changes":7"#)
    },
    Forgery(lineage: "a later lineage names another head of the lineage before it") { lines in
      let place = try lines.place(#"{"kind":"transaction""#)
      lines[place].replace(/digest\\":\\"[0-9a-f]{8}/, with: #"digest\":\"00000000"#)
    },
    Forgery(lineage: "a later lineage names a parent that does not exist") { lines in
      let place = try lines.place(#"{"kind":"transaction""#)
      lines[place].replace(/(digest\\":\\"[0-9a-f]{64}\\")/) { $0.output.1 + #",\"parent\":7"# }
    },
    Forgery(
      lineage: "a later lineage says that it begins with a state that its parent never had",
      codes: [17]
    ) { lines in
      let place = try lines.place(#"{"kind":"transaction""#)
      lines[place].replace(/(digest\\":\\"[0-9a-f]{64}\\")/) { $0.output.1 + #",\"common\":7"# }
      try lines.replace("note of 2", "note of 9")
    },
    Forgery("the lineage before a later lineage is removed", codes: [17]) { world in
      try FileManager.default.removeItem(atPath: world.world.lineage())
      #expect(try world.isRefusedByReader() != false)
      #expect(try travelog("verify", world.logs, "--head", world.head).code == 1)
      return try travelog("verify", world.logs)
    },
    Forgery("a later lineage that nothing covers is added to a proven one", codes: [17]) { world in
      #expect(try world.isRefusedByReader() != true)
      let replica = world.folder.path + "/replica.store"
      for arguments in [["--head", world.head], try world.checkpoint()] {
        let run = try travelog(["import", world.logs, "--into", replica] + arguments)
        #expect(run.code == 17 && !FileManager.default.fileExists(atPath: replica), "\(run.errors)")
      }
      let checkpoint = try travelog(["verify", world.logs] + world.checkpoint())
      #expect(checkpoint.code == 17, "\(checkpoint.output)")
      let kept = try #require(world.checkpoint().last)
      #expect(try travelog("verify", world.logs, "--since", kept).code == 17)
      let run = try travelog("verify", world.logs, "--head", world.head)
      #expect(!run.output.contains("the next lineage confirms"), "\(run.output)")
      return run
    },
    Forgery("a later lineage begins after the end of its parent") { world in
      try world.moveLineage(by: 5_000)
      #expect(try world.isRefusedByReader() != false)
      return try travelog("verify", world.logs)
    },
    Forgery("a later lineage is numbered as if there were one before it") { world in
      let later = try world.later()
      let moved = later.replacing("lineage=1", with: "lineage=2")
      try FileManager.default.moveItem(atPath: later, toPath: moved)
      try world.rewriteLineage(moved) { lines in
        for index in lines.indices {
          lines[index] = lines[index].replacingOccurrences(
            of: #""lineage":1"#,
            with: #""lineage":2"#
          )
        }
      }
      return try travelog("verify", world.logs)
    },
    Forgery("the logs of a later lineage are removed, and its tree is there") { world in
      let later = try world.later()
      for name in try FileManager.default.contentsOfDirectory(atPath: later)
      where name != "_tree" {
        try FileManager.default.removeItem(atPath: "\(later)/\(name)")
      }
      try FileManager.default.removeItem(atPath: world.token())
      return try travelog("verify", world.logs)
    },
  ]
}

extension LongerWorld {
  /// The folder of lineage 1.
  fileprivate func later() throws -> String {
    try world.lineage().replacing("lineage=0", with: "lineage=1")
  }

  /// Whether the reader in Python refuses the logs; nil without Python.
  fileprivate func isRefusedByReader() throws -> Bool? {
    guard installed("python3") != nil else { return nil }
    let reader = packageRoot.appendingPathComponent("Tests/Readers/read_log.py").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: logs)
      .filter { $0.hasSuffix(".ndjson.gz") }.map { "\(logs)/\($0)" }
    return try run("/usr/bin/env", ["python3", reader] + files).code != 0
  }

  /// The arguments for a checkpoint of lineage 0.
  fileprivate func checkpoint() throws -> [String] {
    let path = folder.path + "/checkpoint"
    let run = try travelog("checkpoint", world.lineage())
    #expect(run.code == 0, "\(run.errors)")
    try run.output.write(toFile: path, atomically: true, encoding: .utf8)
    return ["--head", path]
  }

  /// Alters the first log of lineage 1, and computes all digests of the lineage again.
  fileprivate func alterLineage(_ alter: (inout [String]) throws -> Void) throws {
    var isFirst = true
    try rewriteLineage(later()) { lines in
      guard isFirst else { return }
      isFirst = false
      let before = lines
      try alter(&lines)
      try #require(lines != before, "nothing was altered")
    }
  }

  /// Renames the transactions of lineage 1, so that it begins later.
  fileprivate func moveLineage(by distance: Int) throws {
    let later = try later()
    for path in try logs(of: later) {
      let name = (path as NSString).lastPathComponent
      let ids = name.split(separator: ".")[0].split(separator: "-").compactMap { Int($0) }
      let moved = ids.map {
        String(String(100_000_000_000_000_000_000 as UInt128 + UInt128($0 + distance)).dropFirst())
      }
      try FileManager.default.moveItem(
        atPath: path,
        toPath: (path as NSString).deletingLastPathComponent + "/\(moved[0])-\(moved[1]).ndjson.gz"
      )
    }
    try rewriteLineage(later) { lines in
      for index in lines.indices {
        for key in ["txn", "first", "last"] {
          lines[index].replace(try Regex(#""\#(key)":([0-9]+)"#)) { match in
            let id = Int(match.output[1].substring ?? "") ?? 0
            return #""\#(key)":\#(id + distance)"#
          }
        }
      }
    }
  }

  private func logs(of lineage: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: lineage)
      .filter { $0.hasPrefix("date=") && $0.hasSuffix(".ndjson.gz") }.map { "\(lineage)/\($0)" }
      .sorted { ($0 as NSString).lastPathComponent < ($1 as NSString).lastPathComponent }
  }

  /// Alters the logs of a lineage, computes all digests again, and removes the tree and the token.
  fileprivate func rewriteLineage(
    _ lineage: String,
    _ alter: (inout [String]) throws -> Void
  ) throws {
    var previous: String?
    for path in try logs(of: lineage) {
      var lines = try gunzip(path).split(separator: "\n").map(String.init)
      if let previous {
        lines[0].replace(/"previous":"[0-9a-f]+"/, with: #""previous":"\#(previous)""#)
      }
      try alter(&lines)
      let number = (lineage as NSString).lastPathComponent.dropFirst("lineage=".count)
      let uuid = try #require(lineage.firstMatch(of: /store=([^\/]+)/)).output.1
      if previous == nil {
        let start = SHA256.digest(of: Array("travelog/1 \(uuid) \(number)".utf8))
        lines[0].replace(/"previous":"[0-9a-f]+"/, with: #""previous":"\#(start)""#)
      }
      let bytes = withDigests(Array(lines.map { $0 + "\n" }.joined().utf8))
      try world.write(bytes, to: path)
      previous = world.digests(String(decoding: bytes, as: UTF8.self)).last
    }
    for path in ["\(lineage)/_tree", try token()]
    where FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
