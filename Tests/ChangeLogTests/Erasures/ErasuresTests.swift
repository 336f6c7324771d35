import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Erasure records")
struct ErasuresTests {
  private func record(
    _ transaction: Int64,
    _ change: (inout ErasureRecord) -> Void = { _ in }
  ) -> ErasureRecord {
    var record = ErasureRecord(
      time: "2026-11-23T12:00:00.000001Z",
      transaction: transaction,
      operation: .recorded,
      digest: SHA256.digest(of: [UInt8(transaction)]),
      lines: SHA256.digest(of: [UInt8(transaction), 1])
    )
    change(&record)
    return record
  }

  private var records: [ErasureRecord] {
    [
      record(1),
      record(2) {
        $0.author = "me \"x\""
        $0.reason = "asked"
        $0.object = ObjectName("Trip", id: -7)
        $0.attributes = ["name", "a\nb"]
        $0.operation = .snapshot
      },
      record(2) { $0.lines = SHA256.digest(of: [9]) },
      record(3) { $0.attributes = ["name"] },
    ]
  }

  @Test("Erasure records are read as they were written, and only in their order.")
  func roundTrip() throws {
    var previous = ErasureRecord.beginning(ofStore: "s", lineage: 0)
    for record in records {
      let (line, digest) = record.line(after: previous)
      try line.dropLast().withUnsafeBytes { (bytes) throws in
        #expect(try ErasureRecord(line: bytes, after: previous) == record)
        #expect(throws: Refusal.self) { try ErasureRecord(line: bytes, after: digest) }
      }
      previous = digest
    }
  }

  @Test("Erasure records are refused if a byte is altered or one of them is missing.")
  func altered() {
    let previous = ErasureRecord.beginning(ofStore: "s", lineage: 0)
    let line = Array(records[1].line(after: previous).line.dropLast())
    func isRead(_ line: [UInt8]) -> Bool {
      line.withUnsafeBytes { (try? ErasureRecord(line: $0, after: previous)) != nil }
    }
    #expect(isRead(line))
    for place in line.indices {
      var shorter = line
      shorter.remove(at: place)
      #expect(!isRead(shorter), "\(place)")
      for byte in [line[place] ^ 1, line[place] ^ 0x20, UInt8(ascii: "\""), 0x30]
      where byte != line[place] {
        var altered = line
        altered[place] = byte
        #expect(!isRead(altered), "\(place)")
      }
    }
  }

  @Test("The entry of an erased transaction has the digests of its lines after all erasures.")
  func entries() {
    var erasures = Erasures(store: "s", lineage: 0)
    #expect(erasures.count == 0 && erasures.length == 0)
    var length = 0
    for record in records {
      length += erasures.append(record)?.count ?? 0
      #expect(erasures.append(record) == nil)
    }
    #expect(erasures.count == 4 && erasures.length == Int64(length))
    #expect(erasures.entries.count == 3)
    let entry = erasures.entries[SHA256.digest(of: [2])]
    #expect(entry?.transaction == 2 && entry?.isSnapshot == true)
    #expect(entry?.lines == [SHA256.digest(of: [2, 1]), SHA256.digest(of: [9])])
    #expect(erasures.entries[SHA256.digest(of: [1])]?.isSnapshot == false)
  }

  @Test("Records are appended after a file's last complete line, and an altered file is refused.")
  func file() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/lineage/erasures"
      func read() throws -> Erasures { try Erasures(path: path, store: "s", lineage: 0) }
      #expect(try read().count == 0)
      var erasures = try read()
      try erasures.append(Array(records[..<2]), to: path)
      let url = URL(fileURLWithPath: path)
      let whole = try Data(contentsOf: url)
      #expect(try read().head == erasures.head && read().length == Int64(whole.count))
      try (whole + Data(#"{"kind":"eras"#.utf8)).write(to: url)
      var again = try read()
      #expect(again.count == 2)
      try again.append([], to: path)
      try again.append(Array(records[2...]), to: path)
      #expect(try read().count == 4 && read().head == again.head)
      let lines = try Data(contentsOf: url)
      try (lines[..<10] + [0x39] + lines[11...]).write(to: url)
      let error = #expect(throws: LogError.self) { try read() }
      #expect(error?.code == .damaged && error?.line == 1)
      let other = #expect(throws: LogError.self) {
        try lines.write(to: url)
        _ = try Erasures(path: path, store: "s", lineage: 1)
      }
      #expect(other?.line == 1)
    }
  }

  @Test(
    "The records of a log are in the folder of its lineage, or beside a log outside such a folder.",
    arguments: [
      ("/l/lineage=0/date=2026-11-23/a", "/l/lineage=0/"),
      ("/l/lineage=0/snapshots/a", "/l/lineage=0/"),
      ("/l/other/a", "/l/other/"),
    ]
  )
  func place(log: String, folder: String) {
    #expect(Erasures.path(near: log) == folder + LogFolder.erasuresName)
  }

  @Test("The bytes after the last record may be 1 MiB, and not one byte more.")
  func bytesAfterRecords() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/erasures"
      for (count, isRight) in [(1 << 20, true), (1 << 20 + 1, false)] {
        try Data(repeating: 0x61, count: count).write(to: URL(fileURLWithPath: path))
        if isRight {
          #expect(try Erasures(path: path, store: "s", lineage: 0).count == 0)
        } else {
          let error = #expect(throws: LogError.self) {
            _ = try Erasures(path: path, store: "s", lineage: 0)
          }
          #expect(error?.code == .damaged && error?.path == path)
        }
      }
    }
  }
}
