import Testing

@Suite("The expansion of @Model")
struct ModelExpansionTests {
  @Test("@Model writes state, metadata and the required initializer of a small class.")
  func smallClass() {
    expectExpansion(
      #"""
      @Model final class Trip {
        @Attribute(.unique, originalName: "title") var name: String
        @Transient var views = 0
        init(name: String) { self.name = name }
      }
      """#,
      #"""
      final class Trip {
        @SwiftData._PersistedProperty(0) var name: String
        var views = 0
        init(name: String) { self.name = name }

        @exclusivity(unchecked)
        nonisolated(unsafe) private var _$own = SwiftData._OwnState(Trip._$description)

        nonisolated private static let _$description = SwiftData._ModelDescription.of(Trip.self)

        nonisolated var _$state: SwiftData._ModelState {
          get {
            _$own.state
          }
          set {
            _$own = SwiftData._OwnState(newValue)
          }
        }

        nonisolated private var _$observationRegistrar: SwiftData._ObservationRegistrar {
          _$state.registrar
        }

        nonisolated func access<_M>(keyPath: Swift.KeyPath<Trip, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        nonisolated func withMutation<_M, _R>(
          keyPath: Swift.KeyPath<Trip, _M>,
          _ mutation: () throws -> _R
        ) rethrows -> _R {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        typealias Root = Trip

        private static func _$metadata() -> [SwiftData.Schema.PropertyMetadata] {
          [
          SwiftData.Schema.PropertyMetadata(
            name: "name",
            keypath: \Trip.name,
            defaultValue: nil,
            metadata: SwiftData._attribute(SwiftData.Schema.Attribute(.unique, originalName: "title"), of: \Trip.name)
          ),
          ]
        }

        nonisolated static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          SwiftData._listed(Trip._$metadata)
        }

        nonisolated required init(
          backingData: any SwiftData.BackingData<Trip>
        ) {
          _name = SwiftData._SwiftDataNoType()
          _$own = SwiftData._OwnState(SwiftData._ModelState._of(backingData, description: Trip._$description))
        }
      }

      extension Trip: nonisolated SwiftData._ModelRoot, nonisolated SwiftData.PersistentModel {
      }

      @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Trip's persistentModelID instead.")
      extension Trip: Swift.Sendable {
      }
      """#
    )
  }

  @Test("@Model writes defaults with their declared type, relationship arguments and constraints.")
  func metadata() {
    expectExpansion(
      #"""
      @Model class Trip {
        #Unique<Trip>([\.name, \.created])
        #Index<Trip>(.binary([\.name]), .rtree([\.created]))
        var name: String
        var created: Date = .now
        @Relationship(.cascade) var old: [Item]
        @Relationship(deleteRule: .cascade, inverse: \Item.trip) var items: [Item]? = []
        var note: String? = nil
        init() {}
      }
      """#,
      #"""
      class Trip {
        @SwiftData._PersistedProperty(0)
        var name: String
        @SwiftData._PersistedProperty(1)
        var created: Date = .now
        @SwiftData._PersistedProperty(2) var old: [Item]
        @SwiftData._PersistedProperty(3) var items: [Item]? = []
        @SwiftData._PersistedProperty(4)
        var note: String? = nil
        init() {}

        @exclusivity(unchecked)
        nonisolated(unsafe) private var _$own = SwiftData._OwnState(Trip._$description)

        nonisolated private static let _$description = SwiftData._ModelDescription.of(Trip.self)

        nonisolated var _$state: SwiftData._ModelState {
          get {
            _$own.state
          }
          set {
            _$own = SwiftData._OwnState(newValue)
          }
        }

        nonisolated private var _$observationRegistrar: SwiftData._ObservationRegistrar {
          _$state.registrar
        }

        nonisolated func access<_M>(keyPath: Swift.KeyPath<Trip, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        nonisolated func withMutation<_M, _R>(
          keyPath: Swift.KeyPath<Trip, _M>,
          _ mutation: () throws -> _R
        ) rethrows -> _R {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        typealias Root = Trip

        private static func _$metadata() -> [SwiftData.Schema.PropertyMetadata] {
          [
          SwiftData.Schema.PropertyMetadata(
            name: "name",
            keypath: \Trip.name,
            defaultValue: nil,
            metadata: nil
          ),
          SwiftData.Schema.PropertyMetadata(
            name: "created",
            keypath: \Trip.created,
            defaultValue: (.now) as Date,
            metadata: nil
          ),
          SwiftData.Schema.PropertyMetadata(
            name: "old",
            keypath: \Trip.old,
            defaultValue: nil,
            metadata: SwiftData.Schema.Relationship(.cascade)
          ),
          SwiftData.Schema.PropertyMetadata(
            name: "items",
            keypath: \Trip.items,
            defaultValue: ([]) as [Item]?,
            metadata: SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \Item.trip)
          ),
          SwiftData.Schema.PropertyMetadata(
            name: "note",
            keypath: \Trip.note,
            defaultValue: nil,
            metadata: nil
          ),
          SwiftData.Schema.PropertyMetadata(
            name: "",
            keypath: \Trip.self,
            defaultValue: nil,
            metadata: SwiftData.Schema.Unique<Trip>([\.name, \.created])
          ),
          SwiftData.Schema.PropertyMetadata(
            name: "",
            keypath: \Trip.self,
            defaultValue: nil,
            metadata: SwiftData.Schema.Index<Trip>(.binary([\.name]), .rtree([\.created]))
          ),
          ]
        }

        nonisolated class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          SwiftData._listed(Trip._$metadata)
        }

        nonisolated required init(
          backingData: any SwiftData.BackingData<Trip>
        ) {
          _name = SwiftData._SwiftDataNoType()
          _created = SwiftData._SwiftDataNoType()
          _old = SwiftData._SwiftDataNoType()
          _items = SwiftData._SwiftDataNoType()
          _note = SwiftData._SwiftDataNoType()
          _$own = SwiftData._OwnState(SwiftData._ModelState._of(backingData, description: Trip._$description))
        }
      }

      extension Trip: nonisolated SwiftData._ModelRoot, nonisolated SwiftData.PersistentModel {
      }

      @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Trip's persistentModelID instead.")
      extension Trip: Swift.Sendable {
      }
      """#
    )
  }

  @Test("@Model writes members of a subclass that override those of its superclass.")
  func subclass() {
    expectExpansion(
      #"""
      @Model class Business: Trip {
        var level: Int
        init(level: Int) { self.level = level }
      }
      """#,
      #"""
      class Business: Trip {
        @SwiftData._PersistedProperty(0)
        var level: Int
        init(level: Int) { self.level = level }

        @exclusivity(unchecked)
        nonisolated(unsafe) private var _$own = SwiftData._OwnState(Business._$description)

        nonisolated private static let _$description = SwiftData._ModelDescription.of(Business.self)

        nonisolated override var _$state: SwiftData._ModelState {
          get {
            let own = _$own.state
            if own !== super._$state {
              own.adopt(super._$state)
              super._$state = own
            }
            return own
          }
          set {
            _$own = SwiftData._OwnState(newValue)
            super._$state = newValue
          }
        }

        nonisolated private var _$observationRegistrar: SwiftData._ObservationRegistrar {
          _$state.registrar
        }

        nonisolated func access<_M>(keyPath: Swift.KeyPath<Business, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        nonisolated func withMutation<_M, _R>(
          keyPath: Swift.KeyPath<Business, _M>,
          _ mutation: () throws -> _R
        ) rethrows -> _R {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        private static func _$metadata() -> [SwiftData.Schema.PropertyMetadata] {
          [
          SwiftData.Schema.PropertyMetadata(
            name: "level",
            keypath: \Business.level,
            defaultValue: nil,
            metadata: nil
          ),
          ]
        }

        nonisolated override class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          SwiftData._listed(Business._$metadata)
        }

        nonisolated required init(
          backingData: any SwiftData.BackingData<Root>
        ) {
          _level = SwiftData._SwiftDataNoType()
          _$own = SwiftData._OwnState(SwiftData._ModelState._of(backingData, description: Business._$description))
          super.init(backingData: backingData)
        }
      }
      """#,
      missing: []
    )
  }

  @Test("@Model writes members of an open class that other modules can override.")
  func openClass() {
    expectExpansion(
      #"""
      @Model open class Trip {
        public init() {}
      }
      """#,
      #"""
      open class Trip {
        public init() {}

        @exclusivity(unchecked)
        nonisolated(unsafe) private var _$own = SwiftData._OwnState(Trip._$description)

        nonisolated private static let _$description = SwiftData._ModelDescription.of(Trip.self)

        nonisolated open var _$state: SwiftData._ModelState {
          get {
            _$own.state
          }
          set {
            _$own = SwiftData._OwnState(newValue)
          }
        }

        nonisolated private var _$observationRegistrar: SwiftData._ObservationRegistrar {
          _$state.registrar
        }

        nonisolated func access<_M>(keyPath: Swift.KeyPath<Trip, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        nonisolated func withMutation<_M, _R>(
          keyPath: Swift.KeyPath<Trip, _M>,
          _ mutation: () throws -> _R
        ) rethrows -> _R {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        public typealias Root = Trip

        private static func _$metadata() -> [SwiftData.Schema.PropertyMetadata] {
          []
        }

        nonisolated open class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          SwiftData._listed(Trip._$metadata)
        }

        nonisolated public required init(
          backingData: any SwiftData.BackingData<Trip>
        ) {
          _$own = SwiftData._OwnState(SwiftData._ModelState._of(backingData, description: Trip._$description))
        }
      }

      extension Trip: nonisolated SwiftData._ModelRoot, nonisolated SwiftData.PersistentModel {
      }

      @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Trip's persistentModelID instead.")
      extension Trip: Swift.Sendable {
      }
      """#
    )
  }

  @Test("@Model writes metadata of an actor-bound class that is readable from anywhere.")
  func actorClass() {
    expectExpansion(
      #"""
      @MainActor @Model final class Trip {
        var name = ""
        init() {}
      }
      """#,
      #"""
      @MainActor final class Trip {
        @SwiftData._PersistedProperty(0)
        var name = ""
        init() {}

        @exclusivity(unchecked)
        nonisolated(unsafe) private var _$own = SwiftData._OwnState(Trip._$description)

        nonisolated private static let _$description = SwiftData._ModelDescription.of(Trip.self)

        nonisolated var _$state: SwiftData._ModelState {
          get {
            _$own.state
          }
          set {
            _$own = SwiftData._OwnState(newValue)
          }
        }

        nonisolated private var _$observationRegistrar: SwiftData._ObservationRegistrar {
          _$state.registrar
        }

        nonisolated func access<_M>(keyPath: Swift.KeyPath<Trip, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        nonisolated func withMutation<_M, _R>(
          keyPath: Swift.KeyPath<Trip, _M>,
          _ mutation: () throws -> _R
        ) rethrows -> _R {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        typealias Root = Trip

        private static func _$metadata() -> [SwiftData.Schema.PropertyMetadata] {
          [
          SwiftData.Schema.PropertyMetadata(
            name: "name",
            keypath: \Trip.name,
            defaultValue: "",
            metadata: nil
          ),
          ]
        }

        nonisolated static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          SwiftData._listed(Trip._$metadata)
        }

        nonisolated required init(
          backingData: any SwiftData.BackingData<Trip>
        ) {
          _name = SwiftData._SwiftDataNoType()
          _$own = SwiftData._OwnState(SwiftData._ModelState._of(backingData, description: Trip._$description))
        }
      }

      extension Trip: nonisolated SwiftData._ModelRoot, nonisolated SwiftData.PersistentModel {
      }

      @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Trip's persistentModelID instead.")
      extension Trip: Swift.Sendable {
      }
      """#
    )
  }
}
