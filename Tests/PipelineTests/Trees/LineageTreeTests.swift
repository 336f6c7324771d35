import ChangeLog
import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

extension World {
  /// The leaves that a tree must have, by the ids of the transactions in the logs.
  func leaves(lineage: Int64 = 0) throws -> [(id: Int64, hash: Digest)] {
    var result: [(Int64, Digest)] = []
    for file in try logs.files(of: source.identifier, lineage: lineage) {
      let reader = try LogReader(path: file.path) { try Erasures(near: file.path, header: $0) }
      while let transaction = try reader.next() {
        result.append((transaction.id, leafHash(try #require(transaction.digest))))
      }
    }
    return result
  }

  /// The tree beside the logs.
  func tree(lineage: Int64 = 0) throws -> LineageTree {
    try #require(try LineageTree(logs, store: source.identifier, lineage: lineage))
  }

  /// Expects that the tree is that of the logs, and that verification agrees.
  func expectTree(lineage: Int64 = 0, _ comment: Comment? = nil) throws {
    let (tree, leaves) = (try tree(lineage: lineage), try leaves(lineage: lineage))
    #expect(tree.head.count == Int64(leaves.count), comment)
    #expect(tree.head.root == MerkleTree(leaves.map(\.hash)).root, comment)
    let tiles = tree.tiles
    for (position, leaf) in leaves.enumerated() {
      #expect(tree.position(of: leaf.id) == Int64(position), comment)
      #expect(tree.transaction(at: Int64(position)) == leaf.id, comment)
      #expect(try tiles.leaf(Int64(position)) == leaf.hash, comment)
    }
    #expect(tree.position(of: (leaves.last?.id ?? 0) + 1) == nil, comment)
    #expect(tree.transaction(at: tree.head.count) == nil, comment)
    #expect(try verify(VerifyRequest(logs: logs)).map(\.findings).joined().isEmpty, comment)
  }

  /// The folder of the tree.
  func treePath(lineage: Int64 = 0) -> String {
    LineageTree.path(logs, store: source.identifier, lineage: lineage)
  }
}

@Suite("The tree beside logs")
struct LineageTreeTests {
  private func withWorld(_ name: String, _ body: (inout World, URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, name)
      world.history.hasLargeValues = false
      try body(&world, folder)
    }
  }

  @Test("Exports append their transactions, and compaction leaves the tree as it is.")
  func exports() throws {
    try withWorld("tree of exports") { world, _ in
      var random = SeededGenerator(for: "tree of exports")
      for _ in 0..<8 {
        try world.write(Int.random(in: 0...60, using: &random))
        try world.export { $0.maximumFileSize = Bool.random(using: &random) ? 1 : 1 << 20 }
        if try !world.leaves().isEmpty { try world.expectTree() }
      }
      let tree = try world.tree()
      _ = try Pipeline.compact(CompactRequest(logs: world.logs))
      try world.export()
      #expect(try world.tree().head == tree.head)
      #expect(tree.origin == "travelog/\(world.source.identifier)/0")
      try world.expectTree()
    }
  }

  @Test("A tree that is missing, torn, older or of other logs is rebuilt by the next export.")
  func rebuilding() throws {
    try withWorld("rebuilt tree") { world, folder in
      try world.write(260)
      try world.export()
      let path = world.treePath()
      let older = folder.path + "/older"
      try FileManager.default.copyItem(atPath: path, toPath: older)
      try world.write(30)
      try world.export()
      let count = try world.tree().head.count
      let last = "end \(try world.tree().last.transaction) "
      let partial = "\(path)/tile/0/001.p/\(count - 256)"
      func cut(_ name: String) throws {
        let file = URL(fileURLWithPath: name)
        try Data(contentsOf: file).dropLast(7).write(to: file)
      }
      let damages: [(String, () throws -> Void)] = [
        ("no tree", { try FileManager.default.removeItem(atPath: path) }),
        ("no tiles", { try FileManager.default.removeItem(atPath: path + "/tile") }),
        ("no head", { try FileManager.default.removeItem(atPath: path + "/head") }),
        (
          "other numbers",
          {
            let head = try String(contentsOfFile: path + "/head", encoding: .utf8)
            try Data(head.replacing(last, with: "end \(Int64.max) ").utf8).write(
              to: URL(fileURLWithPath: path + "/head")
            )
          }
        ),
        (
          "checkpoint",
          { try Data("nothing".utf8).write(to: URL(fileURLWithPath: path + "/checkpoint")) }
        ),
        ("torn head", { try cut(path + "/head") }),
        ("torn tile", { try cut(partial) }),
        ("empty tile", { try Data().write(to: URL(fileURLWithPath: partial)) }),
        ("zeros", { try Data(count: 32 * 255).write(to: URL(fileURLWithPath: partial)) }),
        ("no upper tile", { try FileManager.default.removeItem(atPath: path + "/tile/1") }),
        (
          "older tree",
          {
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: older, toPath: path)
          }
        ),
        (
          "older head",
          {
            try FileManager.default.removeItem(atPath: path + "/head")
            try FileManager.default.copyItem(atPath: older + "/head", toPath: path + "/head")
          }
        ),
        (
          "newer tiles",
          {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: partial)) + Data(count: 32)
            try bytes.write(to: URL(fileURLWithPath: "\(path)/tile/0/001.p/\(count - 255)"))
          }
        ),
      ]
      for (name, damage) in damages {
        try damage()
        #expect(try world.export().notices == [], "\(name)")
        if name == "checkpoint" {
          // An export does not repair a checkpoint, which a person signed.
          let checkpoint = path + "/checkpoint"
          let findings = try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings)
          #expect(findings.map(\.path) == [checkpoint])
          try FileManager.default.removeItem(atPath: checkpoint)
        }
        try world.expectTree("\(name)")
      }
    }
  }

  @Test("A tree with later transactions than the logs shows that logs are missing.")
  func ahead() throws {
    try withWorld("tree ahead of its logs") { world, _ in
      try world.write(5)
      try world.export()
      try world.write(5)
      let result = try world.export()
      try FileManager.default.removeItem(atPath: world.logs.token(of: world.source.identifier))
      let log = try #require(result.files.last)
      try FileManager.default.removeItem(atPath: log)
      let finding = try #require(try verify(VerifyRequest(logs: world.logs)).first?.findings.first)
      #expect(finding.kind == .endMissing && finding.transaction == result.to.transaction)
      #expect(finding.path == world.treePath() && finding.hint.contains("missing logs"))
      try FileManager.default.removeItem(atPath: world.treePath())
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }

  @Test("A head whose last line has a word too many or too few is altered.")
  func alteredEnd() throws {
    try withWorld("altered end of a tree") { world, _ in
      try world.write(3)
      try world.export()
      let head = URL(fileURLWithPath: world.treePath() + "/head")
      let text = String(try String(contentsOf: head, encoding: .utf8).dropLast())
      for altered in [text + " x", String(text.dropLast(65))] {
        try Data((altered + "\n").utf8).write(to: head)
        let error = #expect(throws: LogError.self) { try world.tree() }
        #expect(error?.code == .refuted, "\(altered)")
      }
    }
  }

  @Test("Logs that are damaged give no tree, and the export continues with a notice.")
  func damagedLogs() throws {
    try withWorld("tree of damaged logs") { world, _ in
      try world.write(5)
      let file = try #require(try world.export().files.first)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      try world.write(5)
      try world.export()
      var wrong = bytes
      wrong[bytes.count / 2] ^= 0xff
      try wrong.write(to: URL(fileURLWithPath: file))
      try FileManager.default.removeItem(atPath: world.treePath())
      try world.write(2)
      let result = try world.export()
      #expect(result.notices.map(\.message).contains { $0.contains("not complete") })
      #expect(try LineageTree(world.logs, store: world.source.identifier, lineage: 0) == nil)
      try bytes.write(to: URL(fileURLWithPath: file))
      #expect(try world.export().notices == [])
      try world.expectTree()
    }
  }

  @Test("A gap is one leaf, and ids after it have the positions that the folder gives them.")
  func gap() throws {
    try withWorld("tree with a gap") { world, _ in
      try world.write(10)
      let first = try world.export()
      try world.write(10)
      try world.source.deleteHistory([1...first.to.transaction + 4])
      _ = try recover(RecoverRequest(store: world.path, logs: world.logs))
      try world.export()
      try world.expectTree()
      #expect(try world.tree().runs.count == 2)
      #expect(try world.tree().position(of: first.to.transaction + 2) == nil)
      try world.write(3)
      try world.export()
      try world.expectTree()
    }
  }

  @Test("Logs that begin with a snapshot have another tree, with another name.")
  func snapshot() throws {
    try withWorld("tree after a snapshot") { world, folder in
      try world.write(10)
      try world.export()
      try world.source.deleteHistory([1...5])
      let logs = LogFolder(folder.path + "/new")
      try logs.create()
      let base = try startLogs(of: world.path, in: logs).from.transaction
      try world.write(4)
      try world.export { $0.logs = logs }
      for isRebuilt in [false, true] {
        let tree = try #require(try LineageTree(logs, store: world.source.identifier, lineage: 0))
        #expect(tree.origin == "travelog/\(world.source.identifier)/0/\(base)")
        #expect(tree.position(of: base + 1) == 0)
        #expect(tree.position(of: base) == nil)
        #expect(try verify(VerifyRequest(logs: logs)).map(\.findings) == [[]])
        guard !isRebuilt else { break }
        try FileManager.default.removeItem(atPath: tree.path)
        try world.export { $0.logs = logs }
      }
    }
  }

  @Test("Filtered logs, dry runs and exports that trust the token have no tree.")
  func withoutTree() throws {
    try withWorld("no tree") { world, _ in
      try world.write(5)
      try world.export { $0.isDryRun = true }
      #expect(!FileManager.default.fileExists(atPath: world.treePath()))
      #expect(try world.export { $0.trustsToken = true }.transactions >= 5)
      #expect(!FileManager.default.fileExists(atPath: world.treePath()))
      var filter = ExportFilter()
      filter.authors = ["app"]
      let result = try world.export { $0.filter = filter }
      #expect(result.filter != nil)
      let names = try FileManager.default.subpathsOfDirectory(atPath: world.logs.path)
      #expect(!names.contains { $0.hasSuffix("_tree") })
    }
  }

  @Test("Verification names the first transaction whose digest differs in the tree.")
  func comparison() throws {
    try withWorld("compared tree") { world, _ in
      try world.write(300)
      try world.export()
      let path = world.treePath()
      let leaves = try world.leaves()
      let file = URL(fileURLWithPath: path + "/tile/0/000")
      let bytes = try Data(contentsOf: file)
      for position in [0, 100, 255] {
        var wrong = bytes
        wrong[32 * position] ^= 1
        wrong[32 * 255 + 31] ^= 1
        try wrong.write(to: file)
        let findings = try #require(try verify(VerifyRequest(logs: world.logs)).first).findings
        #expect(findings.map(\.kind) == [.damaged])
        #expect(findings.map(\.transaction) == [leaves[position].id])
      }
      try FileManager.default.removeItem(at: file)
      // A copy that was made during an export may lack tiles.
      let verified = try verify(VerifyRequest(logs: world.logs))
      #expect(verified.map(\.findings) == [[]])
      #expect(verified.flatMap(\.notices).map(\.message).contains { $0.contains("not complete") })
      try FileManager.default.removeItem(atPath: path + "/tile")
      let result = try writeCheckpoints(CheckpointRequest(logs: world.logs))
      #expect(result.map(\.size) == [Int64(leaves.count)])
      try world.expectTree()
    }
  }
}
