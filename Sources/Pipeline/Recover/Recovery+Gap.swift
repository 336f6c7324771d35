import ChangeLog
import Format
import Store

extension Recovery {
  /// Writes a gap between the last log and the oldest transaction of history.
  ///
  /// A gap contains the differences between two states: the state at the end of the logs, and the
  /// state directly before the oldest transaction of history.
  func writeGap(after last: HistoryPoint, result: inout RecoverResult, tick: Tick) throws {
    let exported = try importedState(tick)
    let reached = try readablePoint(of: store, wanted: store.read { try $0.knownStart() })
    let schema = try store.read { try $0.adoptedSchema(after: reached)?.schema } ?? store.schema
    guard exported.schema == schema else {
      throw PipelineError(.schemaMismatch) {
        "The schema of \(request.store) changed in the missing transactions, so a comparison can't"
          + " find out how these transactions changed the objects."
          + "\nExport \(request.store) to another folder; the new logs begin with the state of the"
          + " store."
      }
    }
    let resumes = try store.read { try $0.point(reached) }
    result.remedy = .gap
    result.resumes = resumes
    result.file = try exported.read { old in
      try store.read(after: reached) { new in
        result.objects = try count(old, new)
        return try writeGap(
          old,
          new,
          after: last,
          resumes: resumes,
          schema: schema,
          count: result.objects
        )
      }
    }
    try moveToken(to: resumes)
  }

  private func count(_ old: Reader, _ new: Reader) throws -> Int64 {
    var count: Int64 = 0
    try old.differences(to: new) { _ in count += 1 }
    return count
  }

  private func writeGap(
    _ old: Reader,
    _ new: Reader,
    after last: HistoryPoint,
    resumes: HistoryPoint,
    schema: StoreSchema,
    count: Int64
  ) throws -> String {
    let header = LogHeader(
      store: chain.store,
      lineage: chain.lineage,
      first: last.transaction + 1,
      previous: last.digest,
      schema: schema
    )
    let gap = Gap(first: last.transaction + 1, resumes: resumes.digest)
    // The time of the gap must not be later than the time of the next transaction.
    let next = try store.read { reader in
      try reader.history(after: resumes.transaction).nextTransaction()
    }
    let transaction = try madeUpTransaction(
      resumes.transaction,
      operation: .gap,
      details: gap.details,
      time: next?.time,
      schema: schema,
      of: store,
      count: count
    )
    return try writeLog(
      of: transaction,
      header: header,
      destination: .day(String(transaction.time.prefix(10)), request.logs),
      blobs: request.logs.blobs,
      beforeNaming: { digest in
        // After the gap, the chain continues with the digest of a missing transaction. This digest
        // does not cover the gap, so only the mark proves the gap. All rows were read by now.
        let mark = Mark(.gap, transaction: transaction.id, digest: digest)
        _ = try new.withoutSnapshot {
          try store.mark(.mark, author: Author(), details: "{\(mark.member)}")
        }
      },
      changes: { body in
        try old.differences(to: new) { difference in
          try body(difference, difference.kind == .delete ? old : new)
        }
      }
    ).path
  }
}
