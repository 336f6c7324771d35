import Format
import Pipeline

/// The lines of a range of a history in the form of a log.
package func lines(
  _ source: any HistorySource,
  _ range: ClosedRange<Int64>
) throws -> String {
  var changes: [UInt8] = []
  var text: [UInt8] = []
  try source.read(
    range,
    wants: { _ in true },
    change: { TransactionLines($1).append($0, to: &changes) },
    transaction: { transaction in
      text += changes
      changes.removeAll()
      TransactionLines(transaction).appendClosing(digest: transaction.digest, to: &text)
    }
  )
  return String(decoding: text, as: UTF8.self)
}
