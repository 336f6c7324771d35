import Format
import Foundation
import ProcessTesting
import Store
import Testing

@testable import ChangeLog

/// The peak memory of this process since ``forgetPeak()``, in bytes.
private func peak() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
  return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
}

private func forgetPeak() throws {
  try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
}

/// Expects that reading a file as a log fails without using more memory than the limit.
private func expectRefusal(
  _ path: String,
  _ code: LogError.Code,
  _ words: String,
  memory: Int = 48 << 20
) throws {
  try forgetPeak()
  let before = try peak()
  let error = #expect(throws: LogError.self) {
    let reader = try LogReader(path: path)
    while try reader.next() != nil {}
  }
  #expect(error?.code == code)
  #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  let used = try peak() - before
  #expect(used <= memory, "\(used >> 20) MiB were used")
}

private func shell(_ command: String) throws {
  let process = ChildProcess()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", command]
  try process.run()
  process.waitUntilExit()
  #expect(process.terminationStatus == 0)
}

private let header = LogHeader(
  store: "6F9619FF-8B86-D011-B42D-00CF4FC964FF",
  lineage: 0,
  first: 1,
  previous: SHA256.digest(of: []),
  schema: StoreSchema(
    version: "1.0.0",
    entities: [Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)])]
  )
)

private let opening =
  #"{"kind":"change","txn":1,"seq":0,"n":1,"ts":"2026-01-01T00:00:00.000000Z","#
  + #""op":"insert","entity":"Note","id":"1","after":{"text":"#

/// Each test runs in its own process, so that it measures only its own memory.
@Suite("Files that are built to exhaust memory")
struct BombTests {
  @Test("A line of one gigabyte is refused in bounded memory.")
  func line() async {
    await #expect(processExitsWith: .success) {
      let file = temporaryFile()
      defer { unlink(file) }
      var block = [UInt8](repeating: UInt8(ascii: "a"), count: 16 << 20)
      let compressor = try GzipCompressor(level: 1, path: file)
      let member = try compressor.member(of: block)
      block = []
      var bytes = try compressor.member(of: try header.line() + Array((opening + "\"").utf8))
      for _ in 0..<64 { bytes += member }
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      try expectRefusal(file, .damaged, "Line 2 of the log")
    }
  }

  @Test("A member that inflates to a thousand times its size is refused in bounded memory.")
  func member() async {
    await #expect(processExitsWith: .success) {
      let file = temporaryFile()
      defer { unlink(file) }
      try Data(header.line()).write(to: URL(fileURLWithPath: file + ".plain"))
      try shell("(cat '\(file).plain'; head -c 100000000 /dev/zero) | gzip >'\(file)'")
      unlink(file + ".plain")
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)).count < 150_000)
      try expectRefusal(file, .damaged, "is longer than")
      // Without a header, and with line breaks only.
      try shell("head -c 100000000 /dev/zero | tr '\\0' '\\n' | gzip >'\(file)'")
      try expectRefusal(file, .notALog, "is not a log")
    }
  }

  @Test("JSON that is nested 10,000 deep is refused, in a line and in the header.")
  func nesting() async {
    await #expect(processExitsWith: .success) {
      let file = temporaryFile()
      defer { unlink(file) }
      let compressor = try GzipCompressor(level: 1, path: file)
      for pair in ["[]", "{}"] {
        let deep = [String](repeating: String(pair.prefix(1)), count: 10_000).joined()
        let closed = deep + [String](repeating: String(pair.suffix(1)), count: 10_000).joined()
        for text in [deep, closed] {
          let lines = try header.line() + Array((opening + text + "}}\n").utf8)
          try Data(compressor.member(of: lines)).write(to: URL(fileURLWithPath: file))
          try expectRefusal(file, .damaged, "Line 2 of the log")
        }
        try write(definition: closed, to: file, compressor)
        try expectRefusal(file, .damaged, "The first line of the log")
      }
    }
  }

  @Test("A schema of a million numbers is refused in bounded memory.")
  func schema() async {
    await #expect(processExitsWith: .success) {
      let file = temporaryFile()
      defer { unlink(file) }
      let compressor = try GzipCompressor(level: 1, path: file)
      for count in [1_000_000, 10_000_000] {
        let numbers = "[" + String(repeating: "0,", count: count - 1) + "0]"
        try write(definition: numbers, to: file, compressor)
        try expectRefusal(file, .damaged, "The first line of the log")
      }
    }
  }
}

/// Writes a log whose header has another text as its schema; the text must not contain quotes.
private func write(definition: String, to file: String, _ compressor: GzipCompressor) throws {
  let line = String(decoding: try header.line(), as: UTF8.self)
  let start = try #require(line.range(of: #""definition":""#)).upperBound
  let end = try #require(line.range(of: #"","partial":"#)).lowerBound
  let text = line[..<start] + definition + line[end...]
  try Data(compressor.member(of: Array(text.utf8))).write(to: URL(fileURLWithPath: file))
}

private func temporaryFile() -> String {
  NSTemporaryDirectory() + "BombTests-\(UUID().uuidString).ndjson.gz"
}
