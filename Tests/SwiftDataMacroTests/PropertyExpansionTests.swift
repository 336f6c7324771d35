import Testing

@Suite("A persisted property gets")
struct PropertyExpansionTests {
  @Test("accessors that read and write the object's state, and empty storage")
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
            _$own.state.initialize(Trip._$description, 3, initialValue)
            _name = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, 3)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \.name) {
              state.set(self, Trip._$description, 3, newValue)
            }
          }
        }

        nonisolated(unsafe) private var _name: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test(
    "a way to change it in place where it is an array",
    arguments: ["books: [Book]", "books: [Book]?", "books: Array<Book>", "books = [Book]()"]
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
            _$own.state.initialize(Author._$description, 1, initialValue)
            _books = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \\.books)
            return state.get(Author._$description, 1)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \\.books) {
              state.set(self, Author._$description, 1, newValue)
            }
          }
          _modify {
            var value = self.books
            _$state.lend(Author._$description, 1)
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

  @Test("no setter where it is a constant")
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
            _$own.state.initialize(Trip._$description, 0, initialValue)
            _name = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, 0)
          }
        }

        nonisolated(unsafe) private var _name: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("accessors of its own where a transformer turns it into bytes")
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
            _$own.state.initializeTransformable(Trip._$description, 1, initialValue)
            _color = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.color)
            return state.getTransformable(Trip._$description, 1)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \.color) {
              state.setTransformable(self, Trip._$description, 1, newValue)
            }
          }
        }

        nonisolated(unsafe) private var _color: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("accessors that do not look at the type of a property that is marked codable")
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
            _$own.state.initializeTransformable(Trip._$description, 0, initialValue)
            _place = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.place)
            return state.getTransformable(Trip._$description, 0)
          }
        }

        nonisolated(unsafe) private var _place: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("storage that keeps the backticks of a keyword out of its name")
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
            _$own.state.initialize(Trip._$description, 0, initialValue)
            _default = SwiftData._SwiftDataNoType()
          }
          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.`default`)
            return state.get(Trip._$description, 0)
          }
          set {
            let state = _$state
            state.registrar.withMutation(of: self, keyPath: \.`default`) {
              state.set(self, Trip._$description, 0, newValue)
            }
          }
        }

        nonisolated(unsafe) private var _default: SwiftData._SwiftDataNoType
      }
      """#
    )
  }

  @Test("a setter that runs its observers")
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
            _$own.state.initialize(Trip._$description, 0, initialValue)
            _name = SwiftData._SwiftDataNoType()
          }

          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, 0)
          }

          set {
            func _$write() {
              let state = _$state
              state.registrar.withMutation(of: self, keyPath: \.name) {
                state.set(self, Trip._$description, 0, newValue)
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

  @Test("an observer that doesn't ask for the old value without the cost of reading it")
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
            _$own.state.initialize(Trip._$description, 0, initialValue)
            _name = SwiftData._SwiftDataNoType()
          }

          get {
            let state = _$state
            state.registrar.access(self, keyPath: \.name)
            return state.get(Trip._$description, 0)
          }

          set {
            func _$write() {
              let state = _$state
              state.registrar.withMutation(of: self, keyPath: \.name) {
                state.set(self, Trip._$description, 0, newValue)
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
