/// The help of a command, by the path that leads to it.
///
/// The short one fits a screen; the long one begins with examples and ends with the exit codes.
func help(for path: [Command], isLong: Bool, width: Int = 80, style: Style = .plain) -> String {
  HelpText(path: path, isLong: isLong, width: min(max(width, 40), 100), style: style).text
}

private struct HelpText {
  let path: [Command]
  let isLong: Bool
  let width: Int
  let style: Style

  private var command: Command { path[path.count - 1] }
  private var title: String { path.map(\.name).joined(separator: " ") }

  var text: String {
    var parts = [wrap("\(title): \(command.summary)", width: width), usage]
    if isLong {
      if !command.discussion.isEmpty {
        parts.append(
          command.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            .map { wrap(String($0), width: width) }.joined(separator: "\n")
        )
      }
      parts.append(section("Examples", examples))
    }
    parts.append(section("Commands", list(command.subcommands.map { ($0.name, $0.summary) })))
    parts.append(section("Arguments", list(command.positionals.map(row))))
    parts.append(section("Flags", list(command.flags.filter(isShown).map(row) + ownFlags)))
    parts.append(section("Flags of all commands", list(inherited.filter(isShown).map(row))))
    if isLong {
      parts.append(section("Environment", list(variables)))
      parts.append(section("Files", list(command.files.map { ($0.name, $0.meaning) })))
      parts.append(
        section(
          "Exit status",
          list(command.possibleExitCodes.map { ("\($0.number)", $0.meaning) })
        )
      )
    } else {
      parts.append("More: \(title) --help")
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private var inherited: [Declaration] { path.dropLast().flatMap(\.flags) }

  private func isShown(_ flag: Declaration) -> Bool { !flag.isHidden }

  private var ownFlags: [(String, String)] {
    var rows = [("-h, --help", "Show help; -h the short one.")]
    if path.count == 1 { rows.append(("    --version", "Show the version.")) }
    return rows
  }

  private var usage: String {
    var words = [title]
    if command.subcommands.isEmpty {
      words += command.flags.filter { $0.isRequired }.map { "\($0.spelling) \($0.placeholder)" }
      if command.flags.contains(where: { !$0.isRequired && !$0.isHidden }) {
        words.append("[FLAGS]")
      }
      words += command.positionals.map { positional in
        let name = positional.name + (positional.arity == .many ? "..." : "")
        return positional.isRequired ? name : "[\(name)]"
      }
    } else {
      words.append("COMMAND ...")
    }
    return style.bold("Usage:") + " " + words.joined(separator: " ")
  }

  private var examples: String {
    command.examples.map { "  \($0.line)\n" + wrap($0.meaning, width: width, indent: 6) }
      .joined(separator: "\n")
  }

  private var variables: [(String, String)] {
    (command.flags + inherited).compactMap { flag in
      flag.variable.map { ($0, "The value of \(flag.spelling), where that is not given.") }
    } + path.flatMap(\.environment).map { ($0.name, $0.meaning) }
  }

  private func row(_ parameter: Declaration) -> (String, String) {
    var name = parameter.name + (parameter.arity == .many ? "..." : "")
    if !parameter.isPositional {
      let short = parameter.short.map { "-\($0), " } ?? "    "
      let value = parameter.arity == .none ? "" : " \(parameter.placeholder)"
      name = short + parameter.spelling + value
    }
    var help = parameter.help
    if let fallback = parameter.fallback { help += " Default: \(fallback)." }
    if parameter.isRepeatable { help += " May be given several times." }
    return (name, help)
  }

  private func section(_ title: String, _ body: String) -> String {
    body.isEmpty ? "" : style.bold(title + ":") + "\n" + body
  }

  private func list(_ rows: [(String, String)]) -> String {
    let column = min((rows.map { displayWidth($0.0) }.max() ?? 0) + 4, 28)
    return rows.map { name, meaning in
      let text = wrap(meaning, width: width, indent: column)
      let room = column - 2 - displayWidth(name)
      guard room >= 2 else { return "  \(name)\n\(text)" }
      return "  " + name + String(repeating: " ", count: room) + text.dropFirst(column)
    }.joined(separator: "\n")
  }
}
