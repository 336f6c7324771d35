import Store

extension HistoryPoint {
  /// The head of a lineage, as the first transaction of the next one names it in its details.
  var lineageDetails: String {
    #"{"lineage":\#(lineage),"transaction":\#(transaction),"digest":"\#(digest)"}"#
  }

  /// Reads ``lineageDetails``; nil for any other text.
  init?(lineageDetails details: String) {
    let parts = members(of: Array(details.utf8)).map { String(decoding: $0.value, as: UTF8.self) }
    guard parts.count == 3, let lineage = Int64(parts[0]), let transaction = Int64(parts[1]),
      let digest = Digest(hexadecimal: String(parts[2].dropFirst().dropLast()))
    else { return nil }
    self.init(lineage: lineage, transaction: transaction, digest: digest)
    guard lineageDetails == details else { return nil }
  }
}

extension Transaction {
  /// The head of the lineage before, where this is the first transaction of a later one.
  var namedHead: HistoryPoint? {
    operation == .snapshot ? details.flatMap { HistoryPoint(lineageDetails: $0) } : nil
  }
}
