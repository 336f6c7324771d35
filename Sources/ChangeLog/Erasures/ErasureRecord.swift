import Format

/// The record that values of a transaction were erased from the logs: the author, the time, the
/// reason, and the digest of the remaining lines.
package struct ErasureRecord: Hashable, Sendable {
  /// The time of the erasure: RFC 3339 in UTC with six digits after the second.
  package var time: String
  /// The author of the erasure; nil if the author is not known.
  package var author: String?
  /// The reason for the erasure in words; nil if no reason was given.
  package var reason: String?
  package var transaction: Int64
  /// The op of the transaction, which distinguishes a snapshot from a recorded transaction with an
  /// equal id.
  package var operation: TransactionOperation
  /// The object whose values were erased; nil if the store had erased the values before the export.
  package var object: ObjectName?
  /// The properties whose values were erased, with their names in logs; empty if the values of all
  /// properties were erased.
  package var attributes: [String]
  /// The digest of the transaction, which the erasure does not change.
  package var digest: Digest
  /// The digest of the transaction's lines after the erasure.
  package var lines: Digest

  package init(
    time: String,
    author: String? = nil,
    reason: String? = nil,
    transaction: Int64,
    operation: TransactionOperation,
    object: ObjectName? = nil,
    attributes: [String] = [],
    digest: Digest,
    lines: Digest
  ) {
    self.time = time
    self.author = author
    self.reason = reason
    self.transaction = transaction
    self.operation = operation
    self.object = object
    self.attributes = attributes
    self.digest = digest
    self.lines = lines
  }

  /// The digest before the first erasure record of a lineage.
  static func beginning(ofStore identifier: String, lineage: Int64) -> Digest {
    SHA256.digest(of: Array("travelog/1 \(identifier) \(lineage) erasures".utf8))
  }

  /// The line of the record with its line break, and the digest of the line; `previous` is the
  /// digest of the record before.
  func line(after previous: Digest) -> (line: [UInt8], digest: Digest) {
    var line = Array(#"{"kind":"erasure","ts":"#.utf8)
    appendJSONString(time, to: &line)
    func member(_ key: String, text: String?) {
      guard let text else { return }
      line += key.utf8
      appendJSONString(text, to: &line)
    }
    member(#","author":"#, text: author)
    member(#","reason":"#, text: reason)
    line += #","txn":\#(transaction),"op":"\#(operation.rawValue)""#.utf8
    if let object {
      member(#","entity":"#, text: object.entity)
      member(#","id":"#, text: object.id.description)
    }
    for (index, name) in attributes.enumerated() {
      member(index == 0 ? #","attributes":["# : ",", text: name)
    }
    if !attributes.isEmpty { line.append(UInt8(ascii: "]")) }
    line += #","was":"\#(digest)","lines":"\#(lines)""#.utf8
    let end: [UInt8] = Array("}\n".utf8)
    let digest = SHA256.digest(of: previous.bytes + line + end)
    return (line + #","digest":"\#(digest)""#.utf8 + end, digest)
  }

  /// Reads a record from a line without its line break; `previous` is the digest of the record
  /// before.
  ///
  /// A line is refused if it differs from the line that the writer would write.
  init(line: UnsafeRawBufferPointer, after previous: Digest) throws(Refusal) {
    var text = LineParts(line)
    try text.expect(#"{"kind":"erasure","ts":"#)
    time = try text.string()
    author = text.has(#","author":"#) ? try text.string() : nil
    reason = text.has(#","reason":"#) ? try text.string() : nil
    try text.expect(#","txn":"#)
    transaction = try text.integer()
    try text.expect(#","op":""#)
    guard let operation = TransactionOperation(rawValue: try text.word()) else { throw .text }
    self.operation = operation
    object = nil
    if text.has(#","entity":"#) {
      let entity = try text.string()
      try text.expect(#","id":"#)
      var id = try text.string()
      let name = id.withUTF8 { RowName(canonical: UnsafeRawBufferPointer($0)) }
      guard let name else { throw .text }
      object = ObjectName(entity, id: ObjectID(name))
    }
    attributes = []
    if text.has(#","attributes":["#) {
      repeat { attributes.append(try text.string()) } while text.has(",")
      try text.expect("]")
    }
    try text.expect(#","was":""#)
    digest = try Self.digest(&text)
    try text.expect(#","lines":""#)
    lines = try Self.digest(&text)
    try text.expect(#","digest":""#)
    _ = try Self.digest(&text)
    try text.expect("}")
    guard self.line(after: previous).line.dropLast().elementsEqual(line) else {
      throw Refusal(message: "the record has another digest, or does not have the required form")
    }
  }

  private static func digest(_ text: inout LineParts) throws(Refusal) -> Digest {
    guard let digest = Digest(hexadecimal: text.upToQuote()) else { throw .text }
    try text.expect(#"""#)
    return digest
  }
}
