import Format

extension TransactionScanner {
  /// Reads the closing line of a transaction, without its line break.
  ///
  /// A reader can skip the changes of a transaction, so the closing line may be the only line that
  /// is read.
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
    let time = try time(&text)
    let author = text.has(#","author":"#) ? try facts.author.read(text.quoted()) : nil
    try text.expect(",")
    if let open {
      guard open.count == count, middle.isEmpty || line[start..<text.position].elementsEqual(middle)
      else { throw differs(id) }
    }
    try text.expect(#""op":""#)
    let done = open == nil ? 0 : sequence
    guard done == count || isAlone else {
      throw Refusal(message: "the line closes \(count) changes, but \(done) were read")
    }
    let name = try text.word()
    guard let operation = TransactionOperation(rawValue: name) else {
      throw Refusal(message: "'\(name)' is not a kind of transaction")
    }
    let reason = text.has(#","reason":"#) ? try facts.reason.read(text.quoted()) : nil
    let request = text.has(#","request":"#) ? try facts.request.read(text.quoted()) : nil
    try text.expect(#","digest":""#)
    guard let digest = Digest(hexadecimal: text.upToQuote()) else {
      throw Refusal(message: "the digest of the line is not a SHA-256")
    }
    try text.expect(#"""#)
    var transaction = Transaction(id: id, time: time, schema: "", count: count)
    if open != nil {
      transaction.seed = seed
      if hasErased { transaction.state = .erased }
    }
    transaction.operation = operation
    transaction.author = author
    transaction.reason = reason
    transaction.request = request
    transaction.digest = digest
    try facts.readMeta(&text, into: &transaction)
    guard text.isAtEnd else { throw Refusal(message: "the line has text after its end") }
    open = nil
    return transaction
  }
}

/// The texts of closing lines that rarely differ from those of the previous transaction.
struct RepeatedFacts {
  var author = RepeatedText()
  var reason = RepeatedText()
  var request = RepeatedText()
  private var process = RepeatedText()
  private var host = RepeatedText()
  private var bundle = RepeatedText()
  private var schema = RepeatedText()

  /// Reads the properties of a transaction in `meta`, in which a property without a value has no
  /// key.
  mutating func readMeta(
    _ text: inout LineParts,
    into transaction: inout Transaction
  ) throws(Refusal) {
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
    if text.has(#","details":"#) { transaction.details = try text.string() }
    try text.expect("}}")
  }
}

/// A text that is converted only if it differs from the text of the previous line, which is rare.
struct RepeatedText {
  private var quoted: [UInt8]?
  private var text = ""

  mutating func read(_ quoted: UnsafeRawBufferPointer) throws(Refusal) -> String {
    if let known = self.quoted, quoted.elementsEqual(known) { return text }
    guard let text = parseJSONString(quoted) else { throw Refusal.text }
    self.quoted = Array(quoted)
    self.text = text
    return text
  }
}
