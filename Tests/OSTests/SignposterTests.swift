import Foundation
import Testing
import os

@Suite("Signposts")
struct SignposterTests {
  @Test("Intervals and events are lines of the level debug.")
  func lines() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      setenv("OS_LOG_LEVEL", "debug", 1)
      let signposter = OSSignposter(subsystem: "s", category: "c")
      precondition(signposter.isEnabled)
      let state = signposter.beginInterval("import", id: signposter.makeSignpostID(), "of \(3)")
      signposter.emitEvent("page")
      signposter.endInterval("import", state)
      let seven = signposter.withIntervalSignpost("sum") { 7 }
      precondition(seven == 7)
      OSSignposter.disabled.emitEvent("never")
    }
    let text = try #require(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) })
    let lines = text.split(separator: "\n").filter { $0.contains(" signpost ") }
      .compactMap { $0.split(separator: "] ").last }
    #expect(lines.count == 5)
    #expect(lines.first == "import begins of 3")
    #expect(lines.dropFirst().first == "page")
    #expect(lines.dropFirst(2).first?.hasPrefix("import took ") == true)
    #expect(lines.last?.hasPrefix("sum took ") == true)
  }

  @Test("Nothing is written at the default level.")
  func silence() {
    #expect(!OSSignposter.disabled.isEnabled)
    #expect(OSSignpostID.null < OSSignpostID.invalid)
    #expect(OSSignposter().makeSignpostID() != OSSignposter().makeSignpostID())
  }
}
