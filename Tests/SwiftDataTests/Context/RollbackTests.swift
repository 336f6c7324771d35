import Foundation
import SwiftData
import Testing

@Model final class Download {
  @Attribute(.unique) var name: String
  var size = 0
  @Attribute(.ephemeral) var progress = 0.0
  @Transient var speed = 0.0
  init(name: String) { self.name = name }
}

@Suite("Rollback")
struct RollbackTests {
  @Test("an ephemeral value goes back to what it was before the change, and not to its default")
  func ephemeral() throws {
    let container = try ModelContainer(
      for: Download.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let download = Download(name: "a")
    download.progress = 0.25
    download.speed = 1
    context.insert(download)
    try context.save()
    download.progress = 0.5
    download.progress = 0.75
    download.speed = 2
    context.rollback()
    #expect(download.progress == 0.25)
    #expect(download.speed == 2)
    download.progress = 0.5
    try context.save()
    download.progress = 1
    context.delete(download)
    context.rollback()
    #expect(download.progress == 0.5)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Download>()).first?.progress == 0)
  }
}
