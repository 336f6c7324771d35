import SwiftData
import Testing

@Suite("Shapes of model actors")
struct ActorShapeTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: ShapedPublic.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
  }

  @Test("A model actor works with its own context.")
  func ownContext() async throws {
    let container = try container()
    let importer = ShapedImporter(modelContainer: container)
    let identifier = try await importer.add("Oslo")
    #expect(await importer.name(of: identifier) == "Oslo")
    #expect(try await ShapedPublicImporter(modelContainer: container).count() == 1)
    let generic = ShapedGenericImporter<ShapedPublic>(modelContainer: container)
    #expect(try await generic.count() == 1)
  }

  @Test("A model actor may have its own initializers, or be written without the macro.")
  func ownInitializers() throws {
    let container = try container()
    let own = ShapedOwnInitializer(container: container, limit: 3)
    let byHand = ShapedByHand(modelContainer: container)
    #expect(own.limit == 3)
    #expect(own.modelContainer === container)
    #expect(byHand.modelContainer === container)
  }
}
