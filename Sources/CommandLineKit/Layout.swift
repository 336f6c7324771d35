/// Breaks a text into lines of at most `width` columns, indented by `indent` blanks.
func wrap(_ text: String, width: Int, indent: Int = 0) -> String {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    let needed = displayWidth(line) + 1 + displayWidth(String(word))
    if !line.isEmpty, needed + indent > width {
      lines.append(line)
      line = ""
    }
    line += (line.isEmpty ? "" : " ") + word
  }
  lines.append(line)
  return lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
}

/// Aligns the columns of rows, two blanks apart, without blanks at the end of a line.
package func columns(_ rows: [[String]]) -> String {
  var widths: [Int] = []
  for row in rows {
    for (index, cell) in row.enumerated() {
      if index == widths.count { widths.append(0) }
      widths[index] = max(widths[index], displayWidth(cell))
    }
  }
  return rows.map { row in
    var line = ""
    for (index, cell) in row.enumerated() {
      line += cell
      guard index < row.count - 1 else { continue }
      line += String(repeating: " ", count: widths[index] - displayWidth(cell) + 2)
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }.joined()
}

/// The number of terminal columns of a text.
package func displayWidth(_ text: String) -> Int {
  text.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ character: Character) -> Int {
  guard let first = character.unicodeScalars.first, !first.isASCII else { return 1 }
  if first.properties.generalCategory == .nonspacingMark { return 0 }
  if first.properties.isEmojiPresentation { return 2 }
  // U+FE0F after a character selects its emoji form, which is two columns wide.
  if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
  let isWide = wideScalars.contains { $0.contains(first.value) }
  return isWide ? 2 : 1
}

/// The scalars of East Asian scripts that take two columns.
private let wideScalars: [ClosedRange<UInt32>] = [
  0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
  0xa000...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
  0xffe0...0xffe6, 0x20000...0x3fffd,
]
