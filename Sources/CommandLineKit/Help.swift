/// The help of the last command of a path.
///
/// The short help fits on a screen; the long help adds the discussion, examples and exit codes.
func help(for path: [Command], isLong: Bool, width: Int = 80, style: Style = .plain) -> String {
  HelpText(
    page: CommandPage(path: path),
    isLong: isLong,
    width: min(max(width, 40), 100),
    style: style
  ).text
}

private struct HelpText {
  let page: CommandPage
  let isLong: Bool
  let width: Int
  let style: Style

  var text: String {
    let usage = ([page.title] + page.usage).joined(separator: " ")
    var parts = [
      wrap("\(page.title): \(page.command.summary)", width: width),
      style.bold("Usage:") + " " + usage,
    ]
    if isLong {
      if !page.command.discussion.isEmpty {
        parts.append(page.paragraphs.map { wrap($0, width: width) }.joined(separator: "\n"))
      }
      parts.append(section("Examples", body: examples))
    }
    parts += page.commands.map { section($0.title, body: list($0.rows)) }
    parts.append(section("Arguments", body: list(page.arguments)))
    parts.append(section("Flags", body: list(page.flags)))
    parts.append(section("Flags of all commands", body: list(page.inheritedFlags)))
    if isLong {
      parts.append(section("Environment", body: list(page.variables)))
      parts.append(section("Files", body: list(page.files)))
      parts.append(section("Exit status", body: list(page.exitCodes)))
    } else {
      parts.append("More: \(page.title) --help")
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private var examples: String {
    page.command.examples.map { "  \($0.name)\n" + wrap($0.meaning, width: width, indent: 6) }
      .joined(separator: "\n")
  }

  private func section(_ title: String, body: String) -> String {
    body.isEmpty ? "" : style.bold(title + ":") + "\n" + body
  }

  private func list(_ rows: [CommandPage.Row]) -> String {
    guard width >= 60 else {
      return rows.map { row in
        "  \(row.name.drop { $0 == " " })\n" + wrap(row.meaning, width: width, indent: 6)
      }.joined(separator: "\n")
    }
    let column = min((rows.map { displayWidth($0.name) }.max() ?? 0) + 4, 28)
    return rows.map { row in
      let text = wrap(row.meaning, width: width, indent: column)
      let room = column - 2 - displayWidth(row.name)
      guard room >= 2 else { return "  \(row.name)\n\(text)" }
      return "  " + row.name + String(repeating: " ", count: room) + text.dropFirst(column)
    }.joined(separator: "\n")
  }
}
