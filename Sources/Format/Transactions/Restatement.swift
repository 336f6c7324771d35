/// The values that remain in the erased lines of a transaction.
///
/// An erased transaction keeps its digest, which does not cover the values that remain. The
/// transaction that records the erasure has the restatement in its details, and so confirms these
/// values, line by line.
package struct Restatement: Hashable, Sendable {
  /// The lineage of the transaction that lost values.
  package var lineage: Int64
  package var transaction: Int64
  /// The op of the transaction, which distinguishes a snapshot from the transaction with the same
  /// id.
  package var operation: TransactionOperation
  /// The digest of the transaction, which an erasure does not change.
  package var digest: Digest
  /// The erased lines, in ascending order.
  package var lines: [RestatedLine]

  package init(
    lineage: Int64,
    transaction: Int64,
    operation: TransactionOperation,
    digest: Digest,
    lines: [RestatedLine]
  ) {
    self.lineage = lineage
    self.transaction = transaction
    self.operation = operation
    self.digest = digest
    self.lines = lines
  }

  fileprivate var json: String {
    let list = lines.map { #""\#($0.sequence)":"\#($0.values)""# }.joined(separator: ",")
    return #"{"lineage":\#(lineage),"txn":\#(transaction),"op":"\#(operation.rawValue)","#
      + #""was":"\#(digest)","lines":{\#(list)}}"#
  }

  /// Reads an object that ``json`` wrote; nil for any other text.
  fileprivate init?(_ object: [UInt8]) {
    func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    func word(_ bytes: [UInt8]) -> String { text(bytes.dropFirst().dropLast()) }
    let parts = CanonicalText(object).members.map(\.value)
    guard parts.count == 5, let lineage = Int64(text(parts[0])),
      let transaction = Int64(text(parts[1])),
      let operation = TransactionOperation(rawValue: word(parts[2])),
      let digest = Digest(hexadecimal: word(parts[3]))
    else { return nil }
    var lines: [RestatedLine] = []
    for (key, value) in CanonicalText(parts[4]).members {
      guard let sequence = Int64(text(key.dropFirst().dropLast(2))),
        let values = Digest(hexadecimal: word(value))
      else { return nil }
      lines.append(RestatedLine(sequence: sequence, values: values))
    }
    self.init(
      lineage: lineage,
      transaction: transaction,
      operation: operation,
      digest: digest,
      lines: lines
    )
    guard isAscending, json.utf8.elementsEqual(object) else { return nil }
  }

  private var isAscending: Bool {
    zip(lines, lines.dropFirst()).allSatisfy { $0.sequence < $1.sequence }
  }
}

/// The values that remain in one erased line.
package struct RestatedLine: Hashable, Sendable {
  /// The position of the line in its transaction, from 0.
  package let sequence: Int64
  /// The digest of the values that remain, with the restated salt of the line.
  package let values: Digest

  package init(sequence: Int64, values: Digest) {
    self.sequence = sequence
    self.values = values
  }
}

package struct ErasureDetails: Hashable, Sendable {
  package var object: ObjectName
  /// The names of the erased properties; empty if all properties were erased.
  package var properties: [String]
  /// For each transaction that lost values, the values that remain.
  package var restatements: [Restatement]

  package init(
    of object: ObjectName,
    properties: [String],
    restatements: [Restatement]
  ) {
    self.object = object
    self.properties = properties
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
    return String(decoding: text, as: UTF8.self) + ",\(restatements.member)}"
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
      restatements: readRestatements(list)
    )
    guard json == details else { return nil }
  }
}

extension [Restatement] {
  /// The text for ``Transaction/details`` if deletions in a transaction erased earlier values; nil
  /// if the list is empty.
  package var details: String? { isEmpty ? nil : "{\(member)}" }

  fileprivate var member: String { #""restated":[\#(map(\.json).joined(separator: ","))]"# }

  /// Reads ``details``; nil for any other text.
  fileprivate init?(details: String) {
    guard let list = CanonicalText([UInt8](details.utf8)).value(of: "restated") else { return nil }
    self = readRestatements(list)
    guard self.details == details else { return nil }
  }
}

private func readRestatements(_ list: [UInt8]) -> [Restatement] {
  CanonicalText(list).elements.compactMap { Restatement($0) }
}

extension Transaction {
  /// The erasure of an object's values that this transaction records; nil if it does not record
  /// one.
  package var erasure: ErasureDetails? {
    operation == .erase ? details.flatMap { ErasureDetails($0) } : nil
  }

  /// What this transaction records about the values that remain in earlier transactions.
  ///
  /// A transaction restates values if it records an erasure, or if it contains deletions in a store
  /// in tombstone mode. If such deletions erase values from very many lines, the transactions after
  /// it restate the rest of the lines.
  package var restatements: [Restatement] {
    erasure?.restatements ?? details.flatMap { [Restatement](details: $0) } ?? []
  }
}
