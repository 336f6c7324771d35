/// All commands of a program as one page of Markdown.
func reference(for program: Program) -> String {
  let pages = CommandPage.all(of: program.command)
  var text = """
    # The command line of \(program.command.name)

    Made by `make reference` from the table that the parser, the help, the manual pages and the completions
    are made from; a change by hand is lost.


    """
  for page in pages.dropFirst() {
    text += "- [\(page.title)](#\(page.title.replacing(" ", with: "-"))): \(page.command.summary)\n"
  }
  for page in pages { text += "\n" + section(page) }
  return text
}

private func section(_ page: CommandPage) -> String {
  let usage = ([page.title] + page.usage).joined(separator: " ")
  var text = "## \(page.title)\n\n\(page.command.summary)\n\n```sh\n\(usage)\n```\n"
  if !page.command.discussion.isEmpty { text += "\n\(page.paragraphs.joined(separator: "\n"))\n" }
  for example in page.command.examples {
    text += "\n\(example.meaning)\n```sh\n\(example.name)\n```\n"
  }
  text += table("Command", rows: page.commands)
  text += table("Argument", rows: page.arguments)
  text += table("Flag", rows: page.flags)
  // They would say the same under each command.
  if page.path.count == 1 { text += table("Variable", rows: page.variables) }
  text += table("File", rows: page.files)
  text += table("Exit status", rows: page.exitCodes)
  return text
}

private func table(_ title: String, rows: [CommandPage.Row]) -> String {
  guard !rows.isEmpty else { return "" }
  let lines = rows.map { row in
    let name = row.name.trimmingPrefix { $0 == " " }.replacing("|", with: "\\|")
    return "| `\(name)` | \(row.meaning.replacing("|", with: "\\|")) |\n"
  }
  return "\n| \(title) | |\n|---|---|\n" + lines.joined()
}
