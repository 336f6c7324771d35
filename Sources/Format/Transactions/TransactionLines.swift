/// Writes one transaction as the lines of a change log.
///
/// The digest of the transaction covers parts of the bytes of the lines. So a store and its later
/// logs have the same digests.
package struct TransactionLines {
  private let transaction: Transaction
  /// The text before the sequence number of each change.
  private let opening: [UInt8]
  /// The text between the sequence number and the known bytes.
  private let middle: [UInt8]

  /// Prepares the parts that all lines of a transaction have in common.
  package init(_ transaction: Transaction) {
    self.transaction = transaction
    var opening = Array(#"{"kind":"change","txn":"#.utf8)
    appendInteger(transaction.id, to: &opening)
    opening += #","seq":"#.utf8
    self.opening = opening
    var middle: [UInt8] = []
    Self.appendShared(transaction, to: &middle)
    self.middle = middle
  }

  /// Appends the number of changes, the time and the author, which each line repeats.
  private static func appendShared(_ transaction: Transaction, to line: inout [UInt8]) {
    line += #","n":"#.utf8
    appendInteger(transaction.count, to: &line)
    line += #","ts":"#.utf8
    appendJSONString(transaction.time, to: &line)
    if let author = transaction.author {
      line += #","author":"#.utf8
      appendJSONString(author, to: &line)
    }
    line.append(UInt8(ascii: ","))
  }

  /// Appends the line of a change, with a line break.
  package func append(_ change: Change, to buffer: inout [UInt8]) {
    appendPrefix(of: change, to: &buffer)
    Self.appendParts(of: change, to: &buffer)
    Self.append("}\n", to: &buffer)
  }

  /// Appends a line that replaces omitted lines and has the root of their subtree.
  package func appendOmitted(_ lines: Range<Int64>, root: Digest, to buffer: inout [UInt8]) {
    buffer += #"{"kind":"omitted","txn":\#(transaction.id),"seq":\#(lines.lowerBound),"#.utf8
    buffer += #""n":\#(transaction.count),"count":\#(lines.upperBound - lines.lowerBound),"#.utf8
    buffer += #""digest":"\#(root)"}"#.utf8
    buffer.append(0x0a)
  }

  /// Appends a line that replaces the whole transaction.
  package func appendOmitted(body: Digest, to buffer: inout [UInt8]) {
    buffer += #"{"kind":"omitted","txn":\#(transaction.id),"digest":"\#(body)"}"#.utf8
    buffer.append(0x0a)
  }

  /// The description of the leaf in a change's line; nil if the line has none.
  package func leaf(of change: Change) -> LineLeaf? {
    change.leaf.isEmpty ? seed(for: change) : LineLeaf(change.leaf)
  }

  /// Appends the part of a line before its known bytes.
  private func appendPrefix(of change: Change, to buffer: inout [UInt8]) {
    buffer.append(contentsOf: opening)
    appendInteger(change.sequence, to: &buffer)
    buffer.append(contentsOf: middle)
    if let seed = seed(for: change) {
      seed.append(to: &buffer)
    } else if !change.leaf.isEmpty {
      buffer.append(contentsOf: change.leaf)
    } else {
      return
    }
    buffer.append(UInt8(ascii: ","))
  }

  /// The seed of the transaction, which its first line contains if no line is hidden; nil for other
  /// lines.
  private func seed(for change: Change) -> LineLeaf? {
    guard change.sequence == 0, change.leaf.isEmpty else { return nil }
    return transaction.seed.map { .seed(lines: transaction.count, $0) }
  }

  /// Appends the known bytes of a line and then the bytes of its values.
  ///
  /// The result is the offset of the bytes of the values.
  ///
  /// The known bytes remain known even if the values are hidden.
  @discardableResult
  static func appendParts(of change: Change, to buffer: inout [UInt8]) -> Int {
    append(#""op":""#, to: &buffer)
    change.kind.withName { buffer.append(contentsOf: $0) }
    append(#"","entity":"#, to: &buffer)
    appendJSONString(change.entity, to: &buffer)
    append(#","id":"#, to: &buffer)
    if change.name.isEmpty {
      append(#"""#, to: &buffer)
      appendInteger(change.object, to: &buffer)
      append(#"""#, to: &buffer)
    } else {
      appendJSONString(change.name, to: &buffer)
    }
    append(#","changed":"#, value: change.changed, to: &buffer)
    let values = buffer.count
    append(#","before":"#, value: change.before, to: &buffer)
    append(#","after":"#, value: change.after, to: &buffer)
    append(#","special":"#, value: change.special, to: &buffer)
    append(#","large":"#, value: change.large, to: &buffer)
    return values
  }

  /// Appends the closing line of the transaction, with a line break.
  ///
  /// The digest covers everything else in the closing line.
  package func appendClosing(digest: Digest?, to buffer: inout [UInt8]) {
    Self.append(#"{"kind":"transaction","txn":"#, to: &buffer)
    appendInteger(transaction.id, to: &buffer)
    Self.appendShared(transaction, to: &buffer)
    Self.append(#""op":""#, to: &buffer)
    buffer += transaction.operation.rawValue.utf8
    buffer.append(0x22)
    // Only the closing line has these texts, because they can be long.
    if let reason = transaction.reason {
      Self.append(#","reason":"#, to: &buffer)
      appendJSONString(reason, to: &buffer)
    }
    if let request = transaction.request {
      Self.append(#","request":"#, to: &buffer)
      appendJSONString(request, to: &buffer)
    }
    if let digest {
      Self.append(#","digest":""#, to: &buffer)
      buffer += digest.description.utf8
      buffer.append(0x22)
    }
    appendMeta(to: &buffer)
    Self.append("}\n", to: &buffer)
  }

  private func appendMeta(to buffer: inout [UInt8]) {
    Self.append(#","meta":{"#, to: &buffer)
    func member(_ key: StaticString, text: String) {
      Self.append(key, to: &buffer)
      appendJSONString(text, to: &buffer)
      buffer.append(UInt8(ascii: ","))
    }
    if !transaction.process.isEmpty { member(#""process":"#, text: transaction.process) }
    if transaction.processID != 0 {
      Self.append(#""pid":"#, to: &buffer)
      appendInteger(transaction.processID, to: &buffer)
      buffer.append(UInt8(ascii: ","))
    }
    if !transaction.host.isEmpty { member(#""host":"#, text: transaction.host) }
    if let bundle = transaction.bundle { member(#""bundle":"#, text: bundle) }
    Self.append(#""schema":""#, to: &buffer)
    buffer += transaction.schema.utf8
    buffer.append(0x22)
    if let details = transaction.details {
      // Details are written as a text. If they were an object, programs that load the lines into a
      // table would lose keys that only some lines have.
      Self.append(#","details":"#, to: &buffer)
      appendJSONString(details, to: &buffer)
    }
    buffer.append(UInt8(ascii: "}"))
  }

  @inline(__always)
  private static func append(_ text: StaticString, to buffer: inout [UInt8]) {
    buffer.append(
      contentsOf: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    )
  }

  @inline(__always)
  private static func append(
    _ key: StaticString,
    value: UnsafeRawBufferPointer,
    to buffer: inout [UInt8]
  ) {
    guard !value.isEmpty else { return }
    append(key, to: &buffer)
    buffer.append(contentsOf: value)
  }
}
