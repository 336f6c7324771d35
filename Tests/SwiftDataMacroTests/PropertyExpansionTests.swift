import Testing

@Suite("The expansion of persisted properties")
struct PropertyExpansionTests {
  @Test("A property gets accessors for the object's state, and empty storage.")
  func plainProperty() {
    expectExpansion(
      #"""
      final class Trip {
        @_PersistedProperty(3) var name: String
      }
      """#,
      #"""
      final class Trip {
        var name: String {
          @storageRestrictions(accesses: _$own, initializes: _name)
          init(initialValue) {
            _$own.state.initialize(Trip._$description, at: 3, to: initialValue)
            _name = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, at: 3)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \.name) {
              state.set(self, in: Trip._$description, at: 3, to: newValue)
            }
          }
        }

        nonisolated(unsafe) private var _name: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("The compiler reports a type that can't be stored, unless the type is known by its name.")
  func storableCheck() {
    func isChecked(_ property: String) -> Bool {
      expand("final class Trip { @_PersistedProperty(3) var \(property) }").text
        .contains("_NotStorable")
    }
    for property in [
      "a: Int", "a: [String: [Date?]]?", "a: Set<Optional<UUID>>", "a = 1", "a = true", "a = \"\"",
      "a = Date()", "a = [URL]()",
    ] {
      #expect(!isChecked(property), "\(property)")
    }
    for property in [
      "a: Color", "a: [Color]?", "a: any Sendable", "a: V1.Color", "a: Range<Int>",
      "a: [Int: Color]",
      "a = Color()", "a = Date.now", "a = [Color]()", "a = make()", "a = [Int]().first",
    ] {
      #expect(isChecked(property), "\(property)")
    }
    #expect(
      expand("final class Trip { @_PersistedProperty(3) var a: [ Color ]? }").text
        .contains("'a' has the type '[ Color ]?', which is not Codable")
    )
  }

  @Test("A property with a transformer gets accessors that use it.")
  func transformable() {
    expectExpansion(
      #"""
      final class Trip {
        @_PersistedProperty(1) @SwiftData.Attribute(.transformable(by: "Colors")) var color: Color?
      }
      """#,
      #"""
      final class Trip {
        @SwiftData.Attribute(.transformable(by: "Colors")) var color: Color? {
          @storageRestrictions(accesses: _$own, initializes: _color)
          init(initialValue) {
            _$own.state.initializeTransformable(Trip._$description, at: 1, to: initialValue)
            _color = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.color)
            return state.getTransformable(Trip._$description, at: 1)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \.color) {
              state.setTransformable(self, in: Trip._$description, at: 1, to: newValue)
            }
          }
        }

        nonisolated(unsafe) private var _color: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("A didSet reads the old value only if it uses oldValue.")
  func oldValue() {
    for (code, isRead) in [("log(oldValue)", true), ("log()", false)] {
      let source = "final class Trip { @_PersistedProperty(0) var a: Int { didSet { \(code) } } }"
      #expect(expand(source).text.contains("let _$old = self.a") == isRead)
    }
  }
}
