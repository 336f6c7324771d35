import Foundation
import SQLite
import TestSupport
import Testing

@Suite("The trips program")
struct ProgramTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("trips.store").path
  }

  private func addNorway() throws {
    let outcome = try trips(
      "add",
      store,
      "--name",
      "Norway",
      "--destination",
      "Bergen",
      "--start",
      "2026-06-01",
      "--end",
      "2026-06-14"
    )
    #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.messages.isEmpty)
  }

  @Test("A trip is added, listed, changed, booked, confirmed, shown and deleted.")
  func life() throws {
    try addNorway()
    let added = try trips("list", store)
    #expect(added.output == "2026-06-01  2026-06-14  idea  Norway  Bergen\n")
    #expect(added.code == 0 && added.messages.isEmpty)
    #expect(try trips("edit", store, "Norway", "--item", "Fjord", "--favorite", "yes").code == 0)
    #expect(try trips("book", store, "Norway", "--place", "Hotel Nordlys").code == 0)
    #expect(try trips("widget", "confirm", store, "Norway").code == 0)
    #expect(
      try trips("show", store, "Norway").output == """
        Norway
        Destination  Bergen
        From         2026-06-01
        To           2026-06-14
        Status       booked, a favorite
        Stay         Hotel Nordlys,  (confirmed)

        Bucket list
        [ ] Fjord

        """
    )
    let authors = try rows(
      "SELECT coalesce(author, 'none'), process FROM history_transaction ORDER BY id",
      in: URL(fileURLWithPath: store)
    )
    #expect(
      authors == Array(repeating: "com.example.SampleTrips|trips", count: 3)
        + ["com.example.SampleTrips.widget|trips"]
    )
    #expect(try trips("delete", store, "Norway").code == 0)
    #expect(try trips("list", store).output == "")
  }

  @Test("A trip has a badge after the widget changed it, until it is shown.")
  func badges() throws {
    try addNorway()
    let plain = "2026-06-01  2026-06-14  idea  Norway  Bergen\n"
    let marked = "2026-06-01  2026-06-14  idea  Norway  Bergen  * changed by the widget\n"
    #expect(try trips("book", store, "Norway", "--place", "Hotel Nordlys").code == 0)
    #expect(try trips("list", store).output == plain.replacing("idea", with: "booked"))
    #expect(try trips("widget", "confirm", store, "Norway").code == 0)
    // Listing removes no badge, and neither does a change by the app.
    for _ in 0..<2 {
      #expect(try trips("list", store).output == marked.replacing("idea", with: "booked"))
    }
    #expect(try trips("edit", store, "Norway", "--status", "idea").code == 0)
    #expect(try trips("list", store).output == marked)
    #expect(try trips("list", store, "--json").output.contains(#""has_badge":true"#))
    #expect(try trips("show", store, "Norway").code == 0)
    #expect(try trips("list", store).output == plain)
    // A change that was seen before the list was shown has no badge.
    #expect(try trips("book", store, "Norway", "--place", "Cabin").code == 0)
    #expect(try trips("widget", "confirm", store, "Norway").code == 0)
    #expect(try trips("show", store, "Norway").code == 0)
    #expect(try trips("list", store, "--json").output.contains(#""has_badge":false"#))
    // A damaged file, or one of another store, is not trusted.
    try FileManager.default.removeItem(atPath: store)
    try addNorway()
    #expect(try trips("list", store).output == plain)
    try Data("{".utf8).write(to: URL(fileURLWithPath: store + "-unseen.json"))
    let broken = try trips("list", store)
    #expect(broken.code == 2 && broken.messages.contains("Remove this file"))
  }

  @Test("JSON answers have one object per line.")
  func json() throws {
    try addNorway()
    let line = try trips("--json", "list", store).output
    #expect(line.hasSuffix("}\n") && line.split(separator: "\n").count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["name"] as? String == "Norway")
    #expect(object?["start_date"] as? String == "2026-06-01T00:00:00Z")
    #expect(object?["schema"] as? Int == 1)
    let error = try trips("show", store, "Japan", "--json")
    #expect(error.code == 10 && error.output.isEmpty)
    #expect(
      error.messages == #"{"code":10,"message":"There is no trip with the name “Japan”.","#
        + #""name":"missing","schema":1,"type":"error"}"# + "\n"
    )
  }

  @Test("Each failure has its code and a sentence, and writes nothing to standard output.")
  func failures() throws {
    try addNorway()
    let garbage = folder.file("garbage").path
    try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: garbage))
    let missing = folder.file("missing.store").path
    let cases: [(words: [String], code: Int32, message: String)] = [
      (["list", missing], 10, "There is no store \(missing)."),
      (["show", store, "Nor"], 10, "Similar name: “Norway”."),
      (["delete", store, "x"], 10, "There is no trip with the name “x”."),
      (["widget", "confirm", store, "Norway"], 10, "does not have a place to stay"),
      (["list", garbage], 4, garbage),
      (["seed", store], 2, "exists already"),
      (
        [
          "add", store, "--name", "Norway", "--destination", "Oslo", "--start", "2026-06-01",
          "--end", "2026-06-14",
        ], 2, "There is already a trip with the name “Norway”."
      ),
      (["edit", store, "Norway", "--end", "2026-05-01"], 64, "before it begins on 2026-06-01."),
      (["edit", store, "Norway"], 64, "No change was given"),
      (["edit", store, "Norway", "--status", "bookd"], 64, "Did you mean “booked”?"),
      (["lst", store], 64, "Did you mean “list”?"),
      (["list"], 64, "Missing STORE"),
      (["add", store, "--name", "x"], 64, "--destination"),
      (["seed", "x", "--changes", "many"], 64, "“many” is not a value for --changes"),
    ]
    for (words, code, message) in cases {
      let process = try tripsProgram()
      process.arguments = words
      let (output, messages) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = messages
      try process.run()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let said = String(
        decoding: messages.fileHandleForReading.readDataToEndOfFile(),
        as: UTF8.self
      )
      process.waitUntilExit()
      #expect(process.terminationStatus == code, "\(words): \(said)")
      #expect(said.contains(message) && said.hasPrefix("trips: "), "\(words): \(said)")
      #expect(text.isEmpty, "\(words)")
    }
    #expect(!FileManager.default.fileExists(atPath: missing))
  }

  @Test("Help is written to standard output, also for subcommands; no words are an error.")
  func help() throws {
    for words in [
      ["--help"], ["-h"], ["help"], ["help", "widget", "confirm"], ["seed", "--help"],
    ] {
      let process = try tripsProgram()
      process.arguments = words
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(text.contains("Usage: trips"), "\(words)")
    }
    let bare = try trips()
    #expect(bare.code == 64 && bare.output.isEmpty && bare.messages.contains("Commands:"))
    #expect(try trips("--version").output == "trips 0.1.0\n")
  }

  @Test("An error about a value in the store names the value, and no function of SwiftData.")
  func wordsOfErrors() throws {
    try addNorway()
    let connection = try Connection(path: store, mode: .readWrite)
    try connection.execute(
      "PRAGMA ignore_check_constraints = ON; UPDATE Trip SET startDate = 'soon'"
    )
    let listed = try trips("list", store)
    #expect(listed.code == 2)
    #expect(
      listed.messages == """
        trips: Trip.startDate can't be read from row 1 of the table Trip: found text instead of Date.

        """
    )
  }

  @Test("A disk that is full during an answer is an error.")
  func fullDisk() throws {
    try addNorway()
    let process = try tripsProgram()
    process.arguments = ["list", store]
    let messages = Pipe()
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    process.standardError = messages
    try process.run()
    let said = messages.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(String(decoding: said, as: UTF8.self).contains("No space left on device"))
  }

  @Test("A seeding that is interrupted leaves no files.", arguments: [SIGINT, SIGTERM])
  func stopped(signal: Int32) throws {
    let process = try tripsProgram()
    process.arguments = ["seed", store, "--changes", "10000000"]
    let messages = Pipe()
    process.standardError = messages
    try process.run()
    while try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty {
      usleep(1000)
    }
    usleep(200_000)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }
}
