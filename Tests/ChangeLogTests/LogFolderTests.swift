import Changes
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

  @Test("A path of a log folder has no slash at its end, unless it is the root.")
  func paths() {
    for (path, expected) in [
      ("/", "/"), ("//", "/"), ("a/", "a"), ("a", "a"), ("/a//", "/a"), ("/a/b/", "/a/b"),
    ] {
      #expect(LogFolder(path).path == expected)
    }
  }

  @Test("A log in the folder of another day than that of its first transaction is damaged.")
  func days() throws {
    let first = Transaction(id: 7, time: "2026-11-23T12:00:00.000001Z", schema: "s", count: 0)
    for folder in ["date=2026-11-23", "snapshots", "other", "2026-11-22"] {
      try LogFolder.File(path: "/logs/\(folder)/a", range: 7...7).checkDay(first)
    }
    for folder in ["date=2026-11-22", "date=", "date=2026-11-23T", "date=2026-11-2"] {
      let path = "/logs/\(folder)/a"
      let error = #expect(throws: LogError.self) {
        try LogFolder.File(path: path, range: 7...7).checkDay(first)
      }
      #expect(error?.code == .damaged && error?.path == path && error?.transaction == 7)
      #expect(
        error?.message == "The log \(path) is in the folder of another day: its first transaction"
          + " was on 2026-11-23."
      )
      #expect(error?.hint == "Move the log to the folder date=2026-11-23.")
    }
  }

  @Test("The name of a snapshot has twenty digits and the ending of a log, and nothing else.")
  func snapshotNames() throws {
    let folder = "store=\(first)/lineage=0/snapshots"
    let names = [
      "\(padded(5)).ndjson.gz", "\(padded(6))x.ndjson.gz", "\(padded(7)).ndjson.gx",
      "\(padded(8).dropFirst()).ndjson.gz", "\(padded(0)).ndjson.gz",
      "\(padded(1 << 62)).ndjson.gz", "\(padded(1 << 62 - 1)).ndjson.gz",
      "0000000000000000000x.ndjson.gz",
    ]
    try withFiles(names.map { "\(folder)/\($0)" }) { (logs) throws in
      let snapshots = try logs.snapshots(of: first, lineage: 0)
      #expect(snapshots.map(\.range.lowerBound) == [5, 1 << 62 - 1])
      #expect(snapshots.map(\.range.upperBound) == [5, 1 << 62 - 1])
    }
  }

  @Test("Only folders have the names of stores and partial logs.")
  func names() throws {
    let files = [
      "store=x/file", "store=y", "others/file", "xstore=/file", "store=x/partial=p/file",
      "store=x/partial=q", "store=x/other/file",
    ]
    try withFiles(files) { (logs) throws in
      #expect(try logs.storeNames() == ["x"])
      #expect(try logs.partials(of: "x") == ["p"])
      #expect(try logs.partials(of: "z") == [])
    }
  }

  @Test("The names in a folder of files that are elsewhere are those of their paths.")
  func sources() throws {
    var logs = LogFolder("/logs")
    let day = "store=\(first.lowercased())/lineage=0/date=2026-11-23"
    logs.sources = [
      "/logs/\(day)/\(log(2, 2))": "/b", "/logs/\(day)/\(log(1, 1))": "/a", "/logs/blobs": "/c",
    ]
    #expect(
      try logs.entries("/logs") == [
        FolderEntry(name: "blobs", kind: .file),
        FolderEntry(name: "store=\(first.lowercased())", kind: .folder),
      ]
    )
    #expect(try logs.entries("/logs/store").isEmpty)
    #expect(
      try logs.files(of: first.lowercased(), lineage: 0).map(\.path) == ["/a", "/b"]
    )
    #expect(logs.blobs.path == "/c" && LogFolder("/logs").blobs.path == "/logs/blobs")
    // These files are not in the folder, so they are not strays in it.
    #expect(try logs.strays().isEmpty && logs.strays(of: first.lowercased()).isEmpty)
  }

  @Test("Each stray in a log folder is reported as what it is, and other files are not reported.")
  func kindsOfStrays() throws {
    let store = "store=\(first)"
    let lineage = "\(store)/lineage=0"
    let files = [
      "blobs", "\(store).tar.gz", "other", "\(lineage)/other/\(log(4, 4))",
      "\(store)/date=2026-11-23/\(log(5, 5))", "\(store)/.hidden/\(log(6, 6))",
      "\(lineage)/date=2026-11-23/\(log(1, 1))", "\(lineage)/date=2026-11-23/date=x/\(log(1, 1))",
    ]
    try withFiles(files) { (logs) throws in
      let (link, pipe) = ("\(logs.path)/store=link", "\(logs.path)/\(lineage)/pipe")
      #expect(symlink("/dev", link) == 0 && symlink("/dev", logs.path + "/link") == 0)
      #expect(mkfifo(pipe, 0o600) == 0)
      let isRead = "is not one of the folder's logs, but other programs would read it as a log."
      #expect(
        try logs.strays().map(\.message) == [
          "\(logs.path)/blobs \(isRead)",
          "\(logs.path)/link is a symbolic link, not a file, and was not read.",
          "\(link) is a symbolic link, not a file, and was not read.",
        ]
      )
      #expect(
        try logs.strays(of: first).map(\.message).sorted()
          == [
            "\(logs.path)/\(files[4]) \(isRead)",
            "\(logs.path)/\(files[7]) \(isRead)", "\(logs.path)/\(files[3]) \(isRead)",
            "\(pipe) is a pipe, not a file, and was not read.",
          ].sorted()
      )
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
