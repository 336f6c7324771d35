import Foundation
import ProcessTesting
import Store
import TestSupport
import Testing

@Suite("Locks on a store's file")
struct StoreLocksTests {
  private func trips(_ arguments: String...) throws {
    let run = try run(products + "/trips", arguments)
    try #require(run.code == 0, "\(run.errors)")
  }

  private func add(_ name: String, to path: String) throws {
    try trips(
      "add",
      path,
      "--name",
      name,
      "--destination",
      "Oslo",
      "--start",
      "2026-01-01",
      "--end",
      "2026-01-02"
    )
  }

  @Test(
    "A reader keeps its snapshot while its file is synced, inspected, opened and closed."
  )
  func reader() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/a.store"
      try trips("seed", path, "--changes", "60", "--seed", "3")
      try add("First", to: path)
      let store = try Store.open(
        .file(URL(fileURLWithPath: path)),
        options: Options(isReadOnly: true)
      )
      try store.read { reader in
        let head = try reader.historyRange().head
        try reader.sync()
        #expect(try Store.firstBytes(of: path, count: 6) == Array("SQLite".utf8))
        // The last connection that closes a store removes its write-ahead log.
        for name in ["Second", "Third"] { try add(name, to: path) }
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(try reader.historyRange().head == head)
      }
    }
  }

  @Test("An export that waits for its reader writes the history with which it began.")
  func export() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/a.store"
      try trips("seed", path, "--changes", "3000", "--seed", "3", "--small-photos")
      try add("First", to: path)
      let store = try Store.open(
        .file(URL(fileURLWithPath: path)),
        options: Options(isReadOnly: true)
      )
      let head = try store.read { try $0.historyRange().head.transaction }
      let child = ChildProcess()
      child.executableURL = URL(fileURLWithPath: products + "/travelog")
      child.arguments = ["export", path, "--to", "-", "--level", "1"]
      let output = Pipe()
      child.standardOutput = output
      child.standardInput = FileHandle.nullDevice
      try child.run()
      // After the first bytes the export has started; the rest does not fit into the pipe.
      let first = output.fileHandleForReading.readData(ofLength: 64)
      for name in ["Second", "Third"] { try add(name, to: path) }
      let bytes = first + output.fileHandleForReading.readDataToEndOfFile()
      child.waitUntilExit()
      #expect(child.terminationStatus == 0)
      let verified = try travelog(["verify", "-", "--json"], input: bytes)
      #expect(verified.code == 0)
      #expect(verified.output.contains("\"transactions\":\(head)"))
    }
  }
}
