import Foundation

/// A step of a document's reader: writing a file, or typing a command.
enum DocumentStep {
  case file(path: String, text: String)
  case command(line: Int, text: String, output: String)
}

/// The steps of a document.
///
/// A code block that names a file, as in “swift Sources/a/main.swift”, is written to that file. A
/// block “console” has commands, each followed by its output. A block “console whole” has one
/// command, whose output has lines that look like commands.
func steps(of document: String) throws -> [DocumentStep] {
  let text = try String(contentsOf: packageRoot.appending(path: document), encoding: .utf8)
  var steps: [DocumentStep] = []
  var block: (info: [Substring], line: Int, lines: [Substring])?
  for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
    guard line.hasPrefix("```") else {
      block?.lines.append(line)
      continue
    }
    if let ended = block {
      if ended.info.first == "console" {
        steps += commands(in: ended.lines, from: ended.line, isWhole: ended.info.count > 1)
      } else if let path = ended.info.dropFirst().first, path.contains(".") {
        let text = ended.lines.map { $0 + "\n" }.joined()
        steps.append(.file(path: String(path), text: text))
      }
      block = nil
    } else {
      block = (line.dropFirst(3).split(separator: " "), index + 2, [])
    }
  }
  return steps
}

private func commands(
  in lines: [Substring],
  from first: Int,
  isWhole: Bool
) -> [DocumentStep] {
  var found: [(line: Int, text: String, output: String)] = []
  for (index, line) in lines.enumerated() {
    if line.hasPrefix("$ "), found.isEmpty || !isWhole {
      found.append((first + index, String(line.dropFirst(2)), ""))
    } else if let last = found.last, last.output.isEmpty, last.text.hasSuffix("\\") {
      found[found.count - 1].text += "\n" + line
    } else if !found.isEmpty {
      found[found.count - 1].output += line + "\n"
    }
  }
  return found.map { .command(line: $0.line, text: $0.text, output: $0.output) }
}

/// Follows a document from top to bottom in a shell.
struct DocumentReader {
  /// The shell's current folder.
  private(set) var folder: URL

  init(in folder: URL) { self.folder = folder }

  /// Replaces “swift run”, which would build the package.
  private static let substitutes = """
    make() { "$REPOSITORY"/docs/demo.sh; }
    swift() { shift; "$REPOSITORY"/Tools/run-client "$PROGRAMS" "$@"; }

    """

  func write(_ text: String, to path: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Runs a command, and returns its output.
  ///
  /// The next command starts in the folder where this one ends.
  mutating func type(_ command: String) throws -> String {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let path = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin:/bin"]
    let shell = try run(
      "/bin/bash",
      [
        "-c",
        "cd \"$FOLDER\"; exec 2>&1\n\(Self.substitutes)\(command)\npwd > \"$PLACE\"",
      ],
      environment: [
        "PATH": "\(products):\(path)", "LC_ALL": "C.UTF-8", "PROGRAMS": products,
        "REPOSITORY": packageRoot.path, "FOLDER": folder.path, "PLACE": place.path,
      ]
    )
    let end = try String(contentsOf: place, encoding: .utf8)
    folder = URL(filePath: String(end.dropLast()))
    return shell.output
  }
}

/// Whether an output matches the one in a document, where “…” stands for any text.
func matches(_ output: String, _ shown: String) -> Bool {
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
