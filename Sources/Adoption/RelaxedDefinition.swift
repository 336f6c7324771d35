/// A statement that creates a table, without its NOT NULL and CHECK constraints.
///
/// Everything that determines the format of the table and its keys is unchanged.
package func relaxedDefinition(_ sql: String) -> String {
  let pieces = words(of: sql)
  var result = ""
  var depth = 0
  var index = 0
  while index < pieces.count {
    let piece = pieces[index]
    let next = pieces[(index + 1)...].firstIndex { !isBlank($0) } ?? pieces.count
    let following = next < pieces.count ? pieces[next].lowercased() : ""
    switch piece.lowercased() {
    case "(": depth += 1
    case ")": depth -= 1
    case "not" where depth == 1 && following == "null":
      index = next
      continue
    case "check" where depth == 1 && following == "(":
      result += "CHECK (1)"
      index = end(of: pieces, from: next)
      continue
    default: break
    }
    result += piece
    index += 1
  }
  return result
}

/// A statement that creates a table, without its UNIQUE constraints.
///
/// The format of the rows is unchanged, but each constraint that is left out had an index.
package func definitionWithoutUnique(_ sql: String) -> String {
  let pieces = words(of: sql)
  var result = ""
  var depth = 0
  var index = 0
  func next(after place: Int) -> Int {
    pieces[min(place + 1, pieces.count)...].firstIndex { !isBlank($0) } ?? pieces.count
  }
  func isWord(_ place: Int, _ word: String) -> Bool {
    place < pieces.count && pieces[place].lowercased() == word
  }
  while index < pieces.count {
    let piece = pieces[index]
    if piece == "(" { depth += 1 }
    if piece == ")" { depth -= 1 }
    guard depth == 1, isWord(index, "unique") else {
      result += piece
      index += 1
      continue
    }
    // CHECK can have the place of UNIQUE in the definition of a column and in that of a table.
    result += "CHECK (1)"
    let following = next(after: index)
    index = isWord(following, "(") ? end(of: pieces, from: following) : index + 1
    let clause = next(after: index - 1)
    if isWord(clause, "on"), isWord(next(after: clause), "conflict") {
      index = min(next(after: next(after: clause)) + 1, pieces.count)
    }
  }
  return result
}

/// The index after the parenthesis that closes the one at `start`.
private func end(of pieces: [String], from start: Int) -> Int {
  var depth = 0
  for index in start..<pieces.count {
    if pieces[index] == "(" { depth += 1 }
    if pieces[index] == ")" { depth -= 1 }
    if depth == 0 { return index + 1 }
  }
  return pieces.count
}

private func isBlank(_ piece: String) -> Bool {
  piece.hasPrefix("--") || piece.hasPrefix("/*") || piece.allSatisfy(\.isWhitespace)
}

/// The pieces of a statement, with the characters of a word in one piece.
private func words(of sql: String) -> [String] {
  var reader = SQLPieceReader(rest: Substring(sql).unicodeScalars)
  var pieces: [String] = []
  var isInWord = false
  while let piece = reader.next() {
    let isPart = piece.unicodeScalars.count == 1 && piece.unicodeScalars.allSatisfy(isPartOfWord)
    if isPart, isInWord { pieces[pieces.count - 1] += piece } else { pieces.append(piece) }
    isInWord = isPart
  }
  return pieces
}

private func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar {
  case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
  default: scalar.value >= 0x80
  }
}
