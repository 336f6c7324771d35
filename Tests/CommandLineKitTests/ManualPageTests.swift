import Testing

@testable import CommandLineKit

@Suite("Manual pages and the reference")
struct ManualPageTests {
  private let program = Program(Greeting.command, version: "greet 1.0")

  @Test("A manual page has everything that help has, in the language of man.")
  func page() {
    let path = [Greeting.command, Greeting.command.subcommands[0]]
    let page = ManualPage(CommandPage(path: path), of: program)
    #expect(page.fileName == "greet-hello.1")
    #expect(
      page.text.hasPrefix(
        """
        .TH "GREET\\-HELLO" "1" "" "greet 1.0" "User Commands"
        .SH "NAME"
        greet\\-hello \\- Says hello
        .SH "SYNOPSIS"
        .B "greet hello"
        [FLAGS] NAME [OTHER...]
        .SH "DESCRIPTION"
        Politely, and as often as is asked for.
        .SH "EXAMPLES"
        .TP
        .B "greet hello Kim \\-\\-times 3"
        Three times.

        """
      )
    )
    #expect(page.text.contains(".B \"\\-t, \\-\\-times NUMBER\"\nHow often. Default: 1.\n"))
    #expect(page.text.contains(".TP\n.B \"64\"\nthe command line is wrong\n"))
    #expect(page.text.hasSuffix(".SH \"SEE ALSO\"\ngreet(1)\n"))
  }

  @Test("No text is mistaken for a command of the man language.")
  func escaping() {
    let command = Command(
      "odd",
      summary: "Says “x” \\ y.",
      discussion: ".SH begins a line\n\n'quoted' — 京",
      examples: ["odd \"a\"": ".B bold"],
      parameters: []
    ) { _ in .success }
    let text = ManualPage(CommandPage(path: [command]), of: program).text
    #expect(text.contains("odd \\- Says \\(lqx\\(rq \\e y\n"))
    #expect(text.contains("\n\\&.SH begins a line\n.PP\n\\&'quoted' \\[u2014] \\[u4EAC]\n"))
    #expect(text.contains(".B \"odd \\(dqa\\(dq\"\n\\&.B bold\n"))
  }

  @Test("The reference has every command once.")
  func referencePage() {
    let text = reference(for: program)
    for name in ["greet hello", "greet note", "greet deep", "greet deep down"] {
      #expect(text.components(of: "\n## \(name)\n") == 2, "\(name)")
    }
    #expect(text.contains("\n- `-m, --mood WORD`: In what mood."))
  }
}

extension String {
  fileprivate func components(of separator: String) -> Int { split(separator: separator).count }
}
