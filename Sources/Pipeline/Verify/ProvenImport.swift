import ChangeLog
import Format
import Store

/// Verifies logs, and applies only transactions that a trusted digest or checkpoint proves.
///
/// - Throws: ``PipelineError`` with ``PipelineError/Code/unproven`` if the logs have findings, or if
///   the import would apply a transaction that is not proven; then nothing is applied, or only
///   proven transactions.
package func importProvenLogs(
  _ request: ImportRequest,
  heads: [Digest],
  checkpoints: [Checkpoint],
  tick: Tick = { _ in }
) throws -> ImportResult {
  var verifying = VerifyRequest(logs: request.logs)
  (verifying.heads, verifying.checkpoints) = (heads, checkpoints)
  verifying.store = try request.origin ?? origin(ofReplica: request.store)
  let results = try verify(verifying, tick: tick).filter { $0.filterName == nil }
  if let finding = results.lazy.flatMap(\.findings).first {
    throw notProven(request.logs, because: "\(finding)")
  }
  guard !request.allowsUnproven else { return try importLogs(request, tick: tick) }
  var importing = request
  importing.proven = [:]
  for result in results {
    guard let proven = result.proven else { continue }
    let part = result.except.first { !$0.isProven }?.description
    importing.proven?[result.lineage] = (proven.transaction, part)
  }
  return try importLogs(importing, tick: tick)
}
