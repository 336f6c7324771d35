import Format
import TestSupport

@testable import ChangeLog

/// The store of the logs that tests write without a store.
let writtenStore = "11111111-2222-3333-4444-555555555555"

/// Writes a log of one transaction, which inserts a person; returns the path and the digest.
@discardableResult
func writeLog(
  to destination: LogDestination,
  first: Int64 = 1,
  after previous: Digest = TransactionDigest.beginning(ofStore: writtenStore, lineage: 0),
  operation: TransactionOperation = .recorded,
  name: String = "a"
) throws -> (path: String, digest: Digest) {
  let header = LogHeader(
    store: writtenStore,
    lineage: 0,
    first: first,
    previous: previous,
    schema: tripSchema
  )
  let writer = try LogWriter(destination, header: header)
  var transaction = Transaction(
    id: first,
    time: "2026-11-23T12:00:00.000001Z",
    operation: operation,
    schema: SHA256.digest(of: Array(try tripSchema.json().utf8)).description,
    count: 1,
    seed: Seed(bytes: [UInt8](repeating: 1, count: 16))
  )
  let lines = TransactionLines(transaction)
  var digest = TransactionDigest(transaction, after: previous)
  let none = UnsafeRawBufferPointer(start: nil, count: 0)
  try Array("Person".utf8).withUnsafeBytes { entity in
    try Array(#"{"name":"\#(name)"}"#.utf8).withUnsafeBytes { values in
      let change = Change(
        kind: .insert,
        sequence: 0,
        entity: entity,
        object: first,
        changed: none,
        before: none,
        after: values,
        special: none,
        large: none
      )
      digest.take(change)
      try writer.append(change, lines: lines)
    }
  }
  let closed = try digest.close(lines).transaction
  transaction.digest = closed
  try writer.close(transaction, lines: TransactionLines(transaction))
  return (try writer.finish(), closed)
}
