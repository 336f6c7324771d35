import SwiftData
import Testing

@Suite("Actors of models")
struct ActorShapeTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: ShapedPublic.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
  }

  @Test("work with a context of their own")
  func ownContext() async throws {
    let container = try container()
    let importer = ShapedImporter(modelContainer: container)
    let identifier = try await importer.add("Oslo")
    #expect(await importer.name(of: identifier) == "Oslo")
    #expect(try await ShapedPublicImporter(modelContainer: container).count() == 1)
    let generic = ShapedGenericImporter<ShapedPublic>(modelContainer: container)
    #expect(try await generic.count() == 1)
  }

  @Test("may have initializers of their own, or be written by hand")
  func ownInitializers() throws {
    let container = try container()
    let own = ShapedOwnInitializer(container: container, limit: 3)
    let byHand = ShapedByHand(modelContainer: container)
    #expect(own.limit == 3)
    #expect(own.modelContainer === container)
    #expect(byHand.modelContainer === container)
  }
}
