import Testing

@testable import CommandLineKit

@Suite("Parsing a command line")
struct ParsingTests {
  @Test("A value follows its flag after a blank, an equals sign, or directly after a letter.")
  func values() throws {
    for words in [["--times", "3"], ["--times=3"], ["-t", "3"], ["-t3"], ["-t=3"]] {
      guard case .run(_, let found) = try parse(["hello", "Kim"] + words, for: Greeting.command)
      else {
        Issue.record("\(words) run no command")
        continue
      }
      #expect(found[Greeting.times] == 3, "\(words)")
    }
  }

  @Test("A missing flag has its default, or no value.")
  func defaults() throws {
    let found = try Greeting.arguments("hello", "Kim")
    #expect(found[Greeting.name] == "Kim")
    #expect(found[Greeting.others] == [])
    #expect(found[Greeting.times] == 1)
    #expect(found[Greeting.mood] == nil)
    #expect(found[Greeting.gifts] == [])
    #expect(!found[Greeting.loud])
    #expect(!found[Greeting.verbose])
  }

  @Test(
    "Flags are accepted at any place, those of the program included, and letters can be combined."
  )
  func places() throws {
    let found = try Greeting.arguments("-v", "hello", "--loud", "Kim", "-vv", "Ada", "--verbose")
    #expect(found[Greeting.verbose])
    #expect(found[Greeting.loud])
    #expect(found[Greeting.name] == "Kim")
    #expect(found[Greeting.others] == ["Ada"])
    let joined = try Greeting.arguments("hello", "Kim", "-lvt2")
    #expect(joined[Greeting.loud] && joined[Greeting.verbose] && joined[Greeting.times] == 2)
  }

  @Test("After two dashes nothing is a flag, and one dash is a value.")
  func dashes() throws {
    let found = try Greeting.arguments("hello", "--gift", "-", "--", "--loud", "-l", "-")
    #expect(found[Greeting.name] == "--loud")
    #expect(found[Greeting.others] == ["-l", "-"])
    #expect(found[Greeting.gifts] == ["-"])
    #expect(!found[Greeting.loud])
  }

  @Test("The flags -V and --version of the program show the version.")
  func version() throws {
    for word in ["-V", "--version"] {
      guard case .version = try parse([word], for: Greeting.command) else {
        Issue.record("\(word) does not show the version")
        continue
      }
    }
    #expect(Greeting.error("hello", "Kim", "-V")?.code == .usage)
  }

  @Test("A repeatable flag keeps all values, and any other flag is refused the second time.")
  func repetition() throws {
    let found = try Greeting.arguments("hello", "Kim", "--gift", "tea", "--gift=", "--gift=--x")
    #expect(found[Greeting.gifts] == ["tea", "", "--x"])
    #expect(
      Greeting.error("hello", "Kim", "-t1", "--times", "2")?.message == "--times was given twice."
    )
    #expect(try Greeting.arguments("hello", "Kim", "--loud", "-l")[Greeting.loud])
  }

  @Test("Each mistake is reported in a sentence, with a guess at what was meant, and ends with 64.")
  func mistakes() {
    let cases: [(words: [String], message: String, hint: String?)] = [
      (["helo", "Kim"], "There is no command “helo”.", "Did you mean “hello”?"),
      (["quit"], "There is no command “quit”.", "The known names are hello, note, deep."),
      (
        ["hello", "Kim", "--load"], "greet hello does not have a flag --load.",
        "Did you mean “--loud”?"
      ),
      (
        ["hello", "Kim", "--secre"], "greet hello does not have a flag --secre.",
        "See “greet hello --help”."
      ),
      (
        ["hello", "Kim", "-x"], "greet hello does not have a flag -x.", "See “greet hello --help”."
      ),
      (
        ["hello", "Kim", "--loud=yes"],
        "--loud does not take a value; leave out “=” and the value.", nil
      ),
      (["hello", "Kim", "-t"], "--times needs a value: --times NUMBER.", nil),
      (
        ["hello", "Kim", "--gift", "--loud"], "--gift needs a value: --gift TEXT.",
        "Write a value that begins with a dash as --gift=--loud."
      ),
      (
        ["hello", "Kim", "-t", "11"],
        "“11” is not a value for --times; give a whole number from 1 to 10.", nil
      ),
      (
        ["hello", "Kim", "-t", "-3"],
        "“-3” is not a value for --times; give a whole number from 1 to 10.", nil
      ),
      (
        ["hello", "Kim", "-m", "glod"], "“glod” is not a value for --mood; give glad or gloomy.",
        "Did you mean “glad”?"
      ),
      (
        ["hello"], "Missing NAME (who to greet).",
        "Example: greet hello Kim --times 3. See “greet hello --help”."
      ),
      (["note"], "Missing --log FILE (where to note it).", "See “greet note --help”."),
      (
        ["note", "--log", "x", "y"], "greet note has an argument too many: “y”.",
        "See “greet note --help”. Put a value with blanks in quotes."
      ),
      (["deep"], "Missing command: one of down.", "See “greet deep --help”."),
      (["help", "helo"], "There is no command “helo”.", "Did you mean “hello”?"),
      (
        ["hello", "--version"], "greet hello does not have a flag --version.",
        "See “greet hello --help”."
      ),
    ]
    for (words, message, hint) in cases {
      do {
        _ = try parse(words, for: Greeting.command)
        Issue.record("\(words) are accepted")
      } catch {
        #expect(error as? CommandError == CommandError(.usage, message: message, hint: hint))
      }
    }
  }

  @Test("Help is shown wherever it is requested, short or long, before any check.")
  func help() throws {
    func asks(_ words: [String]) throws -> String {
      switch try parse(words, for: Greeting.command) {
      case .help(let path, let isLong):
        path.map(\.name).joined(separator: " ") + (isLong ? " long" : " short")
      case .version: "version"
      case .run: "run"
      case .complete(let words): "complete " + words.joined(separator: " ")
      }
    }
    #expect(try asks([]) == "greet short")
    #expect(try asks(["-h"]) == "greet short")
    #expect(try asks(["--help"]) == "greet long")
    #expect(try asks(["help"]) == "greet long")
    #expect(try asks(["help", "deep", "down"]) == "greet deep down long")
    #expect(try asks(["hello", "-h"]) == "greet hello short")
    #expect(try asks(["deep", "--help"]) == "greet deep long")
    #expect(try asks(["note", "--help"]) == "greet note long")
    #expect(try asks(["--version"]) == "version")
    #expect(try asks(["__complete", "hello", "-"]) == "complete hello -")
  }

  @Test(
    "A misspelt word is recognised after a swap, a wrong letter or a prefix, and not otherwise."
  )
  func suggestions() {
    let words = ["export", "import", "verify", "status"]
    #expect(nearest(to: "exprot", in: words) == "export")
    #expect(nearest(to: "imort", in: words) == "import")
    #expect(nearest(to: "ver", in: words) == "verify")
    #expect(nearest(to: "VERIFY", in: words) == "verify")
    #expect(nearest(to: "prune", in: words) == nil)
    #expect(nearest(to: "", in: words) == nil)
    #expect(editDistance("", "abc") == 3)
    #expect(editDistance("abcd", "badc") == 2)
  }
}
