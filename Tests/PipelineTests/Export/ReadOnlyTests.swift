import ChangeLog
import Foundation
import Glibc
import Pipeline
import PipelineTesting
import Store
import TestSupport
import Testing

@Suite("Exporting read-only stores")
struct ReadOnlyTests {
  // It runs in another process: root ignores permissions, and a process that gives up root's rights
  // can't get them back.
  @Test("A store that can't be written is exported, and the token alone protects its logs.")
  func export() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        var world = try World(folder, "read-only export")
        world.history.hasLargeValues = false
        try world.write(6)
        let place = folder.path + "/place"
        let copy = place + "/copy.store"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try copyStore(world.path, to: copy)
        let owner = geteuid()
        if owner == 0 {
          for path in [folder.path, place, copy] { chown(path, 65534, 65534) }
          seteuid(65534)
        }
        defer {
          chmod(place, 0o755)
          seteuid(owner)
        }
        for (file, mode) in [(0o444, 0o555), (0o644, 0o555), (0o444, 0o755)] as [(mode_t, mode_t)] {
          chmod(copy, file)
          chmod(place, mode)
          let logs = LogFolder(folder.path + "/logs-\(file)-\(mode)")
          let first = try Pipeline.export(ExportRequest(store: copy, logs: logs))
          try #require(first.to.transaction == first.head && first.transactions > 0)
          try #require(
            try Pipeline.export(ExportRequest(store: copy, logs: logs)).transactions == 0
          )
          let store = try Store.open(
            .file(URL(fileURLWithPath: copy)),
            options: Options(isReadOnly: true)
          )
          try #require(try !store.read { try $0.remembersExport(filter: nil) })
          try FileManager.default.removeItem(
            atPath: logs.lineageFolder(world.source.identifier, lineage: 0)
          )
          let error = #expect(throws: PipelineError.self) {
            try Pipeline.export(ExportRequest(store: copy, logs: logs))
          }
          try #require(error?.code == .missingLogs)
        }
      }
    }
  }

  @Test("Records of erasures and large values that can't be opened are errors, and not damage.")
  func unreadable() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        var world = try World(folder, "unreadable")
        try world.write(20)
        try world.export()
        let records = world.logs.erasures(of: world.source.identifier, lineage: 0)
        try Data().write(to: URL(fileURLWithPath: records))
        let blobs = world.logs.path + "/blobs/"
        let value = try FileManager.default.contentsOfDirectory(atPath: blobs).first
        let owner = geteuid()
        if owner == 0 {
          let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
          for name in [""] + names.compactMap({ $0 as? String }) {
            chown(folder.path + "/" + name, 65534, 65534)
          }
          seteuid(65534)
        }
        defer { seteuid(owner) }
        for path in [records, try blobs + #require(value)] {
          chmod(path, 0)
          let error = #expect(throws: LogError.self) { try verify(VerifyRequest(logs: world.logs)) }
          try #require(error?.code == .notPermitted && error?.path == path)
          chmod(path, 0o600)
        }
        try #require(try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).isEmpty)
      }
    }
  }
}
