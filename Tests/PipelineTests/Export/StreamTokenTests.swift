import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Exporting to a stream with a token")
struct StreamTokenTests {
  private func export(_ store: Store, to folder: URL, _ name: String) throws -> [String] {
    let url = folder.appendingPathComponent(name)
    #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
    let output = try FileHandle(forWritingTo: url)
    var request = ExportRequest(
      store: store.location.path,
      logs: LogFolder("none"),
      token: folder.appendingPathComponent("token.json").path
    )
    request.stream = output.fileDescriptor
    _ = try Pipeline.export(request)
    try output.close()
    return try gunzip(url.path).split(separator: "\n").filter { $0.contains(#""kind":"change""#) }
      .map(String.init)
  }

  @Test("An export to a stream with a token does not repeat the transactions up to the token.")
  func second() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(path), schema: worldSchema)
      var history = HistoryWorld(SeededGenerator(for: "stream token"))
      func write() throws -> Int64 {
        let before = try store.read { try $0.historyRange().head.transaction }
        while try store.read({ try $0.historyRange().head.transaction }) == before {
          try history.write(to: store)
        }
        return before + 1
      }
      for name in ["first", "second"] {
        let next = try write()
        let lines = try export(store, to: folder, name)
        #expect(!lines.isEmpty)
        #expect(lines.allSatisfy { $0.contains("\"txn\":\(next),") })
      }
    }
  }
}
