/// The digest that the lines of a transaction have after an erasure.
///
/// The transaction keeps its digest, which does not cover the values that remain in its erased lines. The
/// transaction that records the erasure has this in its details, and so confirms these values.
package struct Restatement: Hashable, Sendable {
  /// The lineage of the transaction that lost values.
  package var lineage: Int64
  package var transaction: Int64
  /// The op of the transaction, which distinguishes a snapshot from the transaction with the same
  /// id.
  package var operation: TransactionOperation
  /// The digest of the transaction, which an erasure does not change.
  package var digest: Digest
  /// The lines digest of the transaction: the digest of its lines with the values that remain.
  package var lines: Digest

  package init(
    lineage: Int64,
    transaction: Int64,
    operation: TransactionOperation,
    digest: Digest,
    lines: Digest
  ) {
    self.lineage = lineage
    self.transaction = transaction
    self.operation = operation
    self.digest = digest
    self.lines = lines
  }

  fileprivate var json: String {
    #"{"lineage":\#(lineage),"txn":\#(transaction),"op":"\#(operation.rawValue)","#
      + #""was":"\#(digest)","lines":"\#(lines)"}"#
  }

  /// Reads an object in the form of ``json``; nil for any other text.
  fileprivate init?(_ text: [UInt8]) {
    let parts = CanonicalText(text).members.map { String(decoding: $0.value, as: UTF8.self) }
    func word(_ index: Int) -> String { String(parts[index].dropFirst().dropLast()) }
    guard parts.count == 5, let lineage = Int64(parts[0]), let transaction = Int64(parts[1]),
      let operation = TransactionOperation(rawValue: word(2)),
      let digest = Digest(hexadecimal: word(3)), let lines = Digest(hexadecimal: word(4))
    else { return nil }
    self.init(
      lineage: lineage,
      transaction: transaction,
      operation: operation,
      digest: digest,
      lines: lines
    )
    guard json.utf8.elementsEqual(text) else { return nil }
  }
}

/// The details of a transaction that records an erasure.
package struct ErasureDetails: Hashable, Sendable {
  /// The object whose values were erased.
  package var object: ObjectName
  /// The names of the erased properties; empty if all properties were erased.
  package var properties: [String]
  /// The reason in words; nil if none was given.
  package var reason: String?
  /// The transactions that lost values.
  package var restatements: [Restatement]

  package init(
    of object: ObjectName,
    properties: [String],
    reason: String?,
    restatements: [Restatement]
  ) {
    self.object = object
    self.properties = properties
    self.reason = reason
    self.restatements = restatements
  }

  /// The text for ``Transaction/details``.
  package var json: String {
    var text = Array(#"{"entity":"#.utf8)
    appendJSONString(object.entity, to: &text)
    text += #","id":"#.utf8
    appendJSONString(object.id.description, to: &text)
    for (index, name) in properties.enumerated() {
      text += (index == 0 ? #","changed":["# : ",").utf8
      appendJSONString(name, to: &text)
    }
    if !properties.isEmpty { text.append(UInt8(ascii: "]")) }
    if let reason {
      text += #","reason":"#.utf8
      appendJSONString(reason, to: &text)
    }
    text += #","restated":[\#(restatements.map(\.json).joined(separator: ","))]}"#.utf8
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads ``json``; nil for any other text.
  fileprivate init?(_ details: String) {
    let text = CanonicalText(Array(details.utf8))
    func string(_ bytes: [UInt8]) -> String? { bytes.withUnsafeBytes { parseJSONString($0) } }
    guard let entity = text.value(of: "entity").flatMap(string),
      var id = text.value(of: "id").flatMap(string),
      let row = id.withUTF8({ RowName(canonical: UnsafeRawBufferPointer($0)) }),
      let list = text.value(of: "restated")
    else { return nil }
    let names = text.value(of: "changed").map { CanonicalText($0).elements } ?? []
    self.init(
      of: ObjectName(entity, id: ObjectID(row)),
      properties: names.compactMap(string),
      reason: text.value(of: "reason").flatMap(string),
      restatements: CanonicalText(list).elements.compactMap { Restatement($0) }
    )
    guard json == details else { return nil }
  }
}

extension Transaction {
  /// The erasure that this transaction records; nil if it does not record an erasure.
  package var erasure: ErasureDetails? {
    operation == .erase ? details.flatMap { ErasureDetails($0) } : nil
  }
}
