import Format
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Logs that are gathered into a folder")
struct LogSpoolTests {
  /// Writes bytes to a file, and gathers them as a stream.
  private func spool(
    _ bytes: Data,
    _ folder: URL,
    acceptsDamage: Bool = false
  ) throws -> LogSpool {
    let url = folder.appendingPathComponent("stream-\(UUID().uuidString)")
    try bytes.write(to: url)
    let input = try FileHandle(forReadingFrom: url)
    defer { try? input.close() }  // It was only read.
    return try LogSpool(
      stream: input.fileDescriptor,
      name: "a stream",
      acceptsDamage: acceptsDamage
    )
  }

  private func logs(_ folder: URL) throws -> [Data] {
    let logs = LogFolder(folder.path + "/logs")
    let first = try writeLog(to: .day("2026-11-23", logs))
    let second = try writeLog(to: .day("2026-11-23", logs), first: 2, after: first.digest)
    return try [first, second].map { try Data(contentsOf: URL(fileURLWithPath: $0.path)) }
  }

  private func gathered(_ spool: LogSpool) throws -> [ClosedRange<Int64>] {
    try spool.folder.files(of: writtenStore, lineage: 0).map(\.range)
  }

  @Test("The logs of a stream get the names that they had, and messages name the stream.")
  func stream() throws {
    try withTemporaryFolder { folder in
      let logs = try logs(folder)
      let spool = try spool(logs[0] + logs[1], folder)
      #expect(!spool.isEmpty && spool.failures.isEmpty)
      #expect(try gathered(spool) == [1...1, 2...2])
      let files = try spool.folder.files(of: writtenStore, lineage: 0).map(\.path)
      #expect(files.allSatisfy { $0.contains("/date=2026-11-23/") })
      #expect(spool.naming("see \(files[0])") == "see a stream")
      #expect(spool.naming("see \(files[1])") == "see a stream (log 2)")
      #expect(spool.naming("in \(spool.folder.path)") == "in a stream")
    }
  }

