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

  @Test(
    "An array property gets an accessor that modifies it in place.",
    arguments: ["books: [String]", "books: [String]?", "books: Array<URL>", "books = [Date]()"]
  )
  func array(declaration: String) {
    let type = declaration.contains(":") ? declaration : "books"
    expectExpansion(
      """
      final class Author {
        @_PersistedProperty(1) var \(declaration)
      }
      """,
      """
      final class Author {
        var \(type) {
          @storageRestrictions(accesses: _$own, initializes: _books)
          init(initialValue) {
            _$own.state.initialize(Author._$description, at: 1, to: initialValue)
            _books = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \\.books)
            return state.get(Author._$description, at: 1)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \\.books) {
              state.set(self, in: Author._$description, at: 1, to: newValue)
            }
          }
          _modify {
            var value = self.books
            _$state.lend(Author._$description, at: 1)
            defer {
              self.books = value
            }
            yield &value
          }
        }

        nonisolated(unsafe) private var _books: SwiftData._SwiftDataNoType
      }
      """
    )
  }

  @Test("A constant gets no setter.")
  func constant() {
    expectExpansion(
      #"""
      final class Trip {
        @_PersistedProperty(0) let name: String
      }
      """#,
      #"""
      final class Trip {
        let name: String {
          @storageRestrictions(accesses: _$own, initializes: _name)
          init(initialValue) {
            _$own.state.initialize(Trip._$description, at: 0, to: initialValue)
            _name = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, at: 0)
          }
        }

        nonisolated(unsafe) private var _name: SwiftData._SwiftDataNoType
      }
      """#
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

  @Test("The accessors of a codable property do not check its type.")
  func codable() {
    expectExpansion(
      #"""
      final class Trip {
        @_PersistedProperty(0) @SwiftData.Attribute(.unique, .codable) let place: Place
      }
      """#,
      #"""
      final class Trip {
        @SwiftData.Attribute(.unique, .codable) let place: Place {
          @storageRestrictions(accesses: _$own, initializes: _place)
          init(initialValue) {
            _$own.state.initializeTransformable(Trip._$description, at: 0, to: initialValue)
            _place = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.place)
            return state.getTransformable(Trip._$description, at: 0)
          }
        }

        nonisolated(unsafe) private var _place: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("The storage of a property named like a keyword has no backticks in its name.")
  func keyword() {
    expectExpansion(
      #"""
      final class Trip {
        @_PersistedProperty(0) var `default`: Bool
      }
      """#,
      #"""
      final class Trip {
        var `default`: Bool {
          @storageRestrictions(accesses: _$own, initializes: _default)
          init(initialValue) {
            _$own.state.initialize(Trip._$description, at: 0, to: initialValue)
            _default = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.`default`)
            return state.get(Trip._$description, at: 0)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \.`default`) {
              state.set(self, in: Trip._$description, at: 0, to: newValue)
            }
          }
        }

        nonisolated(unsafe) private var _default: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("A property with observers gets a setter that runs them.")
  func observers() {
    expectExpansion(
      #"""
      final class Trip {
        @_PersistedProperty(0) var name: String = "" {
          willSet(next) { log(next) }
          didSet {
            if name.isEmpty { name = oldValue; return }
            log(name)
          }
        }
      }
      """#,
      #"""
      final class Trip {
        var name: String {
          willSet(next) { log(next) }
          didSet {
            if name.isEmpty { name = oldValue; return }
            log(name)
          }
          @storageRestrictions(accesses: _$own, initializes: _name)
          init(initialValue) {
            _$own.state.initialize(Trip._$description, at: 0, to: initialValue)
            _name = SwiftData._SwiftDataNoType()
          }

          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, at: 0)
          }

          set {
            func _$write() {
              let state = _$state
              state.registrar.withMutation(of: self, keyPath: \.name) {
                state.set(self, in: Trip._$description, at: 0, to: newValue)
              }
            }
            if _$observing_name {
              _$write()
              return
            }
            _$observing_name = true
            defer {
              _$observing_name = false
            }
            let _$old = self.name
            func _$willSet() {
              let next = newValue
              _ = next
              log(next)
            }
            _$willSet()
            _$write()
            func _$didSet() {
              let oldValue = _$old
              _ = oldValue
              if name.isEmpty {
                name = oldValue;
                return
              }
                    log(name)
            }
            _$didSet()
          }
        }

        nonisolated(unsafe) private var _name: SwiftData._SwiftDataNoType

        nonisolated(unsafe) private var _$observing_name = false
      }
      """#
    )
  }

  @Test("A didSet without oldValue does not read the old value.")
  func observerWithoutOldValue() {
    expectExpansion(
      #"""
      final class Trip {
        @_PersistedProperty(0) var name: String { didSet { log() } }
      }
      """#,
      #"""
      final class Trip {
        var name: String { didSet { log() }
          @storageRestrictions(accesses: _$own, initializes: _name)
          init(initialValue) {
            _$own.state.initialize(Trip._$description, at: 0, to: initialValue)
            _name = SwiftData._SwiftDataNoType()
          }

          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, at: 0)
          }

          set {
            func _$write() {
              let state = _$state
              state.registrar.withMutation(of: self, keyPath: \.name) {
                state.set(self, in: Trip._$description, at: 0, to: newValue)
              }
            }
            if _$observing_name {
              _$write()
              return
            }
            _$observing_name = true
            defer {
              _$observing_name = false
            }
            _$write()
            func _$didSet() {
              log()
            }
            _$didSet()
          }}

        nonisolated(unsafe) private var _name: SwiftData._SwiftDataNoType

        nonisolated(unsafe) private var _$observing_name = false
      }
      """#
    )
  }
}
