import Format
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Log folders")
struct LogFolderTests {
  private let first = "00000000-0000-0000-0000-00000000000A"
  private let second = "00000000-0000-0000-0000-00000000000B"

  /// A folder with empty files.
  private func withFiles(_ files: [String], _ body: (LogFolder) throws -> Void) throws {
    try withTemporaryFolder { folder in
      for file in files {
        let path = folder.path + "/" + file
        try makeFolders(parentFolder(path))
        try writeDurably([], to: path)
      }
      try body(LogFolder(folder.path))
    }
  }

  private func log(_ first: Int64, _ last: Int64) -> String {
    LogName(store: "", lineage: 0, day: "", range: first...last).file
  }

  @Test("The logs of a lineage are sorted by their ranges, and other files are left out.")
  func files() throws {
    let lineage = "store=\(first)/lineage=0"
    try withFiles([
      "\(lineage)/date=2026-11-23/\(log(10, 12))", "\(lineage)/date=2026-11-24/\(log(1, 2))",
      "\(lineage)/date=2026-11-24/\(log(1, 1))", "\(lineage)/date=2026-11-24/notes.txt",
      "\(lineage)/other/\(log(3, 3))", "\(lineage)/snapshots/\(padded(7)).ndjson.gz",
      "\(lineage)/snapshots/\(padded(0)).ndjson.gz", "\(lineage)/snapshots/7.ndjson.gz",
      "\(lineage)/snapshots/+\(padded(9).dropFirst()).ndjson.gz",
      "\(lineage)/snapshots/\(padded(8)).ndjson.gzip", "loose.ndjson.gz", ".hidden.ndjson.gz",
    ]) { (logs) throws in
      #expect(try logs.files(of: first, lineage: 0).map(\.range) == [1...1, 1...2, 10...12])
      #expect(try logs.snapshots(of: first, lineage: 0).map(\.range) == [7...7])
      #expect(try logs.allFiles().count == 4)
      #expect(try logs.looseFiles() == ["\(logs.path)/loose.ndjson.gz"])
      #expect(try logs.listing(of: [first]).count == 4)
      #expect(
        try logs.files(of: first, lineage: 1).isEmpty && logs.files(of: second, lineage: 0).isEmpty
      )
    }
  }

  @Test("A log folder may be named by a link, but no folder in it may be one.")
  func links() throws {
    let files = FileManager.default
    let parts = ["store=\(first)", "store=\(first)/lineage=0"]
    try withFiles([parts[1] + "/date=2026-11-23/\(log(1, 1))"]) { logs in
      let link = logs.path + "-link"
      try files.createSymbolicLink(atPath: link, withDestinationPath: logs.path)
      defer { unlink(link) }
      for folder in [logs, LogFolder(link)] {
        #expect(try folder.stores() == [first] && folder.lineages(of: first) == [0])
        #expect(try folder.files(of: first, lineage: 0).map(\.range) == [1...1])
      }
      for part in parts + [parts[1] + "/date=2026-11-23"] {
        let (path, aside) = ("\(logs.path)/\(part)", logs.path + "/aside")
        try files.moveItem(atPath: path, toPath: aside)
        try files.createSymbolicLink(atPath: path, withDestinationPath: aside)
        #expect(try logs.lineages(of: first).isEmpty, "\(part)")
        if part != parts[0] { #expect(try logs.files(of: first, lineage: 0).isEmpty) }
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: aside, toPath: path)
      }
    }
  }

  @Test("A store has the lineages that have logs or snapshots, in ascending order.")
  func lineages() throws {
    try withFiles([
      "store=\(first)/lineage=10/date=d/\(log(1, 1))",
      "store=\(first)/lineage=2/snapshots/\(padded(1)).ndjson.gz",
      "store=\(first)/lineage=3/date=d/notes", "store=\(first)/lineage=-1/date=d/\(log(1, 1))",
      "store=\(first)/lineage=x/date=d/\(log(1, 1))",
      "store=\(first)/lineage=\(1 << 62)/date=d/\(log(1, 1))",
      "store=\(first)/lineage=0/date=d/\(log(1, 1))", "store=\(second)/file", "others/file",
      "store=\(first.lowercased())/lineage=0/date=d/\(log(1, 1))",
    ]) { (logs) throws in
      #expect(try logs.stores() == [first, second])
      #expect(try logs.lineages(of: first) == [0, 2, 10])
      #expect(try logs.lineages(of: second) == [])
      #expect(logs.exists && !LogFolder(logs.path + "/none").exists)
      #expect(!LogFolder(logs.path + "/store=\(second)/file").exists)
    }
  }

  @Test("Each kind of filtered log has a separate folder that is named for what was left out.")
  func partials() throws {
    let name = LogFolder.partialName("entities Trip")
    #expect(name.count == 8 && name != LogFolder.partialName("entities Tag"))
    let logs = LogFolder("/logs//").partial(leavingOut: "entities Trip")
    #expect(logs.path == "/logs" && logs.partial == name && LogFolder("/").path == "/")
    #expect(logs.storeFolder(first) == "/logs/store=\(first)/partial=\(name)")
    #expect(
      logs.lineageFolder(first, lineage: 3) == "/logs/store=\(first)/partial=\(name)/lineage=3"
    )
    #expect(logs.token(of: first) == "/logs/store=\(first)/partial=\(name)/_token.json")
    #expect(
      LogFolder("/logs").erasures(of: first, lineage: 0)
        == "/logs/store=\(first)/lineage=0/_erasures.ndjson"
    )
    try withFiles([
      "store=\(first)/partial=\(name)/lineage=0/date=d/\(log(1, 1))",
      "store=\(first)/lineage=0/date=d/\(log(1, 2))",
    ]) { (logs) throws in
      #expect(try logs.partials(of: first) == [name])
      #expect(try logs.partial(named: name).files(of: first, lineage: 0).map(\.range) == [1...1])
      #expect(try logs.allFiles().count == 2)
    }
  }

  @Test("Only the files that a stopped program left half-written are removed.")
  func leftovers() throws {
    let kept = [
      "store=\(first)/lineage=0/writing", "store=\(first)/lineage=0/.other",
      "store=\(second)/lineage=0/.writing",
      "blobs/\(String(repeating: "0", count: 64))",
    ]
    let removed = [
      "store=\(first)/lineage=0/.writing", "store=\(first)/partial=p/lineage=1/.writing",
      "blobs/.a.writing",
    ]
    try withFiles(kept + removed) { logs in
      try logs.removeLeftovers(of: first)
      for file in kept { #expect(FileManager.default.fileExists(atPath: "\(logs.path)/\(file)")) }
      for file in removed {
        #expect(!FileManager.default.fileExists(atPath: "\(logs.path)/\(file)"))
      }
    }
  }

  @Test("What readers would take for a log, and is not one in its place, is a stray.")
  func strays() throws {
    let store = "11111111-2222-3333-4444-55555555555A"
    let day = "store=\(store)/lineage=0/date=2026-11-23"
    let inPlace = [
      "\(day)/\(log(1, 1))", "\(day)/_\(log(1, 1).dropLast(9)).members.ndjson",
      "\(day)/.hidden.ndjson.gz", "\(day)/notes.txt", "store=\(store)/_token.json",
      "store=\(store)/lineage=0/snapshots/\(padded(1)).ndjson.gz", "other/x.ndjson.gz",
      "store=\(store)/partial=1/lineage=0/date=2026-11-23/\(log(1, 1))",
    ]
    let strays = [
      "\(day)/\(log(1, 1).dropLast(10)) (1).ndjson.gz", "\(day)/zz.ndjson.gz",
      "\(day)/_x.ndjson.gz", "\(day)/\(padded(2))-\(padded(1)).ndjson.gz",
      "\(day)/below/\(log(2, 2))", "store=\(store)/lineage=00/date=2026-11-23/\(log(1, 1))",
      "store=\(store)/lineage=x/\(log(1, 1))", "store=\(store)/\(log(1, 1))",
      "store=\(store)/lineage=0/\(log(3, 3))",
    ]
    try withFiles(inPlace + strays) { (logs) throws in
      #expect(
        try logs.strays(of: store).map(\.path).sorted()
          == strays.map { "\(logs.path)/\($0)" }.sorted()
      )
      let partial = logs.partial(named: "1")
      #expect(try partial.strays(of: store).isEmpty)
      #expect(try logs.strays().isEmpty)
      let small = store.lowercased()
      #expect(symlink("\(logs.path)/store=\(store)", "\(logs.path)/store=\(small)") == 0)
      #expect(symlink("/dev", "\(logs.path)/blobs") == 0)
      #expect(
        try logs.strays().map(\.path) == ["blobs", "store=\(small)"].map { "\(logs.path)/\($0)" }
      )
      #expect(try logs.stores() == [store])
      #expect(mkfifo("\(logs.path)/\(day)/pipe", 0o600) == 0)
      #expect(try logs.strays(of: store).count == strays.count + 1)
    }
    let small = "store=\(store.lowercased())/lineage=0/date=2026-11-23/\(log(1, 1))"
    try withFiles([small]) { (logs) throws in
      #expect(try logs.strays(of: store.lowercased()).count == 1)
    }
  }

  @Test("A large value is written once, if it has its digest, and checked by its bytes and size.")
  func values() throws {
    try withFiles([]) { logs in
      let value = Data("large".utf8)
      let digest = SHA256.digest(of: Array(value)).description
      let other = String(repeating: "0", count: 64)
      #expect(throws: LogError.self) { try logs.blobs.value(digest) }
      try logs.blobs.write(.bytes(value), digest: digest)
      try logs.blobs.write(.bytes(Data()), digest: digest)
      #expect(try Data(contentsOf: URL(fileURLWithPath: logs.blobs.file(digest))) == value)
      try logs.blobs.check(digest, size: 5)
      #expect(throws: StoreError.self) { try logs.blobs.write(.bytes(value), digest: other) }
      #expect(!logs.blobs.contains(other) && logs.blobs.contains(digest))
      try writeDurably(Array(value), to: logs.blobs.file(other))
      for (digest, size, code) in [
        (digest, Int64(4), LogError.Code.damaged), (digest, 6, .damaged), (other, 5, .damaged),
        (String(repeating: "1", count: 64), 5, .missing),
      ] {
        let error = #expect(throws: LogError.self) { try logs.blobs.check(digest, size: size) }
        #expect(error?.code == code)
      }
      // A file that begins with the value, and has one byte more; files are read in pieces.
      for count in [1, 5, 1 << 18, 1 << 19] {
        let long = Data(count: count)
        let digest = SHA256.digest(of: Array(long)).description
        try logs.blobs.write(.bytes(long), digest: digest)
        try logs.blobs.check(digest, size: Int64(count))
        try (long + [0]).write(to: URL(fileURLWithPath: logs.blobs.file(digest)))
        let error = #expect(throws: LogError.self) {
          try logs.blobs.check(digest, size: Int64(count))
        }
        #expect(error?.code == .damaged)
      }
    }
  }

  @Test("Logs that appear in a folder are found also if its name is not ASCII.")
  func sourcesElsewhere() throws {
    for path in ["/tmp/a", "/tmp/ä", "/tmp/🏔️🏔️"] {
      var logs = LogFolder(path)
      let log = LogName(store: first, lineage: 0, day: "2026-11-23", range: 1...2)
      logs.sources = [path + "/" + log.path: "/elsewhere/log.ndjson.gz", path + "/blobs": "/blobs"]
      #expect(try logs.entries(path).map(\.name) == ["blobs", "store=\(first)"])
      #expect(try logs.stores() == [first] && logs.lineages(of: first) == [0])
      let files = try logs.files(of: first, lineage: 0)
      #expect(files.map(\.path) == ["/elsewhere/log.ndjson.gz"] && files.map(\.range) == [1...2])
    }
  }
}
