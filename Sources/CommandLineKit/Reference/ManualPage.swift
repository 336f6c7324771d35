/// A manual page in the format of `man`.
struct ManualPage {
  /// The file name of the manual page, such as `travelog-export.1`.
  let fileName: String
  let text: String

  init(_ page: CommandPage, of program: Program) {
    let name = page.path.map(\.name).joined(separator: "-")
    fileName = "\(name).1"
    var text = Roff()
    text.macro("TH", arguments: name.uppercased(), "1", "", program.version, "User Commands")
    text.macro("SH", arguments: "NAME")
    text.line("\(name) - \(page.command.summary.withoutPeriod)", keepsDash: true)
    text.macro("SH", arguments: "SYNOPSIS")
    text.macro("B", arguments: page.title)
    if !page.usage.isEmpty { text.line(page.usage.joined(separator: " ")) }
    if !page.command.discussion.isEmpty {
      text.macro("SH", arguments: "DESCRIPTION")
      for (index, paragraph) in page.paragraphs.enumerated() {
        if index > 0, !paragraph.isEmpty { text.macro("PP") }
        if !paragraph.isEmpty { text.line(paragraph) }
      }
    }
    text.list("EXAMPLES", rows: page.command.examples)
    for group in page.commands { text.list(group.title.uppercased(), rows: group.rows) }
    text.list("ARGUMENTS", rows: page.arguments)
    text.list("OPTIONS", rows: page.flags)
    text.list("OPTIONS OF ALL COMMANDS", rows: page.inheritedFlags)
    text.list("ENVIRONMENT", rows: page.variables)
    text.list("FILES", rows: page.files)
    text.list("EXIT STATUS", rows: page.exitCodes)
    let relatives =
      page.path.dropLast().isEmpty
      ? page.command.subcommands.map { "\(name)-\($0.name)" }
      : [page.path.dropLast().map(\.name).joined(separator: "-")]
        + page.command.subcommands.map { "\(name)-\($0.name)" }
    if !relatives.isEmpty {
      text.macro("SH", arguments: "SEE ALSO")
      text.line(relatives.map { "\($0)(1)" }.joined(separator: ", "))
    }
    self.text = text.text
  }
}

/// Text in the format of `man`, in which a line that begins with a period is a macro.
private struct Roff {
  var text = ""

  mutating func macro(_ name: String, arguments: String...) {
    let words = arguments.map { " \"\(escaped($0).replacing("\"", with: "\\(dq"))\"" }
    text += ".\(name)\(words.joined())\n"
  }

  /// Writes a line; with `keepsDash`, a dash between blanks stays a dash.
  mutating func line(_ line: String, keepsDash: Bool = false) {
    var line = escaped(line)
    if keepsDash { line = line.replacing(" - ", with: " \\- ") }
    if line.hasPrefix(".") || line.hasPrefix("'") { line = "\\&" + line }
    text += line + "\n"
  }

  mutating func list(_ title: String, rows: [CommandPage.Row]) {
    guard !rows.isEmpty else { return }
    macro("SH", arguments: title)
    for row in rows {
      macro("TP")
      macro("B", arguments: String(row.name.trimmingPrefix { $0 == " " }))
      line(row.meaning)
    }
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      // A minus that can be copied, not a hyphen.
      case "-": result += "\\-"
      case "“": result += "\\(lq"
      case "”": result += "\\(rq"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result
  }
}

extension String {
  fileprivate var withoutPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
