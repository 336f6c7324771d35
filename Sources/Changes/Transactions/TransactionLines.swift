/// Writes one transaction as the lines of a change log.
///
/// These are also the bytes that its digest is made over, so that a store knows the digests of the
/// logs that will be made from it.
package struct TransactionLines {
  private let transaction: Transaction
  /// What stands before the sequence number of each change.
  private let opening: [UInt8]
  /// What stands between that number and the kind of change.
  private let middle: [UInt8]

  /// Prepares what all lines of a transaction share.
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

  /// The number of changes, the time, the author, and the key of what follows.
  private static func appendShared(_ transaction: Transaction, to line: inout [UInt8]) {
    line += #","n":"#.utf8
    appendInteger(transaction.count, to: &line)
    line += #","ts":"#.utf8
    appendJSONString(transaction.time, to: &line)
    if let author = transaction.author {
      line += #","author":"#.utf8
      appendJSONString(author, to: &line)
    }
    line += #","op":""#.utf8
  }

  /// Appends the line of a change, with its line break.
  package func append(_ change: Change, to buffer: inout [UInt8]) {
    buffer.append(contentsOf: opening)
    appendInteger(change.sequence, to: &buffer)
    buffer.append(contentsOf: middle)
    change.kind.withName { buffer.append(contentsOf: $0) }
    append(#"","entity":"#, to: &buffer)
    appendJSONString(change.entity, to: &buffer)
    append(#","id":""#, to: &buffer)
    appendInteger(change.object, to: &buffer)
    append(#"""#, to: &buffer)
    append(#","changed":"#, value: change.changed, to: &buffer)
    append(#","before":"#, value: change.before, to: &buffer)
    append(#","after":"#, value: change.after, to: &buffer)
    append(#","special":"#, value: change.special, to: &buffer)
    append(#","large":"#, value: change.large, to: &buffer)
    append("}\n", to: &buffer)
  }

  /// Appends the line that closes the transaction, with its line break.
  ///
  /// The digest is made over that line as it is without a digest.
  package func appendClosing(digest: Digest?, to buffer: inout [UInt8]) {
    append(#"{"kind":"transaction","txn":"#, to: &buffer)
    appendInteger(transaction.id, to: &buffer)
    Self.appendShared(transaction, to: &buffer)
    buffer += transaction.operation.rawValue.utf8
    buffer.append(0x22)
    if let digest {
      append(#","digest":""#, to: &buffer)
      buffer += digest.description.utf8
      buffer.append(0x22)
    }
    appendMeta(to: &buffer)
    append("}\n", to: &buffer)
  }

  private func appendMeta(to buffer: inout [UInt8]) {
    append(#","meta":{"#, to: &buffer)
    func member(_ key: StaticString, text: String) {
      append(key, to: &buffer)
      appendJSONString(text, to: &buffer)
      buffer.append(UInt8(ascii: ","))
    }
    if !transaction.process.isEmpty { member(#""process":"#, text: transaction.process) }
    if transaction.processID != 0 {
      append(#""pid":"#, to: &buffer)
      appendInteger(transaction.processID, to: &buffer)
      buffer.append(UInt8(ascii: ","))
    }
    if !transaction.host.isEmpty { member(#""host":"#, text: transaction.host) }
    if let bundle = transaction.bundle { member(#""bundle":"#, text: bundle) }
    append(#""schema":""#, to: &buffer)
    buffer += transaction.schema.utf8
    buffer.append(0x22)
    if !transaction.salt.isEmpty {
      append(#","salt":""#, to: &buffer)
      transaction.salt.withUnsafeBytes { appendBase64($0, to: &buffer) }
      buffer.append(0x22)
    }
    if let details = transaction.details {
      // As text: readers that take it for an object lose keys that others don't have.
      append(#","details":"#, to: &buffer)
      appendJSONString(details, to: &buffer)
    }
    buffer.append(UInt8(ascii: "}"))
  }

  @inline(__always)
  private func append(_ text: StaticString, to buffer: inout [UInt8]) {
    buffer.append(
      contentsOf: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    )
  }

  @inline(__always)
  private func append(
    _ key: StaticString,
    value: UnsafeRawBufferPointer,
    to buffer: inout [UInt8]
  ) {
    guard !value.isEmpty else { return }
    append(key, to: &buffer)
    buffer.append(contentsOf: value)
  }
}
