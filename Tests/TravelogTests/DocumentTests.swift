import Foundation
import ProcessTesting
import TestSupport
import Testing

/// A command as a document shows it, with what it is to print.
private struct Shown {
  let line: Int
  let command: String
  let output: String
}

@Suite("What the documents show")
struct DocumentTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL

  /// The commands in a document's blocks of “console”, each with what stands below it.
  ///
  /// In a “console whole” there is one command alone, which shows others as it runs them.
  private func commands(in document: String) throws -> [Shown] {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent(document),
      encoding: .utf8
    )
    var found: [Shown] = []
    var current: (line: Int, command: String, output: String)?
    var isShown = false
    var isWhole = false
    func end() {
      if let current {
        found.append(
          Shown(line: current.line, command: current.command, output: current.output)
        )
      }
      current = nil
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("```") {
        end()
        isShown = line.hasPrefix("```console")
        isWhole = line == "```console whole"
      } else if isShown, line.hasPrefix("$ "), !(isWhole && current != nil) {
        end()
        current = (index + 1, String(line.dropFirst(2)), "")
      } else if isShown, current?.output == "", current?.command.hasSuffix("\\") == true {
        current?.command += "\n" + line
      } else {
        current?.output += line + "\n"
      }
    }
    end()
    return found
  }

  /// What a command prints and how it ends, run as a reader of the document would.
  private func run(_ command: String, in folder: URL) throws -> (output: String, code: Int32) {
    // What “make demo” does once it has built.
    let command = command == "make demo" ? "\"$REPOSITORY\"/docs/demo.sh" : command
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "exec 2>&1; \(command)"]
    process.currentDirectoryURL = folder
    process.environment = [
      "PATH": "\(Bundle.main.bundleURL.path):/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      "PROGRAMS": Bundle.main.bundleURL.path, "REPOSITORY": Self.root.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
  }

  /// Whether an output is as it is shown, where “…” stands for any text.
  private func matches(_ output: String, _ shown: String) -> Bool {
    let parts = shown.components(separatedBy: "…")
    guard parts.count > 1 else { return output == shown }
    guard output.hasPrefix(parts[0]) else { return false }
    var rest = output.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }

  @Test(
    "every command in a document prints what stands below it",
    arguments: ["README.md", "docs/TOKENS.md", "docs/SECURITY.md", "docs/SCALE.md"]
  )
  func commands(document: String) throws {
    let shown = try commands(in: document)
    #expect(!shown.isEmpty)
    try withTemporaryFolder { folder in
      for command in shown {
        let output = try run(command.command, in: folder).output
        #expect(
          matches(output, command.output),
          "\(document):\(command.line): “\(command.command)” printed:\n\(output)"
        )
      }
    }
  }

  @Test("every line of the README about the tool works in the folder of the demo, in their order")
  func tool() throws {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("README.md"),
      encoding: .utf8
    )
    let section = try #require(
      text.components(separatedBy: "\n## ").first { $0.hasPrefix("The tool\n") }
    )
    let blocks = section.components(separatedBy: "```").filter { $0.hasPrefix("sh\n") }
    let lines = blocks.flatMap { $0.split(separator: "\n").dropFirst() }.map(String.init)
    #expect(lines.last { $0.hasPrefix("travelog") }?.hasPrefix("travelog prune") == true)
    try withTemporaryFolder { folder in
      #expect(try run("make demo", in: folder).code == 0)
      for line in lines {
        let ended = try run("cd demo; \(line)", in: folder)
        let isFound =
          ended.code == 1 && line.hasPrefix("travelog diff") && ended.output.contains("+ ")
        #expect(ended.code == 0 || isFound, "“\(line)” ended with \(ended.code):\n\(ended.output)")
      }
    }
  }

  @Test("every link between documents leads somewhere")
  func links() throws {
    let pages =
      try FileManager.default.contentsOfDirectory(
        atPath: Self.root.appendingPathComponent("docs").path
      ).filter { $0.hasSuffix(".md") }.map { "docs/\($0)" } + ["README.md", "CONTRIBUTING.md"]
    let pattern = try Regex(
      #"\]\(([^)#:]+)(#[^)]*)?\)"#,
      as: (Substring, Substring, Substring?).self
    )
    for page in pages {
      let file = Self.root.appendingPathComponent(page)
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: pattern) {
        let target = file.deletingLastPathComponent().appendingPathComponent(String(match.output.1))
        #expect(
          FileManager.default.fileExists(atPath: target.path),
          "\(page) leads to \(match.output.1)"
        )
      }
    }
  }
}
