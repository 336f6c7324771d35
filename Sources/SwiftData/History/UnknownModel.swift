/// The class of objects whose own class the container does not have any more.
///
/// History tells of them all the same: their changes have the name of the entity in
/// ``HistoryChange/changedPersistentIdentifier``, and values by name. There are no instances of it
/// in a store.
public final class UnknownModel: PersistentModel {
  /// None.
  public static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  /// The state that all models have.
  public var _$state: _ModelState

  /// Makes an instance, which nothing can be done with.
  public init(backingData: any BackingData<UnknownModel>) {
    _$state = ._of(backingData, _ModelDescription.of(UnknownModel.self))
  }
}

@available(*, unavailable, message: "Models are not Sendable.")
extension UnknownModel: Sendable {}
