import Testing

@testable import CommandLineKit

@Suite("Help and layout")
struct HelpTests {
  private var path: [Command] {
    [Greeting.command] + Greeting.command.subcommands.filter { $0.name == "hello" }
  }

  @Test("The short help has usage, arguments and flags.")
  func short() {
    #expect(
      help(for: path, isLong: false) == """
        greet hello: Says hello.

        Usage: greet hello [FLAGS] NAME [OTHER...]

        Arguments:
          NAME      Who to greet.
          OTHER...  Who else.

        Flags:
          -t, --times NUMBER  How often. Default: 1.
          -m, --mood WORD     In what mood.
              --gift TEXT     What to bring. May be given several times.
          -l, --loud          In capitals.
          -h, --help          Show help; -h shows a short version.

        Flags of all commands:
          -v, --verbose  Say more.

        More: greet hello --help

        """
    )
  }

  @Test("The long help has examples first, and ends with variables and exit codes.")
  func long() {
    #expect(
      help(for: path, isLong: true) == """
        greet hello: Says hello.

        Usage: greet hello [FLAGS] NAME [OTHER...]

        Politely, and as often as is asked for.

        Examples:
          greet hello Kim --times 3
              Three times.

        Arguments:
          NAME      Who to greet.
          OTHER...  Who else.

        Flags:
          -t, --times NUMBER  How often. Default: 1.
          -m, --mood WORD     In what mood.
              --gift TEXT     What to bring. May be given several times.
          -l, --loud          In capitals.
          -h, --help          Show help; -h shows a short version.

        Flags of all commands:
          -v, --verbose  Say more.

        Environment:
          LANG  The language.

        Exit status:
          0   success, even if there was nothing to do
          2   failed
          10  a store, folder, file or object is missing
          64  the command line is wrong

        """
    )
  }

  @Test("Help fits the width of the terminal, at any width.")
  func width() {
    for width in 20...140 {
      let text = help(for: path, isLong: true, width: width)
      let longest = text.split(separator: "\n").map { displayWidth(String($0)) }.max() ?? 0
      #expect(longest <= min(max(width, 40), 100) + 5, "\(width)")
    }
  }

  @Test("On a narrow terminal the help of a flag is below it and uses nearly the whole width.")
  func narrow() {
    #expect(
      help(for: path, isLong: false, width: 40).contains(
        """
        Flags:
          -t, --times NUMBER
              How often. Default: 1.
          -m, --mood WORD
              In what mood.
          --gift TEXT
              What to bring. May be given
              several times.
          -l, --loud
              In capitals.

        """.dropLast()
      )
    )
    #expect(help(for: path, isLong: false, width: 60).contains("-l, --loud          In capitals."))
  }

  @Test("Columns are aligned, also if letters are wide or have no width.")
  func layout() {
    #expect(
      columns([["a", "b"], ["京都", "c"], ["e\u{301}x", "d"], ["🏖️", ""]])
        == "a     b\n京都  c\ne\u{301}x    d\n🏖️\n"
    )
    #expect(wrap("one two three", width: 8, indent: 1) == " one two\n three")
    #expect(wrap("", width: 8) == "")
  }

  @Test("The exit codes are the documented ones, each once.")
  func exitCodes() {
    #expect(
      ExitCode.all.map(\.number) == [0, 1, 2, 4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 64, 130, 143]
    )
    #expect(Set(ExitCode.all.map(\.name)).count == ExitCode.all.count)
  }

  @Test("Colours depend on the flag, then the environment, then the terminal.")
  func colors() {
    func isColored(
      _ choice: ColorChoice,
      _ isTerminal: Bool,
      _ environment: [String: String] = [:]
    ) -> Bool {
      Style(choice, isTerminal: isTerminal, environment: environment).isColored
    }
    #expect(isColored(.auto, true) && !isColored(.auto, false))
    #expect(isColored(.always, false, ["NO_COLOR": "1"]) && !isColored(.never, true))
    #expect(!isColored(.auto, true, ["NO_COLOR": "1"]) && isColored(.auto, true, ["NO_COLOR": ""]))
    #expect(!isColored(.auto, true, ["TERM": "dumb"]))
    #expect(isColored(.auto, false, ["FORCE_COLOR": "1"]))
    #expect(isColored(.auto, false, ["CLICOLOR_FORCE": "1"]))
    #expect(!isColored(.auto, false, ["CLICOLOR_FORCE": "0"]))
    #expect(!isColored(.auto, false, ["FORCE_COLOR": "1", "NO_COLOR": "1"]))
    #expect(Style.colored.red("x") == "\u{1b}[31mx\u{1b}[0m" && Style.plain.red("x") == "x")
  }
}
