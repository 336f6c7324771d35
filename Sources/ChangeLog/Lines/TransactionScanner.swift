import Format

/// Reads the lines of transactions, and accepts only lines in the form that the writer gives them.
///
/// All lines of a transaction share some bytes. In each line, the shared bytes are compared with
/// the first line. The shared bytes are parsed only once, in the closing line.
final class TransactionScanner {
  /// Whether the log is filtered; if it is, lines may be omitted, and hidden lines have no salt.
  var isFiltered = false
  /// The transaction that is being read; nil after its closing line.
  var open: (id: Int64, count: Int64)?
  /// The bytes of a change's line before the sequence number; `middle` has the bytes between the
  /// sequence number and the keys of the leaf.
  private var opening: [UInt8] = []
  var middle: [UInt8] = []
  /// The sequence number that the next line must have.
  var sequence: Int64 = 0
  /// The seed of all lines of the transaction; nil if the transaction has no lines, or if some
  /// lines are hidden.
  private(set) var seed: Seed?
  /// Whether values of any line of the transaction were erased.
  private(set) var hasErased = false
  /// The name of the last change's entity without escapes, if its name in the line has escapes.
  private var unescaped = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  var facts = RepeatedFacts()
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
    case nil:
      let shown = String(decoding: members.prefix(40), as: UTF8.self)
      throw Refusal(
        message: "before its op, the line has '\(shown)' instead of a seed, or of values and a salt"
      )
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

  func begin(_ id: Int64, count: Int64) {
    open = (id, count)
    sequence = 0
    seed = nil
    hasErased = false
  }

  /// Reads an id, which must be small enough that code can add one to it.
  func identifier(_ text: inout LineParts) throws(Refusal) -> Int64 {
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
        let time = try time(&text)
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

  /// Reads a time, whose day is a part of the path of a log, so that no other text may be there.
  func time(_ text: inout LineParts) throws(Refusal) -> String {
    let time = try text.string()
    guard secondsSince1970(ofTime: time) != nil else {
      throw Refusal(message: "'\(time)' is not a time such as 2026-09-20T10:00:00.123456Z")
    }
    return time
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

  func differs(_ id: Int64) -> Refusal {
    Refusal(message: "the line contradicts the previous line about transaction \(id)")
  }
}
