import Format
import Foundation
import PipelineTesting
import ProcessTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("The folder sample-data")
struct SampleDataTests {
  private let committed = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../sample-data").standardizedFileURL

  /// Creates the content of the folder with the script and the programs of this build.
  private func make(in folder: URL) throws {
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = [committed.appendingPathComponent("make.sh").path, folder.path]
    process.environment = ["PATH": "\(Bundle.main.bundleURL.path):/usr/bin:/bin"]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  private func files(in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      var isFolder: ObjCBool = false
      let path = folder.appendingPathComponent($0).path
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  /// The content of a store, independent of the version of SQLite that wrote the file.
  private func contents(of file: URL) throws -> (rows: [String], history: String) {
    // A copy, so that no file is left beside the original.
    let copy = file.deletingLastPathComponent().appendingPathComponent("copy-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: file, to: copy)
    defer { try? FileManager.default.removeItem(at: copy) }  // The test removes its folder.
    let schema = try #require(try Migration.schema(of: copy))
    let store = try Store.open(.file(copy), schema: schema)
    return (try rowDump(of: store), try lines(of: store))
  }

  @Test("The folder has what its script makes: texts and lines by bytes, stores by content.")
  func made() throws {
    // Without libcrypto the sample proof can't be signed.
    guard (try? ed25519PublicKey(of: [UInt8](repeating: 7, count: 32))) != nil else { return }
    try withTemporaryFolder { folder in
      let (old, new) = (
        folder.appendingPathComponent("old"), folder.appendingPathComponent("new")
      )
      try FileManager.default.copyItem(at: committed, to: old)
      try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
      try make(in: new)
      // The page of a report is made, but not committed.
      let page = "report.html"
      let text = try String(contentsOf: new.appending(path: page), encoding: .utf8)
      #expect(text.hasSuffix("</html>\n"))
      let made = try files(in: new).filter { $0 != page }
      let others = ["README.md", "make.sh", page]
      #expect(try made == files(in: old).filter { !others.contains($0) })
      #expect(made.count > 15)
      for name in made {
        let (was, isNow) = (old.appendingPathComponent(name), new.appendingPathComponent(name))
        if name.hasSuffix(".store") {
          let (first, second) = try (contents(of: was), contents(of: isNow))
          #expect(!first.rows.isEmpty && !first.history.isEmpty, "\(name)")
          #expect(first == second, "\(name): make sample-data")
        } else if name.hasSuffix(".gz") {
          // Libraries compress differently; only the lines matter.
          #expect(try gunzip(was.path) == gunzip(isNow.path), "\(name): make sample-data")
        } else {
          #expect(
            try Data(contentsOf: was) == Data(contentsOf: isNow),
            "\(name): make sample-data"
          )
        }
      }
    }
  }

  @Test("The logs give the store and its replica, and the whole folder is under 2 MB.")
  func whole() throws {
    try withTemporaryFolder { folder in
      let copy = folder.appendingPathComponent("sample-data")
      try FileManager.default.copyItem(at: committed, to: copy)
      func path(_ name: String) -> String { copy.appendingPathComponent(name).path }
      for store in ["trips.store", "replica.store"] {
        #expect(try travelog("verify", path("logs"), "--against", path(store)).code == 0)
        #expect(try travelog("check", path(store)).code == 0)
      }
      #expect(try travelog("diff", path("trips.store"), path("replica.store")).code == 0)
      #expect(try travelog("verify", path("damaged")).code == 1)
      let sizes = try files(in: committed).map {
        try Data(contentsOf: committed.appendingPathComponent($0)).count
      }
      #expect(sizes.reduce(0, +) < 2_000_000)
    }
  }
}
