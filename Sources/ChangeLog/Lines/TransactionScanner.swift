import Store

/// Reads the lines of transactions, each only in the one form that the writer gives it.
///
/// It takes a line apart, and puts what all lines of a transaction share together again with the
/// writer's own code: a line that begins otherwise is refused.
struct TransactionScanner {
  /// What is wrong with a line, in words.
  struct Refusal: Error {
    let message: String
  }

  /// A transaction whose closing line is still to come.
  private(set) var open: Transaction?
  private(set) var lines = TransactionLines(
    Transaction(id: 0, time: "", schema: "", count: 0, salt: [])
  )
  private var sequence: Int64 = 0
  private var entity: [UInt8] = []
  private var canonical: [UInt8] = []

  /// Reads the line of a change, without its line break.
  mutating func change(_ line: UnsafeRawBufferPointer) throws(Refusal) -> Change {
    var text = LineParts(line)
    try text.expect(#"{"kind":"change","txn":"#)
    let id = try text.integer()
    try text.expect(#","seq":"#)
    let place = try text.integer()
    let (count, time, author) = try text.shared()
    let kind = try text.word()
    try text.expect(#","entity":"#)
    let name = try text.string()
    try text.expect(#","id":""#)
    let object = try text.integer()
    try text.expect(#"""#)
    if let open {
      guard open.id == id, open.count == count, open.time == time, open.author == author else {
        throw Refusal(
          message: "it does not say the same of transaction \(open.id) as the line before"
        )
      }
    } else {
      let transaction = Transaction(
        id: id,
        time: time,
        author: author,
        schema: "",
        count: count,
        salt: []
      )
      open = transaction
      lines = TransactionLines(transaction)
      sequence = 0
    }
    guard place == sequence, place < count else {
      throw Refusal(message: "it is change \(place) of \(count), and change \(sequence) is next")
    }
    guard let kind = ChangeKind(rawValue: kind) else {
      throw Refusal(message: "'\(kind)' is no kind of change")
    }
    entity = Array(name.utf8)
    let change = Change(
      kind: kind,
      sequence: place,
      entity: UnsafeRawBufferPointer(start: nil, count: 0),
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

  /// Calls with a change whose entity's name is where it was read to.
  mutating func withEntity<Result>(
    _ change: Change,
    _ body: (Change, TransactionLines) throws -> Result
  ) rethrows -> Result {
    var change = change
    return try entity.withUnsafeBytes {
      change.entity = $0
      return try body(change, lines)
    }
  }

  /// Reads the line that closes a transaction, without its line break.
  mutating func transaction(_ line: UnsafeRawBufferPointer) throws(Refusal) -> Transaction {
    var text = LineParts(line)
    try text.expect(#"{"kind":"transaction","txn":"#)
    let id = try text.integer()
    let (count, time, author) = try text.shared()
    let name = try text.word()
    guard let operation = TransactionOperation(rawValue: name) else {
      throw Refusal(message: "'\(name)' is no kind of transaction")
    }
    try text.expect(#","digest":""#)
    guard let digest = Digest(hexadecimal: text.upToQuote()) else {
      throw Refusal(message: "its digest is no SHA-256")
    }
    try text.expect(#"","meta":{"#)
    let process = text.has(#""process":"#) ? try text.member() : ""
    var processID: Int64 = 0
    if text.has(#""pid":"#) {
      processID = try text.integer()
      try text.expect(",")
    }
    let host = text.has(#""host":"#) ? try text.member() : ""
    let bundle = text.has(#""bundle":"#) ? try text.member() : nil
    try text.expect(#""schema":"#)
    let schema = try text.string()
    var salt: [UInt8] = []
    if text.has(#","salt":""#) {
      guard let data = parseBase64(text.upToQuote()) else {
        throw Refusal(message: "its salt is not base64")
      }
      salt = Array(data)
      try text.expect(#"""#)
    }
    let details = text.has(#","details":"#) ? try text.string() : nil
    try text.expect("}}")
    let transaction = Transaction(
      id: id,
      time: time,
      operation: operation,
      author: author,
      process: process,
      processID: processID,
      host: host,
      bundle: bundle,
      schema: schema,
      count: count,
      salt: salt,
      details: details,
      digest: digest
    )
    if let open {
      guard open.id == id, open.count == count, open.time == time, open.author == author else {
        throw Refusal(
          message: "it does not say the same of transaction \(open.id) as the line before"
        )
      }
    } else {
      lines = TransactionLines(transaction)
      sequence = 0
    }
    guard sequence == count else {
      throw Refusal(message: "\(sequence) of its \(count) changes are there")
    }
    lines = TransactionLines(transaction)
    canonical.removeAll(keepingCapacity: true)
    lines.appendClosing(digest: digest, to: &canonical)
    guard canonical.dropLast().elementsEqual(line) else {
      throw Refusal(message: "it is not written as it should be")
    }
    open = nil
    return transaction
  }
}

/// A line that is taken apart from its beginning.
private struct LineParts {
  private let line: UnsafeRawBufferPointer
  private var position = 0

  init(_ line: UnsafeRawBufferPointer) { self.line = line }

  var isAtEnd: Bool { position == line.count }

  mutating func has(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= line.count else { return false }
    let found = UnsafeRawBufferPointer(rebasing: line[position..<position + count])
    guard found.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: count)) else {
      return false
    }
    position += count
    return true
  }

  mutating func expect(_ text: StaticString) throws(TransactionScanner.Refusal) {
    guard has(text) else {
      let shown = String(decoding: line[position...].prefix(40), as: UTF8.self)
      throw TransactionScanner.Refusal(message: "it should go on with '\(text)' before '\(shown)'")
    }
  }

  mutating func integer() throws(TransactionScanner.Refusal) -> Int64 {
    var end = position
    while end < line.count, line[end] == 0x2d || (0x30...0x39).contains(line[end]) { end += 1 }
    guard let number = parseInteger(UnsafeRawBufferPointer(rebasing: line[position..<end])) else {
      throw TransactionScanner.Refusal(
        message: "a number is missing or not written as it should be"
      )
    }
    position = end
    return number
  }

  mutating func string() throws(TransactionScanner.Refusal) -> String {
    let end = endOfString()
    guard let text = parseJSONString(UnsafeRawBufferPointer(rebasing: line[position..<end])) else {
      throw TransactionScanner.Refusal(message: "a text is missing or not written as it should be")
    }
    position = end
    return text
  }

  /// A text and the comma after it.
  mutating func member() throws(TransactionScanner.Refusal) -> String {
    let text = try string()
    try expect(",")
    return text
  }

  /// The bytes up to the next quote, which is left.
  mutating func upToQuote() -> UnsafeRawBufferPointer {
    var end = position
    while end < line.count, line[end] != 0x22 { end += 1 }
    defer { position = end }
    return UnsafeRawBufferPointer(rebasing: line[position..<end])
  }

  /// A name in quotes whose first one was read.
  mutating func word() throws(TransactionScanner.Refusal) -> String {
    let word = String(decoding: upToQuote(), as: UTF8.self)
    try expect(#"""#)
    return word
  }

  /// What every line of a transaction says of it, up to the quote before the kind.
  mutating func shared() throws(TransactionScanner.Refusal) -> (Int64, String, String?) {
    try expect(#","n":"#)
    let count = try integer()
    try expect(#","ts":"#)
    let time = try string()
    let author = has(#","author":"#) ? try string() : nil
    try expect(#","op":""#)
    return (count, time, author)
  }

  /// The value of a member, if it comes next; empty where it doesn't.
  mutating func value(_ key: StaticString) -> UnsafeRawBufferPointer {
    guard has(key) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let end = endOfValue(in: line, from: position)
    defer { position = end }
    return UnsafeRawBufferPointer(rebasing: line[position..<end])
  }

  private func endOfString() -> Int {
    guard position < line.count, line[position] == 0x22 else { return position }
    var end = position + 1
    while end < line.count, line[end] != 0x22 { end += line[end] == 0x5c ? 2 : 1 }
    return min(end + 1, line.count)
  }
}
