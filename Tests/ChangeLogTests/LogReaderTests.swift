import Changes
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

/// Reading a log whose lines a test writes itself; each line is a gzip member.
@Suite("Reading a log line by line")
struct LogReaderTests {
  /// A transaction of a log: what it is, and the kinds of its changes.
  private struct Part {
    var operation = TransactionOperation.recorded
    var kinds = [ChangeKind.insert]
  }

  private let beginning = TransactionDigest.beginning(ofStore: writtenStore, lineage: 0)
  private let schemaDigest =
    (try? tripSchema.json()).map { SHA256.digest(of: Array($0.utf8)).description } ?? ""

  private func header(partial: String) throws -> [UInt8] {
    try LogHeader(
      store: writtenStore,
      lineage: 0,
      first: 1,
      previous: beginning,
      schema: tripSchema,
      partial: partial
    ).line()
  }

  private func trailer(
    after lines: [[UInt8]],
    last: Int64,
    transactions: Int64,
    changes: Int64
  ) -> [UInt8] {
    LogTrailer(
      last: last,
      transactions: transactions,
      changes: changes,
      digest: SHA256.digest(of: Array(lines.joined()))
    ).line()
  }

  /// The lines of a log from the header to the trailer, with transactions from 1 on.
  private func lines(_ parts: [Part], partial: String = "") throws -> [[UInt8]] {
    var result = [try header(partial: partial)]
    var previous = beginning
    for (index, part) in parts.enumerated() {
      let count = Int64(part.kinds.count)
      var transaction = Transaction(
        id: Int64(index) + 1,
        time: "2026-11-23T12:00:00.000001Z",
        operation: part.operation,
        schema: schemaDigest,
        count: count,
        seed: count == 0 ? nil : Seed(bytes: [UInt8](repeating: 1, count: 16))
      )
      let form = TransactionLines(transaction)
      var digest = TransactionDigest(transaction, after: previous)
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      for (sequence, kind) in part.kinds.enumerated() {
        Array("Person".utf8).withUnsafeBytes { entity in
          Array(#"{"name":"a"}"#.utf8).withUnsafeBytes { values in
            let change = Change(
              kind: kind,
              sequence: Int64(sequence),
              entity: entity,
              object: Int64(sequence) + 1,
              changed: none,
              before: kind == .insert ? none : values,
              after: kind == .delete ? none : values,
              special: none,
              large: none
            )
            digest.take(change)
            var line: [UInt8] = []
            form.append(change, to: &line)
            result.append(line)
          }
        }
      }
      previous = try digest.close(form).transaction
      transaction.digest = previous
      var closing: [UInt8] = []
      TransactionLines(transaction).appendClosing(digest: previous, to: &closing)
      result.append(closing)
    }
    result.append(
      trailer(
        after: result,
        last: Int64(parts.count),
        transactions: Int64(parts.count),
        changes: parts.reduce(0) { $0 + Int64($1.kinds.count) }
      )
    )
    return result
  }

  /// Writes a log, and its members file with an entry for the closing line of each transaction.
  private func write(
    _ lines: [[UInt8]],
    to path: String,
    entry: (LogMembers.Entry) -> LogMembers.Entry? = { $0 }
  ) throws {
    var bytes: [UInt8] = []
    var entries: [LogMembers.Entry] = []
    var closed: Int64 = 0
    for line in lines {
      if line.starts(with: #"{"kind":"transaction","#.utf8) {
        closed += 1
        let own = LogMembers.Entry(offset: Int64(bytes.count), begins: 0, transaction: closed)
        if let changed = entry(own) { entries.append(changed) }
      }
      bytes += try gzipMember(of: line, level: 1, path: path)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try LogMembers.write(
      entries,
      size: Int64(bytes.count),
      of: path,
      temporary: path + ".temporary"
    )
  }

  /// Calls `body` with the path of a log with these lines.
  private func withLog(
    _ lines: [[UInt8]],
    entry: (LogMembers.Entry) -> LogMembers.Entry? = { $0 },
    _ body: (String) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/log.ndjson.gz"
      try write(lines, to: path, entry: entry)
      try body(path)
    }
  }

