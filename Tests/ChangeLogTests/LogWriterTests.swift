import Changes
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Writing a log")
struct LogWriterTests {
  private let digest = SHA256.digest(of: [1])

  private func header(first: Int64 = 1) -> LogHeader {
    LogHeader(
      store: writtenStore,
      lineage: 0,
      first: first,
      previous: TransactionDigest.beginning(ofStore: writtenStore, lineage: 0),
      schema: tripSchema
    )
  }

  private func transaction(_ id: Int64, count: Int64 = 0) -> Transaction {
    var transaction = Transaction(
      id: id,
      time: "2026-11-23T12:00:00.000001Z",
      schema: "s",
      count: count,
      seed: count == 0 ? nil : Seed(bytes: [UInt8](repeating: 1, count: 16))
    )
    transaction.digest = digest
    return transaction
  }

  private func closing(_ transaction: Transaction) -> [UInt8] {
    var line: [UInt8] = []
    TransactionLines(transaction).appendClosing(digest: transaction.digest, to: &line)
    return line
  }

  private func withChange(_ after: [UInt8], _ body: (Change) throws -> Void) rethrows {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    try Array("Person".utf8).withUnsafeBytes { entity in
      try after.withUnsafeBytes { after in
        try body(
          Change(
            kind: .insert,
            sequence: 0,
            entity: entity,
            object: 7,
            changed: none,
            before: none,
            after: after,
            special: none,
            large: none
          )
        )
      }
    }
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("The line of a change may have 32 MiB, whatever precedes it, and not one byte more.")
  func longestLine() throws {
    try withTemporaryFolder { folder in
      let lines = TransactionLines(transaction(1, count: 1))
      var short: [UInt8] = []
      withChange([0x61]) { lines.append($0, to: &short) }
      let limit = 33_554_432
      let writer = try LogWriter(
        .day("2026-11-23", LogFolder(folder.path)),
        header: header(),
        memberSize: 1 << 30
      )
      let fitting = [UInt8](repeating: 0x61, count: limit - short.count + 1)
      for _ in 0..<2 { try withChange(fitting) { try writer.append($0, lines: lines) } }
      #expect(try writer.sizes.plain == Int64(header().line().count + 2 * limit))
      let error = #expect(throws: LogError.self) {
        try withChange(fitting + [0x61]) { try writer.append($0, lines: lines) }
      }
      #expect(error?.code == .lineTooLong && error?.transaction == 1)
      #expect(
        error?.message.hasPrefix(
          "Transaction 1 has a change whose line is 33554433 bytes long; the limit is 33554432."
        ) == true
      )
    }
  }

  @Test("Lines that are written together are refused if one of them is longer than 32 MiB.")
  func longLines() throws {
    try withTemporaryFolder { folder in
      let limit = 33_554_432
      let writer = try LogWriter(
        .day("2026-11-23", LogFolder(folder.path)),
        header: header(first: 5),
        memberSize: 1 << 30
      )
      let line = [UInt8](repeating: 0x61, count: limit)
      let error = #expect(throws: LogError.self) {
        try (line + [0x0a]).withUnsafeBytes { try writer.append(lines: $0, changes: 1) }
      }
      #expect(error?.code == .lineTooLong && error?.transaction == 5)
      #expect(error?.message.contains("line is 33554433 bytes long; the limit is 33554432") == true)
    }
  }

  @Test("The sizes of a log grow with its lines, and are those of the file at its end.")
  func sizes() throws {
    try withTemporaryFolder { folder in
      let writer = try LogWriter(.day("2026-11-23", LogFolder(folder.path)), header: header())
      var plain = try header().line().count
      #expect(writer.sizes.plain == Int64(plain) && writer.sizes.compressed == 0)
      #expect(writer.estimatedSize == Int64(plain / 4))
      let transaction = transaction(1)
      try writer.close(transaction, lines: TransactionLines(transaction))
      plain += closing(transaction).count
      #expect(writer.sizes.plain == Int64(plain) && writer.sizes.compressed == 0)
      #expect(writer.estimatedSize == Int64(plain / 4))
      let path = try writer.finish()
      let lines = try gunzipLines(path)
      #expect(writer.sizes.plain == Int64(lines.joined().count))
      #expect(writer.sizes.compressed == size(of: path) && writer.estimatedSize == size(of: path))
      #expect(mode(path) == 0o600)
    }
  }

  @Test("A member ends with the line that reaches the size of a member, and has an entry.")
  func members() throws {
    let header = try header().line()
    let closings = (1...60).map { closing(transaction($0)) }
    for size in [
      header.count, header.count + closings[0].count - 1, header.count + closings[0].count,
      header.count + closings[0].count + 1, header.count + 5000,
    ] {
      try withTemporaryFolder { folder in
        let writer = try LogWriter(
          .day("2026-11-23", LogFolder(folder.path)),
          header: self.header(),
          memberSize: size
        )
        for id in Int64(1)...60 {
          try writer.close(transaction(id), lines: TransactionLines(transaction(id)))
        }
        let path = try writer.finish()
        let text = header + closings.joined()
        let trailer = LogTrailer(
          last: 60,
          transactions: 60,
          changes: 0,
          digest: SHA256.digest(of: text)
        )
        var (block, file, entries) = (header, [UInt8](), [LogMembers.Entry]())
        var first: LogMembers.Entry?
        for (index, closing) in closings.enumerated() {
          if first == nil, !file.isEmpty {
            first = LogMembers.Entry(
              offset: Int64(file.count),
              begins: Int64(block.count),
              transaction: Int64(index) + 1
            )
          }
          block += closing
          guard block.count >= size else { continue }
          file += try gzipMember(of: block, path: path)
          if let entry = first { entries.append(entry) }
          (block, first) = ([], nil)
        }
        if let entry = first { entries.append(entry) }
        file += try gzipMember(of: block + trailer.line(), path: path)
        #expect(try bytes(path) == file, "\(size)")
        var found: [LogMembers.Entry] = []
        _ = LogMembers.readEntries(of: path, size: Int64(file.count)) { found.append($0) }
        // No reader starts after the last transaction.
        #expect(found == entries.filter { $0.transaction < 60 }, "\(size)")
      }
    }
  }

  @Test("A log that exists is not written again unless it is replaced, and nothing else is left.")
  func existing() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let (path, _) = try writeLog(to: .day("2026-11-23", logs))
      let before = try bytes(path)
      let error = #expect(throws: LogError.self) {
        try writeLog(to: .day("2026-11-23", logs), name: "other")
      }
      #expect(error?.code == .exists && error?.path == path)
      #expect(error?.message == "The log \(path) exists already.")
      #expect(try bytes(path) == before)
      let lineage = logs.lineageFolder(writtenStore, lineage: 0)
      #expect(try names(in: lineage) == ["date=2026-11-23"])
      let replaced = try writeLog(to: .replacing(path, logs), name: "other")
      #expect(try replaced.path == path && bytes(path) != before)
      #expect(try names(in: lineage) == ["date=2026-11-23"])
    }
  }

  @Test("If the step before the renaming fails, no log and no temporary file is left.")
  func failedStep() throws {
    struct Stopped: Error {}
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let writer = try LogWriter(.day("2026-11-23", logs), header: header())
      #expect(throws: Stopped.self) { try writer.finish { throw Stopped() } }
      let lineage = logs.lineageFolder(writtenStore, lineage: 0)
      #expect(try names(in: lineage) == ["date=2026-11-23"])
      #expect(try names(in: lineage + "/date=2026-11-23") == [])
    }
  }

  @Test("A finished writer that is released leaves the file of the next writer alone.")
  func nextWriter() throws {
    try withTemporaryFolder { folder in
      let destination = LogDestination.day("2026-11-23", LogFolder(folder.path))
      var finished: LogWriter? = try LogWriter(destination, header: header())
      _ = try finished?.finish()
      let next = try LogWriter(destination, header: header(first: 2))
      finished = nil
      let path = try next.finish()
      #expect(try gunzipLines(path).count == 2)
      #expect(path.hasSuffix("/\(padded(2))-\(padded(2)).ndjson.gz"))
    }
  }

  @Test("The levels of compression are those of libdeflate or those of zlib.")
  func levels() {
    #expect([0...12, 0...9].contains(LogWriter.levels))
    let writing = #expect(throws: LogError.self) {
      try LogWriter(.stream(-1, name: "a stream"), header: header(), level: 13)
    }
    #expect(
      writing?.message.hasPrefix("The log a stream can't be compressed at level 13; levels are 0")
        == true
    )
  }

  @Test("An empty member in a stream is a gzip file without content.")
  func nothing() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/stream"
      let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
      try LogWriter.writeNothing(to: descriptor, name: "a stream")
      close(descriptor)
      #expect(try bytes(path) == gzipMember(of: [], level: 1, path: path))
      #expect(try gunzipLines(path).isEmpty)
    }
  }

  private let record = ErasureRecord(
    time: "2026-11-23T12:00:00.000001Z",
    transaction: 1,
    operation: .recorded,
    digest: SHA256.digest(of: [2]),
    lines: SHA256.digest(of: [3])
  )

  @Test("In a stream, erasure records follow the log in a member, and the stream stays open.")
  func stream() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/stream"
      for records in [[], [record]] {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        var erasures = Erasures(store: writtenStore, lineage: 0)
        var writer: LogWriter? = try LogWriter(
          .stream(descriptor, name: "a stream"),
          header: header()
        )
        let transaction = transaction(1)
        try writer?.close(transaction, lines: TransactionLines(transaction))
        #expect(try writer?.finish(&erasures, adding: records) == "a stream")
        let text = try header().line() + closing(transaction)
        let trailer = LogTrailer(
          last: 1,
          transactions: 1,
          changes: 0,
          digest: SHA256.digest(of: text)
        )
        var expected = try gzipMember(of: text + trailer.line(), path: path)
        var all = Erasures(store: writtenStore, lineage: 0)
        for record in records {
          expected += try gzipMember(of: all.append(record) ?? [], path: path)
        }
        #expect(try bytes(path) == expected)
        #expect(erasures.count == records.count && erasures.head == all.head)
        #expect(writer?.sizes.compressed == Int64(expected.count))
        writer = nil
        #expect(fcntl(descriptor, F_GETFD) >= 0)
      }
    }
  }

  @Test("In a folder, erasure records are appended to the records of the lineage.")
  func recordsInFolder() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let path = logs.erasures(of: writtenStore, lineage: 0)
      var erasures = Erasures(store: writtenStore, lineage: 0)
      for (first, records, count) in [(Int64(1), [], 0), (2, [record], 1), (3, [], 1)] {
        let writer = try LogWriter(.day("2026-11-23", logs), header: header(first: first))
        let log = try writer.finish(&erasures, adding: records)
        #expect(try gunzipLines(log).count == 2)
        #expect(FileManager.default.fileExists(atPath: path) == (count > 0))
        #expect(try Erasures(path: path, store: writtenStore, lineage: 0).count == count)
        #expect(erasures.count == count)
      }
    }
  }

  @Test("An omitted transaction is the last one of its log, and omitted lines are not changes.")
  func omissions() throws {
    for lines in [nil, 0..<1] as [Range<Int64>?] {
      try withTemporaryFolder { folder in
        let writer = try LogWriter(
          .day("2026-11-23", LogFolder(folder.path)),
          header: header(first: 4)
        )
        let omission = Omission(transaction: 4, lines: lines)
        try Array("omitted\n".utf8).withUnsafeBytes { try writer.append(omission, line: $0) }
        let path = try writer.finish()
        let text = try header(first: 4).line() + Array("omitted\n".utf8)
        let trailer = LogTrailer(
          last: lines == nil ? 4 : 3,
          transactions: 0,
          changes: 0,
          digest: SHA256.digest(of: text)
        )
        #expect(try Array(gunzipLines(path).joined()) == text + trailer.line())
        #expect(path.hasSuffix("/\(padded(4))-\(padded(4)).ndjson.gz"))
      }
    }
  }

  @Test("Lines that are written together count as the changes that the caller states.")
  func statedChanges() throws {
    try withTemporaryFolder { folder in
      let writer = try LogWriter(.day("2026-11-23", LogFolder(folder.path)), header: header())
      try Array("a\nb\n".utf8).withUnsafeBytes { try writer.append(lines: $0, changes: 2) }
      try [UInt8]().withUnsafeBytes { try writer.append(lines: $0, changes: 0) }
      try withChange(Array("{}".utf8)) {
        try writer.append($0, lines: TransactionLines(transaction(1, count: 1)))
      }
      let lines = try gunzipLines(writer.finish())
      #expect(lines.count == 5)
      let trailer = String(decoding: lines[4], as: UTF8.self)
      #expect(trailer.hasSuffix(#","meta":{"last":0,"transactions":0,"changes":3}}"# + "\n"))
    }
  }
}
