import Foundation
import LogFuzzing
import PipelineTesting
import TestSupport
import Testing

@testable import Format

/// Alters logs at random, and compares the verdict of the program with that of a reader that was
/// written from docs/FORMAT.md.
@Suite("Random mutants of logs", .enabled(if: installed("python3") != nil, "no python3"))
struct ReaderMutantTests {
  @Test("The reader in Python accepts each altered folder that the program accepts.")
  func mutants() throws {
    try withTemporaryFolder { folder in
      let world = try LongerWorld(folder, hasSnapshot: true, isRestored: true)
      let files = try FileManager.default.subpathsOfDirectory(atPath: world.logs)
        .filter { $0.hasSuffix(".ndjson.gz") }.sorted()
      var random = SeededGenerator(for: "mutants")
      var count = (both: 0, onlyProgram: 0, neither: 0)
      for _ in 0..<trials(60, long: 3_000) {
        let copy = folder.path + "/copy"
        try FileManager.default.copyItem(atPath: world.logs, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let name = try #require(files.randomElement(using: &random))
        let path = "\(copy)/\(name)"
        let before = try gunzip(path)
        let mutant = mutant(of: before, &random)
        guard mutant != before else { continue }
        try Data(gzipped(Array(mutant.utf8))).write(to: URL(fileURLWithPath: path))
        let verified = try travelog("verify", copy)
        let reader = packageRoot.appendingPathComponent("Tests/Readers/read_log.py").path
        let read = try run(
          "/usr/bin/env",
          ["python3", reader] + files.map { "\(copy)/\($0)" }
        )
        // The program also refuses what an export spells in another way, and reads the token and the
        // tree.
        switch (verified.code == 0, read.code == 0) {
        case (true, true): count.neither += 1
        case (false, false): count.both += 1
        case (false, true): count.onlyProgram += 1
        case (true, false):
          Issue.record("\(name): \(read.errors)\n\(altered(before, mutant))")
        }
      }
      print(
        "mutants that the program and the reader refuse: \(count.both); only the program:"
          + " \(count.onlyProgram); neither: \(count.neither)"
      )
      #expect(count.both > count.onlyProgram)
    }
  }

  private func mutant(of text: String, _ random: inout SeededGenerator) -> String {
    var lines = text.split(separator: "\n").map { Array($0.utf8) }
    let line = Int.random(in: lines.indices, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let place = Int.random(in: lines[line].indices, using: &random)
      lines[line][place] = UInt8.random(in: 0x20..<0x7f, using: &random)
    case 1:
      // Another digit or letter keeps the line readable in most cases.
      let places = lines[line].indices.filter { (0x30...0x39).contains(lines[line][$0]) }
      guard let place = places.randomElement(using: &random) else { break }
      lines[line][place] = UInt8.random(in: 0x30...0x39, using: &random)
    case 2: lines.remove(at: line)
    case 3: lines.insert(lines[line], at: Int.random(in: lines.indices, using: &random))
    case 4: lines.swapAt(line, Int.random(in: lines.indices, using: &random))
    default:
      // A member of another line replaces the member with the same name.
      let other = lines[Int.random(in: lines.indices, using: &random)]
      let members = CanonicalText(other).members
      guard let member = members.randomElement(using: &random),
        let old = CanonicalText(lines[line]).members.first(where: { $0.key == member.key }),
        let range = lines[line].firstRange(of: old.key + old.value)
      else { break }
      lines[line].replaceSubrange(range, with: member.key + member.value)
    }
    let bytes = lines.reduce(into: [UInt8]()) { $0 += $1 + [0x0a] }
    return String(
      decoding: Int.random(in: 0..<4, using: &random) > 0 ? withDigests(bytes) : bytes,
      as: UTF8.self
    )
  }

  private func altered(_ one: String, _ other: String) -> String {
    let lines = other.split(separator: "\n")
    let known = Set(one.split(separator: "\n"))
    return lines.filter { !known.contains($0) }.prefix(2).joined(separator: "\n")
  }
}
