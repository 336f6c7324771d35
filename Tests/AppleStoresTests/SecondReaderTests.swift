import AppleFiles
import Foundation
import ProcessTesting
import TestSupport
import Testing

private let script = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../Readers/read_apple.py").standardizedFileURL.path

/// A new Debian system has no Python.
private let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  .contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

/// A reader in Python, which shares no code with this package.
@Suite("The second reader of Apple's stores", .enabled(if: hasPython))
struct SecondReaderTests {
  /// What the reader counts in a file, and its error.
  private func run(_ path: String) throws -> (counts: [String: Int], complaint: String) {
    let (output, errors) = (Pipe(), Pipe())
    let process = ChildProcess()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script, path]
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let counts =
      answer.isEmpty ? nil : try JSONSerialization.jsonObject(with: answer) as? [String: Int]
    return (counts ?? [:], String(decoding: complaint, as: UTF8.self))
  }

  @Test("It finds the history, rows and links of the program that made a file.")
  func programs() throws {
    var random = SeededGenerator(for: "the second reader of Apple's stores")
    for _ in 0..<trials(4, long: 100) {
      try withTemporaryFolder { folder in
        let url = folder.appending(path: "Music.sqlite")
        let file = try AppleFile(url, .random(using: &random))
        for _ in 0..<6 { try file.runRandomly(changes: 8, using: &random) }
        try file.migrate(to: file.model.changed(using: &random))
        try file.runRandomly(changes: 8, using: &random)
        let (counts, complaint) = try run(url.path)
        #expect(complaint == "")
        let changes = file.transactions.flatMap(\.changes)
        #expect(counts["transactions"] == file.transactions.count)
        #expect(counts["inserts"] == changes.count { $0.kind == 0 })
        #expect(counts["updates"] == changes.count { $0.kind == 1 })
        #expect(counts["deletes"] == changes.count { $0.kind == 2 })
        #expect(counts["tombstones"] == changes.map(\.tombstone.count).reduce(0, +))
        #expect(counts["rows"] == file.rows.count)
        let links = file.model.entities.flatMap { entity in
          entity.relationships.filter {
            file.model.inverse(of: $0)?.relationship.isToMany == true && $0.isToMany
          }.map { relationship in
            // Both sides of a relationship have its links.
            let count = file.links(entity.name, relationship.name).count
            return relationship.inverse == relationship.name ? 2 * count : count
          }
        }
        #expect(counts["links"] == links.reduce(0, +) / 2)
      }
    }
  }

  @Test("It refuses a column that the model does not explain.")
  func column() throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "Music.sqlite")
      let file = try AppleFile(url, .music)
      try file.connection.execute("ALTER TABLE ZNOTE ADD COLUMN ZSURPRISE INTEGER")
      #expect(try run(url.path).complaint.contains("ZSURPRISE"))
    }
  }

  @Test(
    "It explains each column and each bitmap of a real file.",
    .enabled(if: RealStores.areThere),
    arguments: RealStores.names
  )
  func real(_ name: String) throws {
    let (counts, complaint) = try run(RealStores.folder.appending(path: name).path)
    #expect(complaint == "")
    #expect(counts["unread"] == 0)
  }
}
