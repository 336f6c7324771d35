import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Transactions that a log must not have")
struct LogReaderTests {
  /// A transaction of a log: what it is, and the kinds of its changes.
  private struct Part {
    var operation = TransactionOperation.recorded
    var kinds = [ChangeKind.insert]
  }

  /// Calls `body` with a reader of a log of these transactions, from 1 on.
  private func withLog(
    _ parts: [Part],
    partial: String = "",
    _ body: (LogReader) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      var previous = TransactionDigest.beginning(ofStore: writtenStore, lineage: 0)
      let header = LogHeader(
        store: writtenStore,
        lineage: 0,
        first: 1,
        previous: previous,
        schema: tripSchema,
        partial: partial
      )
      let writer = try LogWriter(.day("2026-11-23", LogFolder(folder.path)), header: header)
      for (index, part) in parts.enumerated() {
        let count = Int64(part.kinds.count)
        var transaction = Transaction(
          id: Int64(index) + 1,
          time: "2026-11-23T12:00:00.000001Z",
          operation: part.operation,
          schema: SHA256.digest(of: Array(try tripSchema.json().utf8)).description,
          count: count,
          seed: count == 0 ? nil : Seed(bytes: [UInt8](repeating: 1, count: 16))
        )
        let lines = TransactionLines(transaction)
        var digest = TransactionDigest(transaction, after: previous)
        for (sequence, kind) in part.kinds.enumerated() {
          try withChange(Int64(sequence), kind) {
            digest.take($0)
            try writer.append($0, lines: lines)
          }
        }
        previous = try digest.close(lines).transaction
        transaction.digest = previous
        try writer.close(transaction, lines: TransactionLines(transaction))
      }
      try body(LogReader(path: writer.finish()))
    }
  }

  private func withChange(
    _ sequence: Int64,
    _ kind: ChangeKind,
    _ body: (Change) throws -> Void
  ) rethrows {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    try Array("Person".utf8).withUnsafeBytes { entity in
      try Array(#"{"name":"a"}"#.utf8).withUnsafeBytes { values in
        try body(
          Change(
            kind: kind,
            sequence: sequence,
            entity: entity,
            object: sequence + 1,
            changed: none,
            before: kind == .insert ? none : values,
            after: kind == .delete ? none : values,
            special: none,
            large: none
          )
        )
      }
    }
  }

  private func ids(_ reader: LogReader) throws -> [Int64] {
    var result: [Int64] = []
    while let transaction = try reader.next(checksValues: false) { result.append(transaction.id) }
    return result
  }

  private func expectDamage(line: Int, transaction: Int64, _ reader: LogReader) {
    let error = #expect(throws: LogError.self) { _ = try ids(reader) }
    #expect(error?.code == .damaged && error?.line == line && error?.transaction == transaction)
  }

  @Test("A snapshot with an update or a deletion is refused, wherever the other change is.")
  func snapshotChanges() throws {
    for kinds in [
      [], [ChangeKind.insert], [.insert, .insert], [.update], [.delete], [.insert, .delete],
      [.update, .insert], [.delete, .insert, .insert],
    ] {
      try withLog([Part(operation: .snapshot, kinds: kinds)]) { reader in
        if kinds.allSatisfy({ $0 == .insert }) {
          try #expect(ids(reader) == [1] && reader.beginsWithSnapshot)
        } else {
          expectDamage(line: kinds.count + 2, transaction: 1, reader)
          #expect(!reader.beginsWithSnapshot)
        }
      }
    }
  }

  @Test("Only a filtered log may have a snapshot that is not its first transaction.")
  func laterSnapshot() throws {
    let parts = [Part(kinds: [.delete]), Part(operation: .snapshot)]
    try withLog(parts) { expectDamage(line: 5, transaction: 2, $0) }
    try withLog(parts, partial: "a filter") { reader in
      try #expect(ids(reader) == [1, 2] && reader.beginsWithSnapshot)
    }
  }

  @Test(
    "A transaction that marks or erases others must not have changes.",
    arguments: [TransactionOperation.mark, .erase]
  )
  func aboutOthers(_ operation: TransactionOperation) throws {
    try withLog([Part(operation: operation, kinds: [])]) { try #expect(ids($0) == [1]) }
    try withLog([Part(operation: operation)]) { expectDamage(line: 3, transaction: 1, $0) }
  }
}
