import Foundation
import TestSupport
import Testing

@testable import travelog

@Suite("The reference, manual pages and completions of travelog")
struct ReferenceTests {
  @Test("docs/CLI.md equals the output of the program; make reference writes it.")
  func reference() throws {
    let page = try String(
      contentsOf: packageRoot.appendingPathComponent("docs/CLI.md"),
      encoding: .utf8
    )
    #expect(
      try travelog("generate", "reference").output == page,
      "docs/CLI.md is out of date; “make reference” writes it."
    )
  }

  @Test("Every command has a manual page that the formatters accept without warnings.")
  func manualPages() throws {
    try withTemporaryFolder { folder in
      #expect(try travelog("generate", "man", folder.path).code == 0)
      let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(pages.contains("travelog.1"))
      #expect(pages.contains("travelog-export.1"))
      #expect(pages.contains("travelog-generate-man.1"))
      for page in pages {
        let path = folder.path + "/" + page
        if let groff = installed("groff") {
          let format = try run(groff, ["-man", "-ww", "-z", "-Tutf8", path])
          #expect(format.code == 0 && format.errors == "", "\(format.errors)")
        }
        if let mandoc = installed("mandoc") {
          let lint = try run(mandoc, ["-T", "lint", "-W", "warning", path])
          // Pages have no date, so that they are reproducible.
          let faults = lint.output.split(separator: "\n").filter { !$0.contains("missing date") }
          #expect(faults == [], "\(faults)")
        }
      }
    }
  }

  @Test("Each example in the help is a valid command line, and each command has at most four.")
  func examples() throws {
    try withTemporaryFolder { folder in
      try Data(String(repeating: "0", count: 64).utf8)
        .write(to: folder.appendingPathComponent("head.txt"))
      try Data(("500:" + String(repeating: "0", count: 64)).utf8)
        .write(to: folder.appendingPathComponent("position.txt"))
      for command in Travelog.program.command.subcommands where command.action != nil {
        let help = try travelog(command.name, "--help").output
        let start = try #require(help.range(of: "Examples:\n"), "\(command.name)")
        let section = try #require(help[start.upperBound...].components(separatedBy: "\n\n").first)
        let lines = section.split(separator: "\n").filter { !$0.hasPrefix("   ") }
        #expect((1...4).contains(lines.count), "\(command.name)")
        for line in lines {
          let run = try run(
            try #require(installed("bash")),
            ["-c", "cd '\(folder.path)' && \(line)"],
            environment: ["PATH": products + ":/usr/bin:/bin", "HOME": folder.path]
          )
          #expect(run.code != 64 && run.code != 127, "\(line): \(run.errors)")
        }
      }
    }
  }

  /// What bash offers for a line that ends where the cursor is.
  private func bash(_ words: [String], in folder: URL, setup: String = "") throws -> [String] {
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      set -u; source <(travelog completions bash)
      cd '\(folder.path)'
      COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
      \(setup)
      _travelog
      if [ ${#COMPREPLY[@]} -gt 0 ]; then printf '%s\\n' "${COMPREPLY[@]}"; fi
      """
    let run = try run(
      try #require(installed("bash")),
      ["-c", script],
      environment: ["PATH": products + ":/usr/bin:/bin", "HOME": folder.path]
    )
    #expect(run.code == 0 && run.errors == "", "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test("bash completes commands, flags, values, files and folders.")
  func bashCompletes() throws {
    try withTemporaryFolder { folder in
      for name in ["trips.store", "two words.store", "notes.txt"] {
        try Data().write(to: folder.appendingPathComponent(name))
      }
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("logs"),
        withIntermediateDirectories: false
      )
      func offers(_ words: String...) throws -> [String] { try bash(words, in: folder) }
      #expect(try offers("travelog", "ex") == ["export"])
      #expect(try offers("travelog", "") != [])
      #expect(try offers("travelog", "export", "--er") == ["--error-if-empty"])
      #expect(try offers("travelog", "--color", "a") == ["always", "auto"])
      // bash splits a flag and its value at the equals sign.
      #expect(try offers("travelog", "--color", "=", "al") == ["always"])
      #expect(try offers("travelog", "--color", "=") == ["always", "auto", "never"])
      #expect(
        try offers("travelog", "diff", "a", "b", "--format", "") == [
          "csv", "html", "json", "sql", "text",
        ]
      )
      #expect(try offers("travelog", "export", "t") == ["trips.store", "two words.store"])
      #expect(try offers("travelog", "export", "--to", "") == ["logs"])
      #expect(try offers("travelog", "log", "logs@08", ":", "00", "--pa") == ["--patch"])
      #expect(try offers("travelog", "help", "ver") == ["verify"])
      #expect(try offers("travelog", "completions", "") == ["bash", "fish", "zsh"])
      #expect(try offers("travelog", "nonsense", "") == [])
    }
  }

  @Test("zsh and fish, if installed, accept their scripts, and fish offers the same words.")
  func otherShells() throws {
    try withTemporaryFolder { folder in
      let environment = ["PATH": products + ":/usr/bin:/bin", "HOME": folder.path]
      if let zsh = installed("zsh") {
        let script =
          "autoload -Uz compinit && compinit -u -D && source <(travelog completions zsh)"
          + " && print -r -- $_comps[travelog]"
        let run = try run(zsh, ["-f", "-c", script], environment: environment)
        #expect(run.code == 0 && run.errors == "", "\(run.errors)")
        #expect(run.output == "_travelog\n")
      }
      if let fish = installed("fish") {
        try Data().write(to: folder.appendingPathComponent("trips.store"))
        func offers(_ line: String) throws -> [String] {
          let script =
            "cd '\(folder.path)'; travelog completions fish | source; complete -C '\(line)'"
          let run = try run(fish, ["--no-config", "-c", script], environment: environment)
          #expect(run.code == 0 && run.errors == "", "\(run.errors)")
          return run.output.split(separator: "\n").map {
            String($0.split(separator: "\t").first ?? "")
          }
        }
        #expect(try offers("travelog exp") == ["export"])
        #expect(try offers("travelog export --er") == ["--error-if-empty"])
        #expect(try offers("travelog --color=al") == ["--color=always"])
        #expect(try offers("travelog export tri") == ["trips.store"])
      }
    }
  }
}
