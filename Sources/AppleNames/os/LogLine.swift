import Foundation

/// One line of the log: time, level, subsystem and category, and the message with its line breaks
/// written as `\n`, so a message can't look like another line.
func logLine(name: String, subsystem: String, category: String, text: String) -> String {
  let time = Date.now.formatted(
    .iso8601.year().month().day().time(includingFractionalSeconds: true)
  )
  let origin = subsystem.isEmpty && category.isEmpty ? "" : " [\(subsystem):\(category)]"
  let message = text.contains(where: \.isNewline) ? withoutLineBreaks(text) : text
  return "\(time)Z \(name)\(origin) \(message)\n"
}

private func withoutLineBreaks(_ text: String) -> String {
  text.reduce(into: "") { line, character in
    if character.isNewline { line += #"\n"# } else { line.append(character) }
  }
}

/// Writes a line to standard error in one call, so lines of several threads do not mix.
func writeLine(_ line: String) {
  var line = line
  line.withUTF8 { bytes in
    // If standard error can't be written, the error can't be reported anywhere.
    _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
  }
}
