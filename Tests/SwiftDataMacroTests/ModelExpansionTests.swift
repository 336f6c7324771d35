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
}
