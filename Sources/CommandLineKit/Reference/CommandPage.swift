/// The content that a command's help, manual page and reference share.
struct CommandPage {
  typealias Row = Command.Note

  /// The command, preceded by its parent commands.
  let path: [Command]

  var command: Command { path[path.count - 1] }
  var title: String { path.map(\.name).joined(separator: " ") }

  /// The words that follow the title in the usage line.
  var usage: [String] {
    guard command.subcommands.isEmpty else { return ["COMMAND", "..."] }
    var words = command.flags.filter(\.isRequired).map { "\($0.spelling) \($0.placeholder)" }
    if command.flags.contains(where: { !$0.isRequired }) { words.append("[FLAGS]") }
    return words
      + command.positionals.map { positional in
        let name = positional.name + (positional.arity == .many ? "..." : "")
        return positional.isRequired && positional.substitute == nil ? name : "[\(name)]"
      }
  }

  var paragraphs: [String] {
    command.discussion.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  var commands: [(title: String, rows: [Row])] {
    command.groups.map { group in
      (group.title, group.commands.map { Row($0.name, meaning: $0.summary) })
    }
  }
  var arguments: [Row] { command.positionals.map(row) }
  /// The flags that only this command declares.
  var ownFlags: [Row] { command.flags.map(row) }
  var flags: [Row] {
    var rows = ownFlags
    rows.append(Row("-h, --help", meaning: "Show help; -h shows a short version."))
    if path.count == 1 { rows.append(Row("-V, --version", meaning: "Show the version.")) }
    return rows
  }
  var inheritedFlags: [Row] { inherited.map(row) }
  var variables: [Row] { path.flatMap(\.environment) }
  var files: [Row] { command.files }
  var exitCodes: [Row] {
    command.possibleExitCodes.map { Row("\($0.number)", meaning: $0.meaning) }
  }

  private var inherited: [Declaration] { path.dropLast().flatMap(\.flags) }

  private func row(_ parameter: Declaration) -> Row {
    var name = parameter.name + (parameter.arity == .many ? "..." : "")
    if !parameter.isPositional {
      let short = parameter.short.map { "-\($0), " } ?? "    "
      let value = parameter.arity == .none ? "" : " \(parameter.placeholder)"
      name = short + parameter.spelling + value
    }
    var help = parameter.help
    if let fallback = parameter.fallback { help += " Default: \(fallback)." }
    if parameter.isRepeatable { help += " May be given several times." }
    return Row(name, meaning: help)
  }
}

extension CommandPage {
  /// The page of a program, and the pages of all its commands.
  static func all(of program: Command) -> [CommandPage] {
    func pages(_ path: [Command]) -> [CommandPage] {
      [CommandPage(path: path)] + path[path.count - 1].subcommands.flatMap { pages(path + [$0]) }
    }
    return pages([program])
  }
}
