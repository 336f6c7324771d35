import Changes

/// Where a later lineage began, according to the details of its first transaction.
struct LineageOrigin: Hashable {
  /// The head of the lineage with the next lower number.
  let head: HistoryPoint
  /// The parent lineage, which contains the history before the later lineage.
  ///
  /// Usually this is the lineage of ``head``. It is an earlier lineage if the restored copy is
  /// older than the lineage of ``head``.
  let parent: Int64

  init(head: HistoryPoint, parent: Int64) {
    self.head = head
    self.parent = parent
  }

  /// The text in the details of a transaction that says where the lineage began.
  var details: String {
    #"{"lineage":\#(head.lineage),"transaction":\#(head.transaction),"digest":"\#(head.digest)""#
      + (parent == head.lineage ? "}" : #","parent":\#(parent)}"#)
  }

  /// Reads a text that ``details`` wrote; nil if the text has another form.
  init?(details: String) {
    let parts = CanonicalText(Array(details.utf8)).members.map {
      String(decoding: $0.value, as: UTF8.self)
    }
    guard parts.count == 3 || parts.count == 4, let lineage = Int64(parts[0]),
      let transaction = Int64(parts[1]),
      let digest = Digest(hexadecimal: String(parts[2].dropFirst().dropLast())),
      let parent = parts.count == 4 ? Int64(parts[3]) : lineage
    else { return nil }
    head = HistoryPoint(lineage: lineage, transaction: transaction, digest: digest)
    self.parent = parent
    guard self.details == details else { return nil }
  }
}

extension Transaction {
  /// Where the transaction's lineage began; nil unless the transaction is the first one of a later
  /// lineage.
  var lineageOrigin: LineageOrigin? {
    operation == .snapshot ? details.flatMap { LineageOrigin(details: $0) } : nil
  }
}
