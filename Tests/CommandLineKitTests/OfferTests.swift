import Testing

@testable import CommandLineKit

@Suite("What a shell can offer")
struct OfferTests {
  private func words(_ line: String...) -> [String] {
    offer(for: line, of: Greeting.command).candidates.map(\.word)
  }

  @Test("commands come first, at every depth, with help beside them at the top")
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

  @Test("flags are offered where they can stand, and not twice")
  func flags() {
    #expect(words("hello", "--m") == ["--mood"])
    #expect(words("hello", "--mood", "glad", "--m") == [])
    #expect(words("hello", "--gift", "rose", "--gi") == ["--gift"])
    #expect(words("hello", "--ver") == ["--verbose"])
    #expect(words("--ver") == ["--verbose", "--version"])
    #expect(words("hello", "--", "--m") == [])
  }

  @Test("values are those of the flag before, in one word or two, long or short")
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

  @Test("files and folders are left to the shell, and where nothing can stand flags are offered")
  func paths() {
    #expect(offer(for: ["note", "--log", ""], of: Greeting.command).paths == .file)
    #expect(offer(for: ["note", "--log=a"], of: Greeting.command).paths == .file)
    #expect(offer(for: ["note", "--log", ""], of: Greeting.command).text == ":file\n")
    #expect(words("note", "") == ["--verbose", "--log", "--help"])
    #expect(words("hello", "Kim", "Lee", "") == [])
  }

  @Test("no words of a command line make it fail")
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
