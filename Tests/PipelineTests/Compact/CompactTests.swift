import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Compaction")
struct CompactTests {
  @Test("Small logs become one log with the same lines, and the next export continues after it.")
  func compact() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "compact")
      for _ in 0..<8 {
        try world.write(3)
        try world.export()
      }
      let before = try world.lines()
      let files = try world.logs.files(of: world.source.identifier, lineage: 0).count
      #expect(files > 4)
      var request = CompactRequest(logs: world.logs)
      request.isDryRun = true
      let plan = try Pipeline.compact(request)
      #expect(plan.map(\.filesBefore) == [files])
      #expect(plan.map(\.filesAfter) == [1])
      #expect(try world.logs.files(of: world.source.identifier, lineage: 0).count == files)
      request.isDryRun = false
      #expect(try Pipeline.compact(request).map(\.filesAfter) == [1])
      #expect(try world.lines() == before)
      #expect(try world.logs.files(of: world.source.identifier, lineage: 0).count == 1)
      try world.write(3)
      try world.export()
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      try #expect(world.lines() == lines(of: world.source))
    }
  }

  @Test("Adjacent logs are merged while their size together is at most the maximum.")
  func sizes() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "sizes of compacted logs")
      world.history.hasLargeValues = false
      for _ in 0..<5 {
        try world.write(3)
        try world.export()
      }
      let sizes = try world.files().map { try Data(contentsOf: URL(fileURLWithPath: $0)).count }
      var request = CompactRequest(logs: world.logs)
      #expect(request.maximumFileSize == 256 * 1024 * 1024)
      request.isDryRun = true
      for first in sizes.indices {
        for last in first..<sizes.count {
          let sum = sizes[first...last].reduce(0, +)
          for maximum in [sum - 1, sum, sum + 1] {
            var (groups, room) = (0, 0)
            for size in sizes {
              if groups == 0 || size > room { (groups, room) = (groups + 1, maximum) }
              room -= size
            }
            request.maximumFileSize = Int64(maximum)
            #expect(try Pipeline.compact(request).map(\.filesAfter) == [groups], "\(maximum)")
          }
        }
      }
    }
  }

  @Test("A token inside a compacted log is out of date, and the next export rebuilds it.")
  func tokenInside() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "token inside")
      var tokens: [Data] = []
      let token = URL(fileURLWithPath: world.logs.token(of: world.source.identifier))
      for _ in 0..<3 {
        try world.write(4)
        try world.export()
        tokens.append(try Data(contentsOf: token))
      }
      _ = try Pipeline.compact(CompactRequest(logs: world.logs))
      try tokens[0].write(to: token)
      #expect(try world.export().notices.first?.message.contains("behind the logs") == true)
      #expect(try Data(contentsOf: token) == tokens[2])
      // The same is true after more exports, and for recover.
      try tokens[1].write(to: token)
      try world.write(4)
      try world.export()
      try tokens[1].write(to: token)
      #expect(try recover(RecoverRequest(store: world.path, logs: world.logs)).remedy == .none)
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      try #expect(world.lines() == lines(of: world.source))
      // A token of another history is not just out of date.
      let identifier = world.source.identifier
      var point = try #require(try Bookmark(json: Array(tokens[0])).points[identifier])
      point.digest = TransactionDigest.beginning(ofStore: identifier, lineage: 7)
      try Data(Bookmark(store: identifier, points: [identifier: point]).json()).write(to: token)
      #expect(try world.export().notices.first?.message.contains("had another digest") == true)
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }

  @Test("Files of an interrupted compaction are found, ignored by readers, and removed.")
  func leftovers() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "leftovers")
      for _ in 0..<4 {
        try world.write(4)
        try world.export()
      }
      let small = try world.logs.files(of: world.source.identifier, lineage: 0)
      let copies = try small.map { ($0.path, try Data(contentsOf: URL(fileURLWithPath: $0.path))) }
      _ = try Pipeline.compact(CompactRequest(logs: world.logs))
      let before = try world.lines()
      for (path, data) in copies.dropFirst() {
        try FileManager.default.createDirectory(
          atPath: (path as NSString).deletingLastPathComponent,
          withIntermediateDirectories: true
        )
        try data.write(to: URL(fileURLWithPath: path))
      }
      let findings = try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings)
      #expect(findings.map(\.kind) == copies.dropFirst().map { _ in .gap })
      let replica = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      _ = try importLogs(replica)
      _ = try Pipeline.compact(CompactRequest(logs: world.logs))
      #expect(try world.lines() == before)
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }
}
