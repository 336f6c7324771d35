import Testing

@testable import CommandLineKit

@Suite("Completions in a shell")
struct OfferTests {
  private func words(_ line: String...) -> [String] {
    offer(for: line, of: Greeting.command).candidates.map(\.word)
  }

  @Test("Commands are offered first at every depth, and the top level also offers help.")
  func commands() {
    #expect(words("") == ["hello", "note", "deep", "help"])
    #expect(words("he") == ["hello", "help"])
    #expect(words("--verbose", "he") == ["hello", "help"])
    #expect(words("deep", "") == ["down"])
    #expect(words("help", "") == ["hello", "note", "deep"])
    #expect(words("help", "deep", "") == ["down"])
    #expect(words("unknown", "") == [])
    #expect(words() == ["hello", "note", "deep", "help"])
  }

  @Test("Flags are offered where they are allowed, and not twice.")
  func flags() {
    #expect(words("hello", "--m") == ["--mood"])
    #expect(words("hello", "--mood", "glad", "--m") == [])
    #expect(words("hello", "--gift", "rose", "--gi") == ["--gift"])
    #expect(words("hello", "--ver") == ["--verbose"])
    #expect(words("--ver") == ["--verbose", "--version"])
    #expect(words("hello", "--", "--m") == [])
  }

  @Test("A flag's values are offered after its long or short name, in one word or two.")
  func values() {
    #expect(words("hello", "--mood", "") == ["glad", "gloomy"])
    #expect(words("hello", "--mood", "glo") == ["gloomy"])
    #expect(words("hello", "--mood=") == ["--mood=glad", "--mood=gloomy"])
    #expect(words("hello", "-m", "gla") == ["glad"])
    #expect(words("hello", "-lm", "gla") == ["glad"])
    #expect(words("hello", "-mglad", "--t") == ["--times"])
    #expect(words("hello", "--times", "") == [])
    #expect(words("hello", "--unknown=") == [])
  }

  @Test("The shell completes files and folders; flags are offered if no argument is allowed.")
  func paths() {
    #expect(offer(for: ["note", "--log", ""], of: Greeting.command).paths == .file)
    #expect(offer(for: ["note", "--log=a"], of: Greeting.command).paths == .file)
    #expect(offer(for: ["note", "--log", ""], of: Greeting.command).text == ":file\n")
    #expect(words("note", "") == ["--verbose", "--log", "--help"])
    #expect(words("hello", "Kim", "Lee", "") == [])
  }

  @Test("Completion accepts any words of a command line.")
  func anything() {
    let pieces = [
      "", "-", "--", "--=", "-=", "=", "hello", "note", "deep", "help", "--mood", "--mood=", "-m",
      "-lm", "-z", "é", "__complete", "--log",
    ]
    for first in pieces {
      for second in pieces {
        for third in pieces {
          let text = offer(for: [first, second, third], of: Greeting.command).text
          #expect(text.split(separator: "\n").allSatisfy { $0 == ":file" || $0.hasPrefix(third) })
        }
      }
    }
  }
}
