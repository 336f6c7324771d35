/// Reads a JSON5 text: JSON with comments, trailing commas, unquoted names and single quotes.
///
/// - Throws: ``JSON5Error`` with the position of the first error.
package func readJSON5(_ text: String) throws(JSON5Error) -> JSON5Value {
  var reader = JSON5Reader(text: Array(text.unicodeScalars))
  return try reader.document()
}

private struct JSON5Reader {
  let text: [Unicode.Scalar]
  var index = 0
  var line = 1
  /// The index of the first character of the current line.
  var start = 0
  /// The nesting of values, which is limited so that a text can't exhaust the stack.
  var depth = 0

  private var position: Position { Position(line: line, column: index - start + 1) }
  private var next: Unicode.Scalar? { index < text.count ? text[index] : nil }

  init(text: [Unicode.Scalar]) {
    self.text = text
    if text.first == "\u{FEFF}" {
      index = 1
      start = 1
    }
  }

  mutating func document() throws(JSON5Error) -> JSON5Value {
    try skipBlanks()
    let value = try value()
    try skipBlanks()
    if let next { throw error("The value has ended, but \(shown(next)) follows.") }
    return value
  }

  private func error(_ message: String, at position: Position? = nil) -> JSON5Error {
    JSON5Error(position: position ?? self.position, message: message)
  }

  private func shown(_ scalar: Unicode.Scalar) -> String { "“\(scalar)”" }

  private mutating func advance() {
    let scalar = text[index]
    index += 1
    let isPair = scalar == "\r" && next == "\n"
    if "\n\r\u{2028}\u{2029}".unicodeScalars.contains(scalar), !isPair {
      line += 1
      start = index
    }
  }

