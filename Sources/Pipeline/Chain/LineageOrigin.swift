import Format

/// Where a later lineage began, according to the details of its first transaction.
struct LineageOrigin: Hashable {
  /// The head of the lineage with the next lower number.
  let head: HistoryPoint
  /// The parent lineage, which contains the history before the later lineage.
  ///
  /// Usually this is the lineage of ``head``. It is an earlier lineage if the restored copy is
  /// older than the lineage of ``head``.
  let parent: Int64
  /// The last transaction that both lineages have, if the later lineage begins with a state that
  /// its parent never had.
  ///
  /// The value is nil if the later lineage begins with the parent's state after the same
  /// transaction.
  let common: Int64?

  init(head: HistoryPoint, parent: Int64, common: Int64? = nil) {
    self.head = head
    self.parent = parent
    self.common = common
  }

  /// The details of the first transaction of a lineage, which say where the lineage began, and have
  /// the highest ids that the store, an adopted file, ever gave to rows.
  func details(sequences: [TableSequence]) -> String {
    "{" + members + (sequences.member.map { "," + $0 } ?? "") + "}"
  }

  private var members: String {
    #""lineage":\#(head.lineage),"transaction":\#(head.transaction),"digest":"\#(head.digest)""#
      + (parent == head.lineage ? "" : #","parent":\#(parent)"#)
      + (common.map { #","common":\#($0)"# } ?? "")
  }

  /// Reads a text that ``details(sequences:)`` wrote; nil if the text has another form.
  init?(details: String) {
    let text = CanonicalText(Array(details.utf8))
    func number(_ name: String) -> Int64? {
      text.value(of: name)?.withUnsafeBytes { parseInteger($0) }
    }
    guard let lineage = number("lineage"), let transaction = number("transaction"),
      let digest = text.value(of: "digest")
        .flatMap({ Digest(hexadecimal: String(decoding: $0.dropFirst().dropLast(), as: UTF8.self)) }
        )
    else { return nil }
    head = HistoryPoint(lineage: lineage, transaction: transaction, digest: digest)
    parent = number("parent") ?? lineage
    common = number("common")
    guard self.details(sequences: TableSequence.list(in: text)) == details else { return nil }
  }
}

extension Transaction {
  /// Where the transaction's lineage began; nil unless the transaction is the first one of a later
  /// lineage.
  var lineageOrigin: LineageOrigin? {
    operation == .snapshot ? details.flatMap { LineageOrigin(details: $0) } : nil
  }
}