  @Test("A snapshot inside a lineage is gathered as a snapshot, and one at its beginning as a log.")
  func snapshots() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path + "/logs")
      let snapshot = try writeLog(
        to: .snapshot(logs),
        first: 7,
        after: SHA256.digest(of: [7]),
        operation: .snapshot
      )
      let data = try Data(contentsOf: URL(fileURLWithPath: snapshot.path))
      for spool in [try spool(data, folder), try LogSpool(files: [snapshot.path])] {
        #expect(try gathered(spool) == [])
        #expect(try spool.folder.snapshots(of: writtenStore, lineage: 0).count == 1)
      }
      let beginning = LogFolder(folder.path + "/beginning")
      let first = try writeLog(to: .day("2026-11-23", beginning), operation: .snapshot)
      let spool = try LogSpool(files: [first.path])
      #expect(try gathered(spool) == [1...1])
    }
  }

  @Test("A log whose day is not a date is gathered into a folder that no path leaves.")
  func days() {
    let header = LogHeader(
      store: writtenStore,
      lineage: 0,
      first: 1,
      previous: SHA256.digest(of: []),
      schema: tripSchema
    )
    for (day, expected) in [
      ("2026-11-23", "2026-11-23"), ("../../evil", "none"), ("2026-11-2", "none"), ("", "none"),
      ("2026-11-233", "none"), ("2026/11/23", "none"),
    ] {
      let place = LogFolder("/logs").place(header, day: day, isSnapshot: false)
      guard case .day(expected, _) = place else {
        Issue.record("\(day): \(place)")
        continue
      }
    }
  }

  @Test("A stream that ends early, or does not contain logs, is refused with a code.")
  func refusals() throws {
    try withTemporaryFolder { folder in
      let logs = try logs(folder)
      let cases: [(Data, LogError.Code)] = [
        (Data(), .missing), (logs[0] + logs[1].dropLast(30), .incomplete),
        (logs[0].dropLast(30), .incomplete), (Data("text\n".utf8), .notALog),
      ]
      for (bytes, code) in cases {
        let error = #expect(throws: LogError.self) { try spool(bytes, folder) }
        #expect(error?.code == code, "\(error?.message ?? "")")
      }
    }
  }

  @Test("If damage is accepted, the gathered folder records the failure of a damaged stream.")
  func damage() throws {
    try withTemporaryFolder { folder in
      let logs = try logs(folder)
      let cut = try spool(logs[0] + logs[1].dropLast(30), folder, acceptsDamage: true)
      #expect(cut.failures.map(\.code) == [.incomplete])
      #expect(try gathered(cut).contains(1...1))
      let other = try spool(Data("text\n".utf8), folder, acceptsDamage: true)
      #expect(other.failures.map(\.code) == [.notALog])
      #expect(try gathered(other) == [])
    }
  }

  @Test("Intact logs before damage in a stream are gathered.")
  func damageAfterLogs() throws {
    try withTemporaryFolder { folder in
      let logs = try logs(folder)
      var second = logs[1]
      second[second.count / 2] ^= 0xff
      let spool = try spool(logs[0] + second, folder, acceptsDamage: true)
      #expect(spool.failures.map(\.code) == [.damaged])
      #expect(try gathered(spool) == [1...1])
    }
  }

  @Test("The beginning of a log that a stream cuts off is gathered only if damage is accepted.")
  func cutOffLog() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/a log"
      try logs(folder)[0].write(to: URL(fileURLWithPath: path))
      let compressor = try GzipCompressor(level: 1, path: path)
      // Each line is a member, so that the lines before the damage are read.
      var bytes = Data(try gunzipLines(path).flatMap { try compressor.member(of: $0) })
      let cut = bytes.dropLast(4)
      let error = #expect(throws: LogError.self) { try spool(cut, folder) }
      #expect(error?.code == .incomplete)
      // The readers of the folder report that the end is missing.
      let beginning = try spool(cut, folder, acceptsDamage: true)
      #expect(beginning.failures.isEmpty)
      #expect(try gathered(beginning) == [1...1])
      bytes[bytes.count - 6] ^= 0xff
      let damaged = try spool(bytes, folder, acceptsDamage: true)
      #expect(damaged.failures.map(\.code) == [.damaged])
      #expect(try gathered(damaged) == [1...1])
    }
  }

  @Test("A message names each link, also if its path begins another path, or has an escape.")
  func similarPaths() throws {
    try withTemporaryFolder { folder in
      let logs = try logs(folder)
      let (short, long) = (folder.path + "/log", folder.path + "/log\u{1b}.gz")
      for (path, bytes) in zip([short, long], logs) {
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(symlink(path, path + "-link") == 0)
      }
      let spool = try LogSpool(files: [short + "-link", long + "-link"])
      #expect(spool.naming("see \(withoutLinks(short))") == "see \(short)-link")
      for path in [withoutLinks(long), visible(withoutLinks(long))] {
        #expect(spool.naming("see \(path)") == "see \(long)-link")
      }
    }
  }

  @Test("Files are gathered in any order, each once, with their large values and erasures.")
  func files() throws {
    try withTemporaryFolder { folder in
      _ = try logs(folder)
      let logs = LogFolder(folder.path + "/logs")
      try logs.blobs.write(
        .bytes(Data("large".utf8)),
        digest: SHA256.digest(of: Array("large".utf8)).description
      )
      try Data().write(
        to: URL(fileURLWithPath: logs.erasures(of: writtenStore, lineage: 0))
      )
      let files = try logs.files(of: writtenStore, lineage: 0).map(\.path)
      let spool = try LogSpool(files: files.reversed() + files, of: folder.path)
      #expect(try gathered(spool) == [1...1, 2...2])
      #expect(spool.folder.blobs.contains(SHA256.digest(of: Array("large".utf8)).description))
      #expect(access(spool.folder.erasures(of: writtenStore, lineage: 0), F_OK) == 0)
      #expect(spool.naming(spool.folder.path) == folder.path)
      let link = folder.path + "/link.ndjson.gz"
      #expect(symlink(files[0], link) == 0)
      // A person may name a link; in a folder that somebody sent, it may lead anywhere.
      let linked = try LogSpool(files: [link])
      #expect(try gathered(linked) == [1...1])
      #expect(linked.naming("see \(withoutLinks(files[0]))") == "see \(link)")
      let refusal = #expect(throws: LogError.self) {
        try LogSpool(files: [link], of: folder.path)
      }
      #expect(refusal?.code == .damaged)
      #expect(try LogSpool(files: []).isEmpty)
      let error = #expect(throws: LogError.self) { try LogSpool(files: [folder.path + "/none"]) }
      #expect(error?.code == .missing)
    }
  }

  @Test("A file that is cut off is gathered only if damage is accepted.")
  func cutOffFile() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/cut"
      let whole = URL(fileURLWithPath: path)
      try logs(folder)[0].write(to: whole)
      let compressor = try GzipCompressor(level: 1, path: path)
      // Each line is a member, so that the lines before the damage are read.
      try Data(gunzipLines(path).flatMap { try compressor.member(of: $0) }).dropLast(4)
        .write(to: whole)
      let error = #expect(throws: LogError.self) { try LogSpool(files: [path]) }
      #expect(error?.code == .incomplete && error?.path == path)
      let spool = try LogSpool(files: [path], acceptsDamage: true)
      #expect(spool.failures.isEmpty)
      // The id after the last readable transaction is the end of the log.
      #expect(try gathered(spool) == [1...2])
    }
  }

  /// The lines of a log without its trailer.
  private func beginning(of log: Data, _ folder: URL) throws -> Data {
    let path = folder.path + "/a log"
    try log.write(to: URL(fileURLWithPath: path))
    return try Data(gzipMember(of: Array(gunzipLines(path).dropLast().joined()), path: path))
  }

  /// The lines of a large value in a stream, each as a gzip member.
  private func stream(of value: [UInt8], _ folder: URL) throws -> [Data] {
    let path = folder.path + "/value"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    try LogWriter.write(
      .bytes(Data(value)),
      digest: SHA256.digest(of: value).description,
      size: Int64(value.count),
      level: 1,
      to: descriptor,
      name: "a stream"
    )
    return try gunzipLines(path).map { try Data(gzipMember(of: $0, level: 1, path: path)) }
  }

  @Test(
    "Large values and erasure records follow their log in a stream, and another log may follow."
  )
  func valuesAndErasures() throws {
    try withTemporaryFolder { folder in
      let logs = try logs(folder)
      let large = [UInt8](repeating: 7, count: StreamedValue.pieceSize + 3)
      let small = Array("small".utf8)
      let values = try stream(of: large, folder) + stream(of: small, folder)
      #expect(values.count == 3)
      let records = [#"{"kind":"erasure","a":1}"#, #"{"kind":"erasure","b":2}"#].map { $0 + "\n" }
      let erasures = try records.map { try Data(gzipMember(of: Array($0.utf8), path: "a")) }
      let bytes = logs[0] + Data(values.joined()) + Data(erasures.joined()) + logs[1]
      let spool = try spool(bytes, folder)
      #expect(try gathered(spool) == [1...1, 2...2] && spool.failures.isEmpty)
      for value in [large, small] {
        try spool.folder.blobs.check(
          SHA256.digest(of: value).description,
          size: Int64(value.count)
        )
      }
      let path = spool.folder.erasures(of: writtenStore, lineage: 0)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == records.joined())
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
    }
  }

  @Test("Messages name one file by its path, and several files together.")
  func namesOfFiles() throws {
    try withTemporaryFolder { folder in
      _ = try logs(folder)
      let files = try LogFolder(folder.path + "/logs").files(of: writtenStore, lineage: 0)
        .map(\.path)
      let one = try LogSpool(files: [files[0]])
      #expect(one.naming("in \(one.folder.path)") == "in \(files[0])")
      let both = try LogSpool(files: files)
      #expect(both.naming("in \(both.folder.path)") == "in the files that were given")
      let none = try LogSpool(files: [])
      #expect(none.naming("in \(none.folder.path)") == "in the files that were given")
      #expect(!one.isEmpty && none.isEmpty)
    }
  }

  @Test("Of two files with the same log, the first one is used, with its values and erasures.")
  func twoCopies() throws {
    try withTemporaryFolder { folder in
      let log = try logs(folder)[0]
      for name in ["one", "two"] {
        let copy = folder.path + "/" + name
        try makeFolders(copy + "/blobs")
        try log.write(to: URL(fileURLWithPath: copy + "/a.ndjson.gz"))
        try Data().write(to: URL(fileURLWithPath: "\(copy)/\(LogFolder.erasuresName)"))
      }
      for names in [["one", "two"], ["two", "one"]] {
        let spool = try LogSpool(files: names.map { folder.path + "/\($0)/a.ndjson.gz" })
        let first = folder.path + "/" + names[0]
        #expect(
          try spool.folder.files(of: writtenStore, lineage: 0).map(\.path)
            == [withoutLinks(first + "/a.ndjson.gz")]
        )
        #expect(spool.folder.blobs.path == withoutLinks(first) + "/blobs")
        #expect(
          spool.folder.erasures(of: writtenStore, lineage: 0)
            == "\(withoutLinks(first))/\(LogFolder.erasuresName)"
        )
      }
    }
  }

  @Test("The large values of a file are in its log folder, beside it, or above it.")
  func placesOfValues() throws {
    try withTemporaryFolder { folder in
      let log = try logs(folder)[0]
      let root = withoutLinks(folder.path)
      func blobs(_ file: String, _ existing: [String]) throws -> String {
        let place = root + "/case-\(UUID().uuidString)"
        for name in existing { try makeFolders("\(place)/\(name)") }
        try makeFolders(parentFolder("\(place)/\(file)"))
        try log.write(to: URL(fileURLWithPath: "\(place)/\(file)"))
        return String(
          try LogSpool(files: ["\(place)/\(file)"]).folder.blobs.path.dropFirst(place.count + 1)
        )
      }
      let deep = "logs/store=s/a/b/c.gz"
      let all = ["logs/blobs", "logs/store=s/a/b/blobs", "logs/store=s/a/blobs"]
      #expect(try blobs(deep, all) == all[0])
      #expect(try blobs(deep, Array(all.dropFirst())) == all[1])
      #expect(try blobs(deep, [all[2]]) == all[2])
      #expect(try blobs(deep, []) == "logs/store=s/a/b")
      #expect(try blobs("a/b.gz", ["a/blobs", "blobs"]) == "a/blobs")
      #expect(try blobs("a/b.gz", ["blobs"]) == "blobs")
    }
  }

  @Test("The day and the kind of a log are those of its first transaction.")
  func firstTransaction() throws {
    try withTemporaryFolder { folder in
      for (isSnapshot, expected) in [(false, "date=2026-11-23"), (true, "snapshots")] {
        let header = LogHeader(
          store: writtenStore,
          lineage: 0,
          first: 7,
          previous: SHA256.digest(of: [7]),
          schema: tripSchema
        )
        let name = isSnapshot ? "snapshot" : "log"
        let logs = LogFolder("\(folder.path)/\(name)")
        let writer = try LogWriter(.day("2026-11-23", logs), header: header)
        var previous = header.previous
        for id: Int64 in [7, 8] {
          var transaction = Transaction(
            id: id,
            time: "2026-11-\(id == 7 ? 23 : 24)T12:00:00.000001Z",
            operation: isSnapshot && id == 7 ? .snapshot : .recorded,
            schema: SHA256.digest(of: Array(try tripSchema.json().utf8)).description,
            count: 0
          )
          let lines = TransactionLines(transaction)
          previous = try TransactionDigest(transaction, after: previous).close(lines).transaction
          transaction.digest = previous
          try writer.close(transaction, lines: TransactionLines(transaction))
        }
        let path = try writer.finish()
        let files = try LogSpool(files: [path])
        let stream = try spool(Data(contentsOf: URL(fileURLWithPath: path)), folder)
        for spool in [files, stream] {
          let lineage = spool.folder.lineageFolder(writtenStore, lineage: 0)
          #expect(try spool.folder.entries(lineage).map(\.name) == [expected])
          #expect(try gathered(spool) == (isSnapshot ? [] : [7...8]))
        }
      }
    }
  }
}
