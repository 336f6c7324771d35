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

  @Test("@ModelActor writes no member that the actor already has.")
  func ownMembers() {
    expectExpansion(
      #"""
      @ModelActor actor Importer {
        let modelContainer: ModelContainer
        let source: URL
        init(source: URL) {}
      }
      """#,
      #"""
      actor Importer {
        let modelContainer: ModelContainer
        let source: URL
        init(source: URL) {}

        nonisolated let modelExecutor: any SwiftData.ModelExecutor
      }
      """#,
      missing: []
    )
  }

  @Test("@ModelActor does not write a second init(modelContainer:).")
  func ownInitializer() {
    expectExpansion(
      #"""
      @ModelActor package actor Importer {
        init(modelContainer: ModelContainer) {}
      }
      """#,
      #"""
      package actor Importer {
        init(modelContainer: ModelContainer) {}

        package nonisolated let modelExecutor: any SwiftData.ModelExecutor

        package nonisolated let modelContainer: SwiftData.ModelContainer
      }

      extension Importer: SwiftData.ModelActor {
      }
      """#
    )
  }
}
