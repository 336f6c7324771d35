import Changes

/// Reads the lines of transactions, and accepts only the exact form of the writer.
///
/// The part that all lines of a transaction share is compared byte by byte with the first line, and
/// parsed once, from the closing line.
final class TransactionScanner {
  /// A transaction whose closing line was not read yet.
  private(set) var open: (id: Int64, count: Int64)?
  /// The text before the place of each change, and between the place and the kind.
  private var opening: [UInt8] = []
  private var middle: [UInt8] = []
  private var sequence: Int64 = 0
  /// The name of the last change's entity, if it has escapes.
  private var unescaped = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var author = RepeatedText()
  private var process = RepeatedText()
  private var host = RepeatedText()
  private var bundle = RepeatedText()
  private var schema = RepeatedText()

  deinit { unescaped.deallocate() }

  /// Reads the line of a change, without its line break.
  ///
  /// The change's bytes are valid as long as the line, and its entity's until the next line is
  /// read.
  func change(_ line: UnsafeRawBufferPointer) throws(Refusal) -> Change {
    var text = LineParts(line)
    let place: Int64
    if let open {
      guard opening.withUnsafeBytes({ text.has($0) }) else { throw differs(open.id) }
      place = try text.integer()
      guard middle.withUnsafeBytes({ text.has($0) }) else { throw differs(open.id) }
    } else {
      place = try begin(&text)
    }
    guard let open, place == sequence, place < open.count else {
      throw Refusal(
        message: "it is change \(place) of \(open?.count ?? 0), and change \(sequence) is next"
      )
    }
    let kind = try kind(&text)
    try text.expect(#"","entity":"#)
    let name = try entity(text.quoted())
    try text.expect(#","id":""#)
    let object = try text.integer()
    try text.expect(#"""#)
    let change = Change(
      kind: kind,
      sequence: place,
      entity: name,
      object: object,
      changed: text.value(#","changed":"#),
      before: text.value(#","before":"#),
      after: text.value(#","after":"#),
      special: text.value(#","special":"#),
      large: text.value(#","large":"#)
    )
    try text.expect("}")
    guard text.isAtEnd else { throw Refusal(message: "there is more than belongs there") }
    sequence += 1
    return change
  }

  /// Reads the shared part from a transaction's first line, and returns the line's place.
  private func begin(_ text: inout LineParts) throws(Refusal) -> Int64 {
    try text.expect(#"{"kind":"change","txn":"#)
    let id = try identifier(&text)
    try text.expect(#","seq":"#)
    opening.removeAll(keepingCapacity: true)
    opening.append(contentsOf: text.line[..<text.position])
    let place = try text.integer()
    let start = text.position
    let count = try shared(&text)
    middle.removeAll(keepingCapacity: true)
    middle.append(contentsOf: text.line[start..<text.position])
    open = (id, count)
    sequence = 0
    return place
  }

  /// An id to which code can add one.
  private func identifier(_ text: inout LineParts) throws(Refusal) -> Int64 {
    let id = try text.integer()
    guard LogName.ids.contains(id) else {
      throw Refusal(message: "no transaction has the number \(id)")
    }
    return id
  }

  /// Reads the shared part of a line, up to the quote before the kind.
  private func shared(_ text: inout LineParts) throws(Refusal) -> Int64 {
    try text.expect(#","n":"#)
    let count = try text.integer()
    try text.expect(#","ts":"#)
    _ = text.quoted()
    if text.has(#","author":"#) { _ = text.quoted() }
    try text.expect(#","op":""#)
    return count
  }

  /// The open transaction, as far as the lines of its changes describe it: id, time, author and
  /// number of changes.
  func opened() throws(Refusal) -> Transaction? {
    guard let open else { return nil }
    let read = middle.withUnsafeBytes { bytes -> Result<(String, String?), Refusal> in
      var text = LineParts(bytes)
      do throws(Refusal) {
        try text.expect(#","n":"#)
        _ = try text.integer()
        try text.expect(#","ts":"#)
        let time = try text.string()
        return .success((time, text.has(#","author":"#) ? try text.string() : nil))
      } catch {
        return .failure(error)
      }
    }
    switch read {
    case .failure(let refusal): throw refusal
    case .success((let time, let author)):
      return Transaction(
        id: open.id,
        time: time,
        author: author,
        schema: "",
        count: open.count,
        salt: []
      )
    }
  }

  private func kind(_ text: inout LineParts) throws(Refusal) -> ChangeKind {
    if text.has("update") { return .update }
    if text.has("insert") { return .insert }
    if text.has("delete") { return .delete }
    throw Refusal(message: "'\(try text.word())' is not a kind of change")
  }

  private func entity(_ quoted: UnsafeRawBufferPointer) throws(Refusal) -> UnsafeRawBufferPointer {
    guard quoted.contains(0x5c) else {
      // The caller must check that the schema has this name.
      return UnsafeRawBufferPointer(rebasing: quoted.dropFirst().dropLast())
    }
    guard let name = parseJSONString(quoted) else { throw Refusal.text }
    unescaped.deallocate()
    unescaped = .allocate(byteCount: name.utf8.count, alignment: 1)
    unescaped.copyBytes(from: name.utf8)
    return UnsafeRawBufferPointer(unescaped)
  }

  private func differs(_ id: Int64) -> Refusal {
    Refusal(message: "it does not say the same of transaction \(id) as the line before")
  }

  /// Reads a closing line without its line break; it may be the only line if changes were skipped.
  func transaction(
    _ line: UnsafeRawBufferPointer,
    isAlone: Bool = false
  ) throws(Refusal) -> Transaction {
    var text = LineParts(line)
    try text.expect(#"{"kind":"transaction","txn":"#)
    let id = try identifier(&text)
    if let open, open.id != id { throw differs(open.id) }
    let start = text.position
    try text.expect(#","n":"#)
    let count = try text.integer()
    try text.expect(#","ts":"#)
    let time = try text.string()
    let author = text.has(#","author":"#) ? try author.read(text.quoted()) : nil
    try text.expect(#","op":""#)
    if open != nil, !line[start..<text.position].elementsEqual(middle) { throw differs(id) }
    let done = open == nil ? 0 : sequence
    guard done == count || isAlone else {
      throw Refusal(message: "\(done) of its \(count) changes are there")
    }
    let name = try text.word()
    guard let operation = TransactionOperation(rawValue: name) else {
      throw Refusal(message: "'\(name)' is not a kind of transaction")
    }
    try text.expect(#","digest":""#)
    guard let digest = Digest(hexadecimal: text.upToQuote()) else {
      throw Refusal(message: "its digest is no SHA-256")
    }
    try text.expect(#"""#)
    var transaction = Transaction(id: id, time: time, schema: "", count: count, salt: [])
    transaction.operation = operation
    transaction.author = author
    transaction.digest = digest
    try readMeta(&text, transaction: &transaction)
    guard text.isAtEnd else { throw Refusal(message: "there is more than belongs there") }
    open = nil
    return transaction
  }

  /// Reads the properties of a transaction; the writer omits members without a value.
  private func readMeta(_ text: inout LineParts, transaction: inout Transaction) throws(Refusal) {
    try text.expect(#","meta":{"#)
    if text.has(#""process":"#) {
      transaction.process = try process.read(text.quoted())
      guard !transaction.process.isEmpty else { throw Refusal.empty }
      try text.expect(",")
    }
    if text.has(#""pid":"#) {
      transaction.processID = try text.integer()
      guard transaction.processID != 0 else { throw Refusal.empty }
      try text.expect(",")
    }
    if text.has(#""host":"#) {
      transaction.host = try host.read(text.quoted())
      guard !transaction.host.isEmpty else { throw Refusal.empty }
      try text.expect(",")
    }
    if text.has(#""bundle":"#) {
      transaction.bundle = try bundle.read(text.quoted())
      try text.expect(",")
    }
    try text.expect(#""schema":"#)
    transaction.schema = try schema.read(text.quoted())
    if text.has(#","salt":""#) {
      guard let salt = parseBase64(text.upToQuote()) else {
        throw Refusal(message: "its salt is not base64")
      }
      guard !salt.isEmpty else { throw Refusal.empty }
      transaction.salt = Array(salt)
      try text.expect(#"""#)
    }
    if text.has(#","details":"#) { transaction.details = try text.string() }
    try text.expect("}}")
  }
}

/// A text that is usually the same as the last time, so that it is converted only once.
private struct RepeatedText {
  private var quoted: [UInt8] = []
  private var text = ""

  mutating func read(_ quoted: UnsafeRawBufferPointer) throws(Refusal) -> String {
    guard !quoted.elementsEqual(self.quoted) else { return text }
    guard let text = parseJSONString(quoted) else { throw Refusal.text }
    self.quoted = Array(quoted)
    self.text = text
    return text
  }
}
