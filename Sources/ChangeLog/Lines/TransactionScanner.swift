import Changes

/// The lines, or the transaction, that a filtered log omits and replaces by one line.
package struct Omission: Hashable, Sendable {
  /// The id of the transaction.
  package let transaction: Int64
  /// The range of the omitted lines; nil if the whole transaction is omitted.
  package let lines: Range<Int64>?

  /// Creates the description of an omission.
  package init(transaction: Int64, lines: Range<Int64>? = nil) {
    self.transaction = transaction
    self.lines = lines
  }
}

/// Reads the lines of transactions, and accepts only lines in the form that the writer gives them.
///
/// All lines of a transaction share some bytes. In each line, the shared bytes are compared with
/// the first line. The shared bytes are parsed only once, in the closing line.
final class TransactionScanner {
  /// Whether the log is filtered; if it is, lines may be omitted, and hidden lines have no salt.
  var isFiltered = false
  /// The transaction that is being read; nil after its closing line.
  private(set) var open: (id: Int64, count: Int64)?
  /// The bytes of a change's line before the sequence number; `middle` has the bytes between the
  /// sequence number and the keys of the leaf.
  private var opening: [UInt8] = []
  private var middle: [UInt8] = []
  private var sequence: Int64 = 0
  /// The seed of all lines of the transaction; nil if the transaction has no lines, or if some
  /// lines are hidden.
  private var seed: Seed?
  /// Whether values of any line of the transaction were erased.
  private var hasErased = false
  /// The name of the last change's entity without escapes, if its name in the line has escapes.
  private var unescaped = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var author = RepeatedText()
  private var reason = RepeatedText()
  private var request = RepeatedText()
  private var process = RepeatedText()
  private var host = RepeatedText()
  private var bundle = RepeatedText()
  private var schema = RepeatedText()

  /// The name of the row that the last change is about, if the row has a name instead of an integer
  /// id.
  private var row = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  deinit {
    unescaped.deallocate()
    row.deallocate()
  }

