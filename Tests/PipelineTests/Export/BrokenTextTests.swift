import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Texts that are not UTF-8")
struct BrokenTextTests {
  /// The bytes of an object's name as hexadecimal digits.
  private func name(of object: Int64, in path: String) throws -> [String] {
    let store = try Store.open(
      .file(URL(fileURLWithPath: path)),
      options: Options(isReadOnly: true)
    )
    return try rows("SELECT hex(name), typeof(name) FROM Place WHERE id = \(object)", in: store)
  }

  @Test("Text that is not UTF-8 is copied from store to logs to replica with every byte.")
  func copied() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "broken text")
      try world.write(3)
      // One text is so large that it is kept in a blob file.
      let texts = ["ff41c328", "fe41c328", "41", String(repeating: "80", count: 2 << 20), "c0"]
      try runSQL(
        "INSERT INTO Place (id, name, _entity) VALUES (999, CAST(x'00ff' AS TEXT), 'Camp')",
        on: world.path
      )
      for (number, text) in texts.enumerated() {
        try runSQL(
          "UPDATE Place SET name = CAST(x'\(text)' AS TEXT) WHERE id = 999",
          on: world.path
        )
        try world.write(1)
        try world.export()
        let replica = folder.path + "/\(number).store"
        _ = try importLogs(ImportRequest(logs: world.logs, store: replica))
        for path in [world.path, replica] {
          #expect(try name(of: 999, in: path) == ["\(text.uppercased())|text"])
        }
        let copy = try Store.open(.file(URL(fileURLWithPath: replica)))
        for store in [copy, world.source] {
          var findings: [String] = []
          try store.check { findings.append($0.description) }
          #expect(findings.isEmpty)
        }
        var request = VerifyRequest(logs: world.logs)
        request.against = world.path
        #expect(try verify(request).flatMap(\.findings) == [])
      }
      // Each update was recorded.
      let changes = try rows(
        "SELECT count(*) FROM history_change WHERE entity = 'Camp' AND object = 999",
        in: world.source
      )
      #expect(changes == ["6"])
    }
  }
}
