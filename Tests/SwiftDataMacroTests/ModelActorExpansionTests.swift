import Testing

@Suite("The expansion of @ModelActor")
struct ModelActorExpansionTests {
  @Test("@ModelActor writes an executor, a container, an initializer and the conformance.")
  func plainActor() {
    expectExpansion(
      #"""
      @ModelActor actor Importer {
        var count = 0
      }
      """#,
      #"""
      actor Importer {
        var count = 0

        nonisolated let modelExecutor: any SwiftData.ModelExecutor

        nonisolated let modelContainer: SwiftData.ModelContainer

        init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
      }

      extension Importer: SwiftData.ModelActor {
      }
      """#
    )
  }

  @Test("@ModelActor writes public members for a public actor.")
  func publicActor() {
    expectExpansion(
      #"""
      @available(macOS 14, *) @ModelActor public actor Importer<Element: Codable> {}
      """#,
      #"""
      @available(macOS 14, *) public actor Importer<Element: Codable> {

        public nonisolated let modelExecutor: any SwiftData.ModelExecutor

        public nonisolated let modelContainer: SwiftData.ModelContainer

        public init(modelContainer: SwiftData.ModelContainer) {
          let modelContext = SwiftData.ModelContext(modelContainer)
          self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
      }

      extension Importer: SwiftData.ModelActor {
      }
      """#
    )
  }
}