  /// Reads the line of a change, without its line break.
  ///
  /// The bytes of the change are valid as long as the bytes of the line. The bytes of its entity
  /// are valid until the next line is read.
  func change(_ line: UnsafeRawBufferPointer) throws(Refusal) -> Change {
    var text = LineParts(line)
    let place: Int64
    if let open, !middle.isEmpty {
      guard opening.withUnsafeBytes({ text.has($0) }) else { throw differs(open.id) }
      place = try text.integer()
      guard middle.withUnsafeBytes({ text.has($0) }) else { throw differs(open.id) }
    } else {
      place = try begin(&text)
    }
    guard let open, place == sequence, place < open.count else {
      throw Refusal(
        message: "the line is change \(place) of \(open?.count ?? 0), but \(sequence) must be next"
      )
    }
    let leaf = try leaf(&text, count: open.count)
    try text.expect(#""op":""#)
    let kind = try kind(&text)
    try text.expect(#"","entity":"#)
    let name = try entity(text.quoted())
    try text.expect(#","id":"#)
    let (object, row) = try object(&text)
    var change = Change(
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
    change.name = row
    change.leaf = leaf
    try text.expect("}")
    guard text.isAtEnd else { throw Refusal(message: "the line has text after its end") }
    sequence += 1
    return change
  }

  /// Reads the keys that describe the leaf of a line; the result is empty if the line has only the
  /// seed of all lines.
  ///
  /// The tree over the lines shows whether the seed is right.
  private func leaf(
    _ text: inout LineParts,
    count: Int64
  ) throws(Refusal) -> UnsafeRawBufferPointer {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    guard !text.isNext(#""op":"#) else { return none }
    let members = text.upTo(#","op":"#)
    try text.expect(",")
    switch LineLeaf(members) {
    case nil: throw Refusal(message: "the leaf of the line does not have the required form")
    case .seed(let lines, let seed) where sequence == 0 && lines == count:
      self.seed = seed
      return none
    case .hidden(_, let salt):
      guard (salt == nil) == isFiltered else {
        throw Refusal(message: "the line must \(salt == nil ? "" : "not ")have a salt")
      }
      hasErased = salt != nil
    case .seed: break
    }
    return members
  }

  /// Reads the first line of a transaction, keeps the bytes that all lines of the transaction
  /// share, and returns the sequence number of the first line.
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
    if let open {
      // A line about omitted lines already began a transaction. This line must belong to the same
      // transaction.
      guard open == (id, count) else { throw differs(open.id) }
    } else {
      begin(id, count: count)
    }
    return place
  }

  private func begin(_ id: Int64, count: Int64) {
    open = (id, count)
    sequence = 0
    seed = nil
    hasErased = false
  }

  /// Reads a line that replaces omitted lines, without its line break.
  func omission(_ line: UnsafeRawBufferPointer) throws(Refusal) -> Omission {
    guard isFiltered else {
      throw Refusal(message: "lines are left out, but the log is not filtered")
    }
    var text = LineParts(line)
    try text.expect(#"{"kind":"omitted","txn":"#)
    let id = try identifier(&text)
    var lines: Range<Int64>?
    if text.has(#","seq":"#) {
      let place = try text.integer()
      try text.expect(#","n":"#)
      let count = try text.integer()
      try text.expect(#","count":"#)
      let omitted = try text.integer()
      if open == nil {
        middle.removeAll(keepingCapacity: true)
        begin(id, count: count)
      }
      guard let open, open == (id, count) else { throw differs(id) }
      guard place == sequence, omitted > 0, omitted <= count - place else {
        throw Refusal(message: "the next line must be \(sequence) of \(count)")
      }
      sequence += omitted
      lines = place..<sequence
    } else if let open {
      throw differs(open.id)
    }
    try text.expect(#","digest":""#)
    guard Digest(hexadecimal: text.upToQuote()) != nil else {
      throw Refusal(message: "the digest of the line is not a SHA-256")
    }
    try text.expect(#""}"#)
    guard text.isAtEnd else { throw Refusal(message: "the line has text after its end") }
    return Omission(transaction: id, lines: lines)
  }

  /// Reads an id, which must be small enough that code can add one to it.
  private func identifier(_ text: inout LineParts) throws(Refusal) -> Int64 {
    let id = try text.integer()
    guard LogName.ids.contains(id) else {
      throw Refusal(message: "no transaction has the number \(id)")
    }
    return id
  }

  /// Reads the facts about a transaction that each of its lines repeats, and returns the number of
  /// its changes.
  private func shared(_ text: inout LineParts) throws(Refusal) -> Int64 {
    try text.expect(#","n":"#)
    let count = try text.integer()
    try text.expect(#","ts":"#)
    _ = text.quoted()
    if text.has(#","author":"#) { _ = text.quoted() }
    try text.expect(",")
    return count
  }

  /// The open transaction with the facts that the lines of its changes contain: id, time, author
  /// and number of changes; nil between transactions.
  func opened() throws(Refusal) -> Transaction? {
    guard let open, !middle.isEmpty else { return nil }
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
        seed: seed
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
      // The caller must check that the schema has an entity with this name.
      return UnsafeRawBufferPointer(rebasing: quoted.dropFirst().dropLast())
    }
    guard let name = parseJSONString(quoted) else { throw Refusal.text }
    unescaped.deallocate()
    unescaped = .allocate(byteCount: name.utf8.count, alignment: 1)
    unescaped.copyBytes(from: name.utf8)
    return UnsafeRawBufferPointer(unescaped)
  }

  /// Reads an object's id, which is an integer, or the name of a row in an adopted table.
  ///
  /// The caller must check that the schema allows rows with names.
  private func object(
    _ text: inout LineParts
  ) throws(Refusal) -> (integer: Int64, name: UnsafeRawBufferPointer) {
    guard text.isNext(#""["#) else {
      try text.expect(#"""#)
      let object = try text.integer()
      try text.expect(#"""#)
      return (object, UnsafeRawBufferPointer(start: nil, count: 0))
    }
    guard let name = parseJSONString(text.quoted()) else { throw Refusal.text }
    row.deallocate()
    row = .allocate(byteCount: name.utf8.count, alignment: 1)
    row.copyBytes(from: name.utf8)
    return (0, UnsafeRawBufferPointer(row))
  }

  private func differs(_ id: Int64) -> Refusal {
    Refusal(message: "the line contradicts the previous line about transaction \(id)")
  }

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
    let time = try text.string()
    let author = text.has(#","author":"#) ? try author.read(text.quoted()) : nil
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
    let reason = text.has(#","reason":"#) ? try reason.read(text.quoted()) : nil
    let request = text.has(#","request":"#) ? try request.read(text.quoted()) : nil
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
    try readMeta(&text, transaction: &transaction)
    guard text.isAtEnd else { throw Refusal(message: "the line has text after its end") }
    open = nil
    return transaction
  }

  /// Reads the properties of a transaction in `meta`, in which a property without a value has no
  /// key.
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
    if text.has(#","details":"#) { transaction.details = try text.string() }
    try text.expect("}}")
  }
}

/// A text that is converted only if it differs from the text of the previous line, which is rare.
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