  /// The ids of the remaining transactions.
  private func ids(_ reader: LogReader) throws -> [Int64] {
    var result: [Int64] = []
    while let transaction = try reader.next() { result.append(transaction.id) }
    return result
  }

  private func expectDamage(
    _ detail: String,
    line: Int,
    lastSound: Int64,
    _ path: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == .damaged, sourceLocation: sourceLocation)
    let message =
      "Line \(line) of the log \(path) was damaged or altered: \(detail). The last sound"
      + " transaction is \(lastSound)."
    #expect(
      error?.message.hasPrefix(message) == true,
      "\(error?.message ?? "")",
      sourceLocation: sourceLocation
    )
    #expect(error?.line == line, sourceLocation: sourceLocation)
    #expect(error?.transaction == lastSound + 1, sourceLocation: sourceLocation)
    #expect(error?.path == path, sourceLocation: sourceLocation)
  }

  // MARK: The trailer

  @Test("A trailer with another count, id or digest is refused, and the error has the right ones.")
  func alteredTrailer() throws {
    let lines = try lines([Part(), Part(kinds: [.insert, .insert])])
    let digest = SHA256.digest(of: Array(lines.dropLast().joined()))
    let right = String(decoding: lines[lines.count - 1], as: UTF8.self)
    try withLog(lines) { path in
      let reader = try LogReader(path: path)
      #expect(try ids(reader) == [1, 2])
    }
    for (part, other) in [
      ("\"last\":2", "\"last\":1"), ("\"last\":2", "\"last\":3"),
      ("\"transactions\":2", "\"transactions\":1"), ("\"transactions\":2", "\"transactions\":3"),
      ("\"changes\":3", "\"changes\":2"), ("\"changes\":3", "\"changes\":4"),
      ("\(digest)", "\(beginning)"), ("}}", "}} "), ("}}", "}"), ("trailer", "trailers"),
    ] {
      let altered = right.replacing(part, with: other)
      #expect(altered != right)
      try withLog(lines.dropLast() + [Array(altered.utf8)]) { path in
        let reader = try LogReader(path: path)
        let isTrailer = altered.contains("\"trailer\"")
        guard isTrailer else {
          #expect(throws: LogError.self) { try ids(reader) }
          return
        }
        expectDamage(
          "the line should be the trailer with last: 2, transactions: 2, changes: 3 and"
            + " digest: \(digest)",
          line: 7,
          lastSound: 2,
          path
        ) { _ = try ids(reader) }
        #expect(reader.trailer == nil)
      }
    }
  }

  @Test("A log without transactions has a trailer with the id before its first transaction.")
  func noTransactions() throws {
    try withLog(lines([])) { path in
      let reader = try LogReader(path: path)
      #expect(reader.end.transaction == 0 && reader.end.digest == beginning)
      #expect(try ids(reader) == [])
      #expect(reader.trailer?.last == 0 && reader.trailer?.changes == 0)
      #expect(!reader.isInside && !reader.beginsWithSnapshot)
      #expect(try reader.next() == nil)
      #expect(reader.bytesRead == size(of: path))
    }
  }

  // MARK: Reading from inside

  @Test("Reading starts after the last entry that closes an earlier transaction.")
  func inside() throws {
    let all = (0..<5).map { _ in Part() }
    try withLog(lines(all)) { path in
      for before in Int64(-1)...8 {
        let reader = try LogReader(path: path)
        let start = min(5, before - 1)
        #expect(reader.goInside(before: before) == (start >= 1), "\(before)")
        #expect(reader.isInside == (start >= 1))
        #expect(!reader.goInside(before: before) || !reader.isInside)
        #expect(try ids(reader) == Array(max(1, start + 1)..<6), "\(before)")
        #expect(reader.trailer?.last == 5 && reader.trailer?.transactions == 5)
        #expect(reader.trailer?.changes == 5)
      }
    }
  }

  @Test(
    "A log is not read from its middle after a transaction was read, or without a members file."
  )
  func notInside() throws {
    try withLog(lines([Part(), Part(), Part()])) { path in
      let reader = try LogReader(path: path)
      #expect(try reader.next()?.id == 1)
      #expect(!reader.goInside(before: 3) && !reader.isInside)
      #expect(try ids(reader) == [2, 3])
      try FileManager.default.removeItem(atPath: LogMembers.path(of: path))
      let whole = try LogReader(path: path)
      #expect(!whole.goInside(before: 3) && !whole.isInside)
      #expect(try ids(whole) == [1, 2, 3])
    }
  }

  @Test("If an entry names another place or transaction, the log is read from its beginning.")
  func wrongEntries() throws {
    let changes: [(inout LogMembers.Entry) -> Void] = [
      { $0.offset += 1 }, { $0.offset -= 1 }, { $0.begins += 1 }, { $0.transaction += 1 },
      { $0.begins = 1 << 40 },
    ]
    for (number, change) in changes.enumerated() {
      func entry(_ own: LogMembers.Entry) -> LogMembers.Entry? {
        guard own.transaction == 2 else { return nil }
        var entry = own
        change(&entry)
        return entry
      }
      try withLog(lines([Part(), Part(), Part()]), entry: entry) { path in
        let reader = try LogReader(path: path)
        #expect(!reader.goInside(before: 9) && !reader.isInside, "\(number)")
        #expect(try ids(reader) == [1, 2, 3], "\(number)")
      }
    }
  }

  @Test("A reader that starts inside accepts the counts of the trailer, but not another last id.")
  func trailerFromInside() throws {
    let lines = try lines([Part(), Part(), Part()])
    let right = String(decoding: lines[lines.count - 1], as: UTF8.self)
    let counts = right.replacing("\"transactions\":3", with: "\"transactions\":7")
    try withLog(lines.dropLast() + [Array(counts.utf8)]) { path in
      let reader = try LogReader(path: path)
      #expect(reader.goInside(before: 3))
      #expect(try ids(reader) == [3])
      #expect(reader.trailer?.transactions == 7)
    }
    let last = right.replacing("\"last\":3", with: "\"last\":4")
    try withLog(lines.dropLast() + [Array(last.utf8)]) { path in
      let reader = try LogReader(path: path)
      #expect(reader.goInside(before: 3))
      let error = #expect(throws: LogError.self) { try ids(reader) }
      #expect(error?.code == .damaged && error?.transaction == 4)
      #expect(error?.message.contains("last: 3, ") == true)
    }
  }

  // MARK: Snapshots and transactions about others

  @Test("A snapshot with an update or a deletion is refused, wherever the other change is.")
  func snapshotChanges() throws {
    for kinds in [
      [], [ChangeKind.insert], [.insert, .insert], [.update], [.delete], [.insert, .delete],
      [.update, .insert], [.delete, .insert, .insert],
    ] {
      try withLog(lines([Part(operation: .snapshot, kinds: kinds)])) { path in
        let reader = try LogReader(path: path)
        if kinds.allSatisfy({ $0 == .insert }) {
          #expect(try ids(reader) == [1] && reader.beginsWithSnapshot)
          return
        }
        expectDamage(
          "a snapshot must be the first transaction and have only inserts",
          line: kinds.count + 2,
          lastSound: 0,
          path
        ) { _ = try reader.next(checksValues: false) }
        #expect(!reader.beginsWithSnapshot)
      }
    }
  }

  @Test("Only a filtered log may have a snapshot that is not its first transaction.")
  func laterSnapshot() throws {
    let parts = [Part(kinds: [.delete]), Part(operation: .snapshot)]
    try withLog(lines(parts)) { path in
      let reader = try LogReader(path: path)
      #expect(try reader.next()?.id == 1)
      expectDamage(
        "a snapshot must be the first transaction and have only inserts",
        line: 5,
        lastSound: 1,
        path
      ) { _ = try reader.next() }
    }
    try withLog(lines(parts, partial: "a filter")) { path in
      let reader = try LogReader(path: path)
      #expect(try ids(reader) == [1, 2] && reader.beginsWithSnapshot)
    }
  }

  @Test(
    "A transaction that marks or erases others must not have changes.",
    arguments: [TransactionOperation.mark, .erase]
  )
  func aboutOthers(_ operation: TransactionOperation) throws {
    try withLog(lines([Part(operation: operation, kinds: [])])) { path in
      let reader = try LogReader(path: path)
      #expect(try reader.next()?.operation == operation)
    }
    try withLog(lines([Part(operation: operation)])) { path in
      let reader = try LogReader(path: path)
      expectDamage(
        "a transaction about other transactions must not have changes",
        line: 3,
        lastSound: 0,
        path
      ) { _ = try reader.next() }
    }
  }

  // MARK: Omitted lines

  private func omitted(_ id: Int64, isWhole: Bool) -> [UInt8] {
    let range = isWhole ? "" : #","seq":0,"n":1,"count":1"#
    return Array(#"{"kind":"omitted","txn":\#(id)\#(range),"digest":"\#(beginning)"}"#.utf8) + [
      0x0a
    ]
  }

  @Test("An omitted transaction must be the next one; omitted lines may belong to a later one.")
  func omissions() throws {
    for before in Int64(0)...2 {
      for id in Int64(1)...5 {
        for isWhole in [true, false] {
          var lines = [try header(partial: "a filter")]
          lines += (0..<before).map { omitted($0 + 1, isWhole: true) }
          lines.append(omitted(id, isWhole: isWhole))
          let isTaken = isWhole ? id == before + 1 : id > before
          if isWhole, isTaken {
            lines.append(trailer(after: lines, last: id, transactions: 0, changes: 0))
          }
          try withLog(lines) { path in
            let reader = try LogReader(path: path)
            var found: [Omission] = []
            var copies: [[UInt8]] = []
            func read() throws {
              _ = try reader.next(omitted: { omission, line in
                found.append(omission)
                copies.append(Array(line))
              })
            }
            if isTaken, isWhole {
              try read()
              #expect(reader.trailer?.last == id && reader.end.transaction == id)
              #expect(copies == Array(lines[1..<(lines.count - 1)]))
            } else if isTaken {
              let error = #expect(throws: LogError.self) { try read() }
              #expect(error?.code == .incomplete)
            } else {
              expectDamage(
                "the next transaction must be \(before + 1)",
                line: Int(before) + 2,
                lastSound: before,
                path
              ) { try read() }
            }
            var expected = (0..<before).map { Omission(transaction: $0 + 1) }
            if isTaken {
              expected.append(Omission(transaction: id, lines: isWhole ? nil : 0..<1))
            }
            #expect(found == expected)
          }
        }
      }
    }
  }

  @Test("A log that is not filtered must not have omitted lines.")
  func omissionInWholeLog() throws {
    for isWhole in [true, false] {
      try withLog([try header(partial: ""), omitted(1, isWhole: isWhole)]) { path in
        let reader = try LogReader(path: path)
        expectDamage(
          "lines are left out, but the log is not filtered",
          line: 2,
          lastSound: 0,
          path
        ) { _ = try reader.next() }
      }
    }
  }

  // MARK: The end of a log

  @Test("A log without its trailer is incomplete, and the error has the last transaction and line.")
  func noTrailer() throws {
    let lines = try lines([Part(), Part()])
    for (count, last, text) in [(1, Int64(0), "1"), (2, 0, "2"), (3, 1, "3"), (5, 2, "5")] {
      try withLog(Array(lines[..<count])) { path in
        let reader = try LogReader(path: path)
        let error = #expect(throws: LogError.self) { try ids(reader) }
        #expect(error?.code == .incomplete && error?.line == count && error?.transaction == last)
        #expect(
          error?.message.hasPrefix(
            "The log \(path) has no trailer: the lines after line \(text) are missing. The last"
              + " complete transaction is \(last)."
          ) == true
        )
      }
    }
  }

  @Test("A trailer inside a transaction is refused.")
  func trailerInsideTransaction() throws {
    var lines = try lines([Part()])
    lines.remove(at: 2)
    try withLog(lines) { path in
      let reader = try LogReader(path: path)
      expectDamage(
        "the transaction before the trailer is not closed",
        line: 3,
        lastSound: 0,
        path
      ) { _ = try ids(reader) }
    }
  }

  @Test("Reading does not start at a closing line with another schema than the header's.")
  func entryWithOtherSchema() throws {
    var lines = try lines([Part(), Part(), Part()])
    let closing = String(decoding: lines[4], as: UTF8.self)
    #expect(closing.contains(schemaDigest))
    lines[4] = Array(closing.replacing(schemaDigest, with: "\(beginning)").utf8)
    try withLog(lines, entry: { $0.transaction == 2 ? $0 : nil }) { path in
      let reader = try LogReader(path: path)
      #expect(!reader.goInside(before: 9) && !reader.isInside)
      expectDamage(
        "the transaction has another schema than the header of the log",
        line: 5,
        lastSound: 1,
        path
      ) { _ = try ids(reader) }
    }
  }

  @Test("A line with hidden values must mark a value as erased.")
  func hiddenWithoutMark() throws {
    let hidden = TreeTransaction(1, count: 1, hiding: [0]).lines[0]
    let text = String(decoding: hidden, as: UTF8.self)
    let marked = #","after":{"name":null},"special":{"before":{"name":"erased"}}}"#
    #expect(text.hasSuffix(marked))
    let other = text.dropLast(marked.count) + #","after":{"name":"a"}}"# + "\n"
    try withLog([try header(partial: ""), Array(other.utf8)]) { path in
      let reader = try LogReader(path: path)
      expectDamage(
        "the values are hidden, but no value is marked as erased or left out",
        line: 2,
        lastSound: 0,
        path
      ) { _ = try reader.next(checksValues: false) }
    }
  }

  @Test("Values that are not canonical are refused, unless the caller checks them itself.")
  func uncheckedValues() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let (path, digest) = try writeLog(to: .day("2026-11-23", logs), name: #"\u0061"#)
      let error = #expect(throws: LogError.self) { try LogReader(path: path).next() }
      #expect(error?.code == .damaged && error?.line == 2)
      #expect(try LogReader(path: path).next(checksValues: false)?.digest == digest)
    }
  }

  @Test("A change of an earlier transaction is refused at its line, before its closing line.")
  func earlierChange() throws {
    for id in [1, 2] {
      var lines = try lines([Part(), Part(), Part()])
      let change = String(decoding: lines[5], as: UTF8.self)
      let altered = change.replacing(#","txn":3,"#, with: #","txn":\#(id),"#)
      #expect(altered != change)
      lines[5] = Array(altered.utf8)
      try withLog(lines) { path in
        let reader = try LogReader(path: path)
        #expect(try reader.next()?.id == 1 && reader.next()?.id == 2)
        expectDamage("the next transaction must be 3", line: 6, lastSound: 2, path) {
          _ = try reader.next { _, _, _ in Issue.record("The change was accepted.") }
        }
      }
    }
  }

  @Test("The facts of a transaction are available while its changes are read, and not later.")
  func opening() throws {
    try withLog(lines([Part(kinds: [.insert, .delete]), Part(kinds: [])])) { path in
      let reader = try LogReader(path: path)
      #expect(try reader.opening() == nil)
      var counts: [Int64] = []
      let first = try reader.next(checksValues: false) { change, id, count in
        let opened = try reader.opening()
        #expect(id == 1 && opened?.id == 1 && count == 2 && opened?.count == 2)
        #expect(opened?.schema == schemaDigest && opened?.time == "2026-11-23T12:00:00.000001Z")
        #expect(opened?.seed != nil)
        counts.append(change.sequence)
      }
      #expect(first?.id == 1 && counts == [0, 1])
      #expect(try reader.opening() == nil)
      #expect(try reader.next()?.count == 0)
      #expect(reader.end.lineage == 0 && reader.end.transaction == 2)
    }
  }

  @Test("A reader counts the bytes that it read before it started inside a log, and after.")
  func bytesReadInside() throws {
    try withLog(lines([Part(), Part(), Part()])) { path in
      let size = size(of: path)
      let whole = try LogReader(path: path)
      #expect(try ids(whole) == [1, 2, 3] && whole.bytesRead == size)
      let reader = try LogReader(path: path)
      let before = reader.bytesRead
      #expect(before == size)
      #expect(reader.goInside(before: 3))
      // The file is read again from the member of the closing line of transaction 2.
      var entry: LogMembers.Entry?
      _ = LogMembers.readEntries(of: path, size: size) { if $0.transaction == 2 { entry = $0 } }
      let offset = try #require(entry).offset
      #expect(try ids(reader) == [3] && reader.bytesRead == before + size - offset)
    }
  }
}
