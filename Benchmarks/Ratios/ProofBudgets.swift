import ChangeLog
import Format
import Foundation
import Pipeline
import Store

/// The sizes and times of proofs from logs of `count` transactions.
///
/// All transactions have one change, except three in the middle, which have 1,000, 10,000 and a million.
struct ProofBudgets {
  private let folder: URL
  private let travelog: String
  private let logs: LogFolder
  private let middle: Int64
  private let early: String

  private static let store = "11111111-2222-3333-4444-555555555555"
  private static let key = [UInt8](repeating: 7, count: 32)

  init(count: Int, travelog: String, folder: URL) throws {
    self.folder = folder
    self.travelog = travelog
    logs = LogFolder(folder.path + "/proofs.logs")
    middle = Int64(count / 2)
    early = folder.path + "/early.checkpoint"
    try Self.write(count, middle: middle, to: logs)
    var request = CheckpointRequest(logs: logs)
    request.key = Self.key
    let checkpoint = try check(writeCheckpoints(request).first)
    let tree = URL(fileURLWithPath: checkpoint.path).deletingLastPathComponent().path
    let smaller = try TiledTree(tree, count: middle).head()
    try Checkpoint(origin: checkpoint.origin, head: smaller).text
      .write(toFile: early, atomically: true, encoding: .utf8)
  }

  var figures: [Figure] {
    [
      Figure(name: "proof of one of 1,000 changes, bytes beside its lines", limit: 2_048) {
        try bytes(middle, change: 500)
      },
      Figure(name: "proof of one of 1,000,000 changes, bytes", limit: 2_560) {
        try bytes(middle + 2, change: 500_000)
      },
      Figure(name: "prove one of 1,000 changes, ms with the start", limit: 20) {
        try milliseconds("prove", logs.path, "\(middle).500")
      },
      Figure(name: "prove one of 10,000 changes, ms with the start", limit: 20) {
        try milliseconds("prove", logs.path, "\(middle + 1).5000")
      },
      Figure(name: "prove the last transaction, ms with the start", limit: 20) {
        try milliseconds("prove", logs.path, "\(2 * middle)")
      },
      Figure(name: "verify --since half of the tree, ms", limit: 1_000) {
        try milliseconds("verify", logs.path, "--since", early)
      },
    ]
  }

  private func milliseconds(_ arguments: String...) throws -> Double {
    try ProgramRun(travelog, arguments).seconds * 1_000
  }

  /// The size of a proof without the two lines that it shows.
  private func bytes(_ transaction: Int64, change: Int64) throws -> Double {
    let proof = try prove(ProveRequest(logs: logs, transaction: transaction, change: change))
    guard case .one(let line, _, _) = proof.lines else {
      throw WrongResult(description: "No line.")
    }
    return Double(proof.text.utf8.count - line.count - proof.closing.count)
  }

  /// Writes logs of a million transactions each, and a transaction of many changes in logs of their own.
  private static func write(_ count: Int, middle: Int64, to logs: LogFolder) throws {
    try logs.create()
    let schema = StoreSchema(
      version: "1.0.0",
      entities: [Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)])]
    )
    var previous = TransactionDigest.beginning(ofStore: store, lineage: 0)
    var first: Int64 = 1
    let last = Int64(count)
    while first <= last {
      let end = min(last, first + 999_999)
      let header = LogHeader(
        store: store,
        lineage: 0,
        first: first,
        previous: previous,
        schema: schema
      )
      let writer = try LogWriter(.day("2026-11-24", logs), header: header, level: 1)
      let digest = SHA256.digest(of: Array(try schema.json().utf8)).description
      for id in first...end {
        let changes: Int64 =
          switch id - middle {
          case 0: 1_000
          case 1: 10_000
          case 2: 1_000_000
          default: 1
          }
        previous = try write(id, changes: changes, schema: digest, after: previous, to: writer)
      }
      _ = try writer.finish()
      first = end + 1
    }
  }

  private static func write(
    _ id: Int64,
    changes: Int64,
    schema: String,
    after previous: Digest,
    to writer: LogWriter
  ) throws -> Digest {
    var transaction = Transaction(
      id: id,
      time: "2026-11-24T12:00:00.000001Z",
      author: "benchmark",
      schema: schema,
      count: changes,
      seed: Seed(bytes: Array(previous.bytes.prefix(Seed.byteCount)))
    )
    let lines = TransactionLines(transaction)
    var digest = TransactionDigest(transaction, after: previous)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    try Array("Note".utf8).withUnsafeBytes { entity in
      for sequence in 0..<changes {
        try Array(#"{"text":"\#(id), \#(sequence)"}"#.utf8).withUnsafeBytes { after in
          let change = Change(
            kind: .insert,
            sequence: sequence,
            entity: entity,
            object: id << 20 + sequence,
            changed: none,
            before: none,
            after: after,
            special: none,
            large: none
          )
          digest.take(change)
          try writer.append(change, lines: lines)
        }
      }
    }
    let closed = try digest.close(lines).transaction
    transaction.digest = closed
    try writer.close(transaction, lines: TransactionLines(transaction))
    return closed
  }
}

/// The value of an optional that a right result has.
private func check<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw WrongResult(description: "There is no checkpoint.") }
  return value
}
