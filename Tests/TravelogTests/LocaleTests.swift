import Foundation
import TestSupport
import Testing

@testable import travelog

@Suite("Quotes and long values in what programs print")
struct LocaleTests {
  private let names = Travelog.program.command.subcommands.map(\.name)
  /// Command lines that end with an error in which something is in quotes or shortened.
  private let mistakes = [
    ["exprot"], ["export"], ["log", "--frobnicate"], ["log", "none.store", "--limit", "many"],
    ["--color", "blue", "log", "a"], ["blame", "a", "Trip", "--where", "name"],
    ["export", "a", "--to", "b", "--max-file-size", "64"], ["undo", "a", "x"],
    ["report", "a", "--fail-on", "damge"], ["verify", "a", "--after", "1"],
    ["import", "none", "--into", "b"],
  ]

  @Test("Help and errors are ASCII in a locale that is not UTF-8.")
  func plainLocale() throws {
    for environment in [["LC_ALL": "C"], ["LC_ALL": "", "LANG": "de_DE.ISO-8859-1"]] {
      for line in names.flatMap({ [[$0, "-h"], ["help", $0]] }) + [["--help"], ["-h"]] {
        let help = try travelog(line, environment: environment)
        #expect(help.code == 0 && help.bytes.allSatisfy { $0 < 128 }, "\(line)")
      }
      for line in mistakes {
        let plain = try travelog(line, environment: environment)
        let quoted = try travelog(line)
        #expect(plain.code == quoted.code && plain.code != 0, "\(line)")
        #expect(plain.errors.utf8.allSatisfy { $0 < 128 }, "\(line): \(plain.errors)")
        #expect(!quoted.errors.utf8.allSatisfy { $0 < 128 }, "\(line): \(quoted.errors)")
      }
    }
  }

  @Test(
    "In a locale that is not UTF-8, log, show, blame, diff and undo put ASCII quotes around names, and show values unchanged."
  )
  func plainTexts() throws {
    try withTemporaryFolder { folder in
      let store = folder.path + "/trips.store"
      let name = "The “Pier” Inn"
      func trips(_ arguments: String...) throws {
        #expect(try run(products + "/trips", arguments).code == 0, "\(arguments)")
      }
      try trips(
        "add",
        store,
        "--name",
        name,
        "--destination",
        "Bergen",
        "--start",
        "2026-12-01",
        "--end",
        "2026-12-08"
      )
      try trips("edit", store, name, "--notes", String(repeating: "fjord ", count: 100))
      for command in [
        ["log", store, "--patch"], ["show", store, "1"], ["blame", store, "Trip", "1"],
        ["diff", store + "@1", store], ["undo", store, "1-2", "--dry-run"],
      ] {
        let plain = try travelog(command, environment: ["LC_ALL": "C"])
        let quoted = try travelog(command)
        #expect(plain.code == quoted.code, "\(command): \(plain.errors)")
        #expect(plain.output.contains("Trip 1 \"\(name)\""), "\(command): \(plain.output)")
        #expect(quoted.output.contains("Trip 1 “\(name)”"), "\(command): \(quoted.output)")
        #expect(!plain.output.contains("…"), "\(command): \(plain.output)")
        #expect(plain.output.contains("... (") == quoted.output.contains("… ("), "\(command)")
      }
      #expect(try travelog("blame", store, "Trip", "1").output.contains("… (602 characters)"))
    }
  }

  @Test("An error contains at most 80 characters of a value, and the size of a longer one.")
  func longValues() throws {
    let long = String(repeating: "x", count: 500)
    for line in [
      [long], ["log", "--" + long], ["log", "a", "--limit", long], ["show", "a", "1", long],
      ["log", "a", "-l", "-" + long], ["help", long],
    ] {
      let run = try travelog(line)
      let words = line.joined(separator: " ").prefix(60)
      #expect(run.code != 0 && run.errors.utf8.count < 1000, "\(words): \(run.errors)")
      #expect(run.errors.contains("characters)"), "\(words): \(run.errors)")
      #expect(!run.errors.contains(long.prefix(81)), "\(words): \(run.errors)")
    }
  }

  @Test("A shell can read the command lines that messages contain.")
  func shellLines() throws {
    // A quote with a combining accent is one character.
    let words = [
      "a'\u{301}b", "\"\u{301}", "back\\slash", "two\nlines", "$(date) `date`", "é *", "",
    ]
    let line = "travelog() { printf '%s\\0' \"$@\"; }\n" + shellLine(["travelog"] + words)
    let read = try run("/bin/sh", ["-c", line]).output
    #expect(read.utf8.elementsEqual(words.map { $0 + "\0" }.joined().utf8), "\(read)")
  }
}
