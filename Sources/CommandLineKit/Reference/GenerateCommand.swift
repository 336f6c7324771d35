import FoundationEssentials

extension Command {
  package static func generate(for program: @escaping @Sendable () -> Program) -> Command {
    let folder = Parameter<String>.positional(
      "FOLDER",
      type: .folder,
      help: "The folder for the pages; created if it does not exist."
    )
    return Command(
      "generate",
      summary: "Writes manual pages and the command reference, for packagers.",
      subcommands: [
        Command(
          "man",
          summary: "Writes a manual page for each command to a folder.",
          parameters: [folder]
        ) { call in
          let program = program()
          let url = URL(fileURLWithPath: call.arguments[folder], isDirectory: true)
          do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            for page in CommandPage.all(of: program.command) {
              let manual = ManualPage(page, of: program)
              try Data(manual.text.utf8).write(
                to: url.appendingPathComponent(manual.fileName),
                options: .atomic
              )
            }
          } catch {
            throw CommandError(
              .failure,
              message:
                "Can't write the manual pages to \(call.arguments[folder]): \(reason(of: error))",
              hint: "Name a folder that you can write to, on a disk with free space."
            )
          }
          return .success
        },
        Command("reference", summary: "Writes the reference as Markdown to standard output.") {
          call in
          try call.output.write(reference(for: program()))
          return .success
        },
      ]
    )
  }
}