  private mutating func skipBlanks() throws(JSON5Error) {
    while let scalar = next {
      if scalar == "/" {
        try skipComment()
      } else if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
        advance()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(JSON5Error) {
    let begin = position
    advance()
    if next == "/" {
      while let scalar = next, !"\n\r\u{2028}\u{2029}".unicodeScalars.contains(scalar) { advance() }
    } else if next == "*" {
      advance()
      while index + 1 < text.count, text[index] != "*" || text[index + 1] != "/" { advance() }
      guard index + 1 < text.count else {
        throw error("The comment has no end; close it with */.", at: begin)
      }
      advance()
      advance()
    } else {
      throw error("A comment begins with // or /*.", at: begin)
    }
  }

  private mutating func value() throws(JSON5Error) -> JSON5Value {
    let begin = position
    guard let scalar = next else { throw error("The text ends before a value.") }
    let content: JSON5Value.Content
    switch scalar {
    case "{": content = .object(try nested { reader throws(JSON5Error) in try reader.object() })
    case "[": content = .array(try nested { reader throws(JSON5Error) in try reader.array() })
    case "\"", "'": content = .string(try string())
    case "-", "+", ".", "0"..."9": content = .number(try number())
    default:
      switch try name() {
      case "null": content = .null
      case "true": content = .bool(true)
      case "false": content = .bool(false)
      case "Infinity", "NaN": throw error("Infinity and NaN are not supported here.", at: begin)
      case let word: throw error("“\(word)” is not a value; a text needs quotes.", at: begin)
      }
    }
    return JSON5Value(content: content, position: begin)
  }

  private mutating func nested<Result>(
    _ read: (inout JSON5Reader) throws(JSON5Error) -> Result
  ) throws(JSON5Error) -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 64 else { throw error("Values are nested more than 64 levels deep.") }
    return try read(&self)
  }

  private mutating func array() throws(JSON5Error) -> [JSON5Value] {
    let begin = position
    advance()
    var values: [JSON5Value] = []
    while true {
      try skipBlanks()
      if next == "]" { break }
      if next == nil { throw unclosed("list", end: "]", from: begin) }
      values.append(try value())
      try skipBlanks()
      if next == "]" { break }
      try takeComma(or: "]", of: "list", from: begin)
    }
    advance()
    return values
  }

  private mutating func object() throws(JSON5Error) -> [JSON5Value.Member] {
    let begin = position
    advance()
    var members: [JSON5Value.Member] = []
    while true {
      try skipBlanks()
      if next == "}" { break }
      if next == nil { throw unclosed("object", end: "}", from: begin) }
      let place = position
      let key = next == "\"" || next == "'" ? try string() : try name()
      if members.contains(where: { $0.key == key }) {
        throw error("“\(key)” occurs twice.", at: place)
      }
      try skipBlanks()
      guard next == ":" else { throw error("After the name “\(key)” there is no “:”.") }
      advance()
      try skipBlanks()
      members.append(JSON5Value.Member(key: key, position: place, value: try value()))
      try skipBlanks()
      if next == "}" { break }
      try takeComma(or: "}", of: "object", from: begin)
    }
    advance()
    return members
  }

  private func unclosed(
    _ what: String,
    end: Unicode.Scalar,
    from begin: Position
  ) -> JSON5Error {
    error("The \(what) that begins here has no “\(end)”.", at: begin)
  }

  private mutating func takeComma(
    or end: Unicode.Scalar,
    of what: String,
    from begin: Position
  ) throws(JSON5Error) {
    guard let scalar = next else { throw unclosed(what, end: end, from: begin) }
    guard scalar == "," else {
      throw error("Found \(shown(scalar)) instead of “,” or “\(end)”.")
    }
    advance()
  }

  private mutating func name() throws(JSON5Error) -> String {
    var name = String.UnicodeScalarView()
    while let scalar = next,
      scalar == "_" || scalar == "$" || scalar.properties.isAlphabetic
        || !name.isEmpty && scalar.properties.numericType != nil
    {
      name.append(scalar)
      advance()
    }
    if name.isEmpty {
      throw error(
        next.map { "\(shown($0)) begins neither a name nor a value." }
          ?? "The text ends in the middle."
      )
    }
    return String(name)
  }

  private mutating func number() throws(JSON5Error) -> String {
    let begin = position
    var number = String.UnicodeScalarView()
    while let scalar = next,
      scalar.properties.isAlphabetic || "0"..."9" ~= scalar
        || scalar == "." || scalar == "-" || scalar == "+"
    {
      number.append(scalar)
      advance()
    }
    let text = String(number)
    let plain = text.hasPrefix("+") ? String(text.dropFirst()) : text
    guard plain.allSatisfy({ "0123456789.-+eE".contains($0) }), let value = Double(plain),
      value.isFinite
    else { throw error("“\(text)” is not a supported number.", at: begin) }
    return plain
  }

  private mutating func string() throws(JSON5Error) -> String {
    let begin = position
    let quote = text[index]
    advance()
    var result = String.UnicodeScalarView()
    while let scalar = next {
      if scalar == quote {
        advance()
        return String(result)
      }
      if scalar == "\n" || scalar == "\r" {
        throw error("The text that begins here has no end on its line.", at: begin)
      }
      advance()
      if scalar == "\\" { try escape(into: &result) } else { result.append(scalar) }
    }
    throw error("The text that begins here has no end.", at: begin)
  }

  private mutating func escape(into result: inout String.UnicodeScalarView) throws(JSON5Error) {
    guard let scalar = next else { return }
    let place = position
    advance()
    switch scalar {
    case "b": result.append("\u{8}")
    case "f": result.append("\u{c}")
    case "n": result.append("\n")
    case "r": result.append("\r")
    case "t": result.append("\t")
    case "v": result.append("\u{b}")
    case "0": result.append("\0")
    case "x": result.append(try scalarValue(try hexadecimal(2, place: place), place: place))
    case "u":
      var value = try hexadecimal(4, place: place)
      if (0xd800...0xdbff).contains(value), next == "\\" {
        advance()
        guard next == "u" else { throw error("This is only half of a character.", at: place) }
        advance()
        let low = try hexadecimal(4, place: place)
        guard (0xdc00...0xdfff).contains(low) else {
          throw error("This is only half of a character.", at: place)
        }
        value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
      }
      result.append(try scalarValue(value, place: place))
    // A backslash before a line break continues the string on the next line.
    case "\n", "\u{2028}", "\u{2029}": break
    case "\r": if next == "\n" { advance() }
    case "1"..."9": throw error("“\\\(scalar)” means nothing.", at: place)
    default: result.append(scalar)
    }
  }

  private func scalarValue(
    _ value: UInt32,
    place: Position
  ) throws(JSON5Error) -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(value) else {
      throw error("This is only half of a character.", at: place)
    }
    return scalar
  }

  private mutating func hexadecimal(
    _ count: Int,
    place: Position
  ) throws(JSON5Error) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let scalar = next, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
        throw error("\(count) hexadecimal digits should follow.", at: place)
      }
      value = value << 4 | UInt32(digit)
      advance()
    }
    return value
  }
}
