import SwiftData

// Actors in the shapes that applications give them.

@ModelActor actor ShapedImporter {
  private var imported = 0
  let limit = 5
  var name: String?

  func add(_ name: String) throws -> PersistentIdentifier {
    let trip = ShapedPublic(name: name)
    modelContext.insert(trip)
    try modelContext.save()
    imported += 1
    return trip.persistentModelID
  }

  func name(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: ShapedPublic.self]?.name
  }
}

/// An actor that is public.
@ModelActor public actor ShapedPublicImporter {
  /// The number of models.
  public func count() throws -> Int {
    try modelContext.fetchCount(FetchDescriptor<ShapedPublic>())
  }
}

@available(macOS 14, iOS 17, *)
@ModelActor
package actor ShapedGenericImporter<Model: PersistentModel> {
  package func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Model>()) }
}

@ModelActor actor ShapedOwnInitializer {
  let limit: Int

  init(container: ModelContainer, limit: Int) {
    self.limit = limit
    let context = ModelContext(container)
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    modelContainer = container
  }
}

/// An actor that is written without the macro.
actor ShapedByHand: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
  }
}
