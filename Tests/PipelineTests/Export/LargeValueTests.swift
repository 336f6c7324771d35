import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Large values in files")
struct LargeValueTests {
  /// A store of one object with a picture of 3 MiB, and the name of its blob file.
  private func makeStore(_ folder: URL) throws -> (store: Store, file: String) {
    let store = try Store.open(.file(folder.appendingPathComponent("a.store")), schema: worldSchema)
    let entity = try #require(
      worldSchema.entities.firstIndex { entity in
        entity.attributes.contains { $0.name == "picture" } && entity.attributes.count == 4
      }
    )
    try store.write(Author()) { writer in
      let columns = writer.layouts[entity].columns
      var values = columns.map { $0.name == "name" ? Value.text("Fjord") : .null }
      let picture = try #require(columns.firstIndex { $0.name == "picture" })
      values[picture] = .blob(Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 / 251) }))
      try writer.insert(EntityIndex(entity), id: 1, values: values)
    }
    let blobs = store.location.path + "-blobs"
    let names = try FileManager.default.contentsOfDirectory(atPath: blobs)
    #expect(names.count == 1)
    return (store, blobs + "/" + (names.first ?? ""))
  }

  @Test("Large values are copied from store to logs to replica, and rows have their digests.")
  func copied() throws {
    try withTemporaryFolder { folder in
      let (store, file) = try makeStore(folder)
      let logs = LogFolder(folder.appendingPathComponent("logs").path)
      _ = try export(ExportRequest(store: store.location.path, logs: logs))
      let replica = folder.appendingPathComponent("replica.store").path
      _ = try importLogs(ImportRequest(logs: logs, store: replica))
      let name = (file as NSString).lastPathComponent
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      for copy in [logs.path + "/blobs/" + name, replica + "-blobs/" + name] {
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes)
      }
      let copy = try Store.open(.file(URL(fileURLWithPath: replica)))
      #expect(try rowDump(of: copy) == rowDump(of: store))
      var request = VerifyRequest(logs: logs)
      request.against = store.location.path
      #expect(try verify(request).flatMap(\.findings) == [])
    }
  }

  @Test("Only the owner has access to a replica and the files beside it.")
  func modes() throws {
    try withTemporaryFolder { folder in
      let (store, file) = try makeStore(folder)
      let logs = LogFolder(folder.appendingPathComponent("logs").path)
      _ = try export(ExportRequest(store: store.location.path, logs: logs))
      let place = folder.appendingPathComponent("replicas")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      let request = ImportRequest(logs: logs, store: place.path + "/replica.store")
      _ = try importLogs(request)
      // SQLite creates its files for readers too.
      let replica = try Store.open(.file(URL(fileURLWithPath: request.store)))
      try replica.read { _ in
        let all = try FileManager.default.subpathsOfDirectory(atPath: place.path)
        #expect(all.contains("replica.store-wal"))
        #expect(all.contains("replica.store-blobs/" + (file as NSString).lastPathComponent))
        for name in all {
          let isFolder = name.hasSuffix("-blobs")
          #expect(try permissions(place.path + "/" + name) == (isFolder ? 0o700 : 0o600), "\(name)")
        }
      }
      // A store that others may read keeps its permissions, and so do its values.
      #expect(try permissions(file) == permissions(store.location.path))
    }
  }

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("An altered large value stops the export until its file is restored.")
  func altered() throws {
    try withTemporaryFolder { folder in
      let (store, file) = try makeStore(folder)
      let url = URL(fileURLWithPath: file)
      let whole = try Data(contentsOf: url)
      var other = whole
      other[100_000] ^= 1
      try other.write(to: url)
      let logs = LogFolder(folder.appendingPathComponent("logs").path)
      let request = ExportRequest(store: store.location.path, logs: logs)
      let error = #expect(throws: StoreError.self) { try export(request) }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains((file as NSString).lastPathComponent) == true)
      let written = try contents(of: URL(fileURLWithPath: logs.path)).keys
      #expect(!written.contains { $0.hasSuffix(".gz") || $0.contains("blobs/") })
      try whole.write(to: url)
      #expect(try export(request).transactions == 1)
      #expect(try verify(VerifyRequest(logs: logs)).map(\.findings) == [[]])
    }
  }

  @Test("If a replica can't be created, the error gives the reason.")
  func unwritable() throws {
    try withTemporaryFolder { folder in
      let (store, _) = try makeStore(folder)
      let logs = LogFolder(folder.appendingPathComponent("logs").path)
      _ = try export(ExportRequest(store: store.location.path, logs: logs))
      // A file instead of the folder, because root may write everywhere.
      let file = folder.appendingPathComponent("file")
      try Data().write(to: file)
      let error = #expect(throws: LogError.self) {
        try importLogs(ImportRequest(logs: logs, store: file.path + "/replica.store"))
      }
      #expect(error?.code == .inputOutput)
      #expect(error?.message.contains("Not a directory") == true)
      // An empty file may be the start of an interrupted replica.
      _ = try importLogs(ImportRequest(logs: logs, store: file.path))
      #expect(try rowDump(of: Store.open(.file(file))) == rowDump(of: store))
    }
  }
}
