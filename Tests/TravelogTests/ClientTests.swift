import Foundation
import TestSupport
import Testing

@Suite("Packages that depend on Travelog")
struct ClientTests {
  @Test("SwiftPM resolves what START_SWIFT says for a URL, for a checkout, and through a package.")
  func resolution() throws {
    try withPackages { folder in
      for name in ["App", "Checkout", "Transitive"] {
        let command = ["swift", "package"] + options(of: name, in: folder)
        let text = try output(of: command + ["show-dependencies"], for: folder)
        #expect(text.contains("travelog.git@0.1.0") == (name != "Checkout"), "\(text)")
      }
    }
  }

  @Test(
    """
    A program runs with SwiftData from a URL, directly or through another package, \
    beside another package with macros.
    """,
    .enabled(if: trials(0, long: 1) == 1, "each is a whole build of SwiftData; see make clients"),
    arguments: [("native", "debug"), ("native", "release"), ("swiftbuild", "debug")]
  )
  func programs(buildSystem: String, configuration: String) throws {
    try withPackages { folder in
      let programs = [("App", "[\"kept\"]\n"), ("Transitive", "stamped [2, 3]\n")]
      for (name, expected) in programs {
        // All have the same folder of build products, so that the package is built once.
        let swift =
          ["swift", "run", "--build-system", buildSystem, "--configuration", configuration]
          + options(of: name, in: folder)
        let printed = try output(
          of: swift + ["--disable-index-store", "-debug-info-format", "none", name],
          for: folder
        )
        #expect(printed == expected)
      }
    }
  }

  /// Calls `body` with a folder of released packages and of packages that depend on them.
  private func withPackages(_ body: (URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      try copyPackages(to: folder)
      for (name, version) in [("renamed", "0.1.0"), ("Library", "1.0.0"), ("Stamp", "1.0.0")] {
        try release(folder.appending(path: name), as: version)
      }
      let checkout = folder.appending(path: "renamed").path
      let source = folder.appending(path: "travelog.git").path
      try output(of: ["git", "clone", "--quiet", "--bare", checkout, source], for: folder)

      let manifest = try block(of: "docs/START_SWIFT.md", after: "// swift-tools-version")
        .replacing("diary", with: "App")
      let path = try #require(manifest.firstMatch(of: /"\.\.\/.*"/)).output
      try write(manifest.replacing(path, with: "\"../renamed\""), to: "Checkout", in: folder)
      let line = try block(of: "docs/START_SWIFT.md", after: ".package(url:")
      let url = try #require(line.firstMatch(of: /https:[^"]*travelog\.git/)).output
      try write(
        manifest.replacing(
          /\.package\(name:.*\)/,
          with: line.replacing(url, with: "file://" + source)
        ),
        to: "App",
        in: folder
      )
      try body(folder)
    }
  }

  /// The text of the code block in a document that starts after `begin`.
  private func block(of document: String, after begin: String) throws -> String {
    let text = try String(contentsOf: packageRoot.appending(path: document), encoding: .utf8)
    let start = try #require(text.range(of: begin)).lowerBound
    let end = try #require(text.range(of: "\n```", range: start..<text.endIndex)).lowerBound
    return String(text[start..<end])
  }

  private func write(_ manifest: String, to name: String, in folder: URL) throws {
    let url = folder.appending(path: name + "/Package.swift")
    try manifest.write(to: url, atomically: true, encoding: .utf8)
  }

  /// Copies the clients, and the files of this package that SwiftPM reads.
  private func copyPackages(to folder: URL) throws {
    let files = FileManager.default
    let clients = packageRoot.appending(path: "Tests/Clients")
    for name in try files.contentsOfDirectory(atPath: clients.path) {
      try files.copyItem(at: clients.appending(path: name), to: folder.appending(path: name))
    }
    try files.copyItem(at: folder.appending(path: "App"), to: folder.appending(path: "Checkout"))
    // A checkout may have any name.
    let checkout = folder.appending(path: "renamed")
    try files.createDirectory(at: checkout, withIntermediateDirectories: false)
    for name in ["Package.swift", "Sources", "Tests", "Benchmarks", "Tools"] {
      try files.copyItem(at: packageRoot.appending(path: name), to: checkout.appending(path: name))
    }
  }

  /// Makes a Git repository with one version from a folder.
  private func release(_ folder: URL, as version: String) throws {
    for arguments in [
      ["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "A release"],
      ["tag", version],
    ] {
      try output(of: ["git", "-C", folder.path] + arguments, for: folder)
    }
  }

  /// Options that select a package, and keep all files of SwiftPM in a folder.
  private func options(of name: String, in folder: URL) -> [String] {
    ["--package-path", folder.appending(path: name).path]
      + ["scratch", "cache", "config", "security"].flatMap {
        ["--\($0)-path", folder.appending(path: ".\($0)").path]
      }
  }

  /// Runs a program with the settings of the clients in a folder, and returns its output.
  ///
  /// SwiftPM 6.3 itself sometimes crashes in libdispatch while it fetches packages. Only such a
  /// crash, before it builds anything, is tried again.
  @discardableResult
  private func output(of command: [String], for folder: URL) throws -> String {
    let settings = [
      "CLIENTS": folder.path, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
      "GIT_AUTHOR_NAME": "test", "GIT_AUTHOR_EMAIL": "test@localhost",
      "GIT_COMMITTER_NAME": "test", "GIT_COMMITTER_EMAIL": "test@localhost",
    ]
    let environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
    func attempt() throws -> Run { try run("/usr/bin/env", command, environment: environment) }
    var outcome = try attempt()
    if outcome.code == 128 + SIGSEGV, !outcome.errors.contains("Building") {
      outcome = try attempt()
    }
    #expect(
      outcome.code == 0,
      "\(command.joined(separator: " ")): \(outcome.output)\(outcome.errors)"
    )
    return outcome.output
  }
}
