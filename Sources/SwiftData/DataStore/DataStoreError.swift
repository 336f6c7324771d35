/// What a store says when it is asked for something that it can't do.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The predicate can't be evaluated at all.
  case invalidPredicate
  /// The predicate can't be evaluated by the store: SwiftData filters what it fetches without.
  case preferInMemoryFilter
  /// The order can't be made by the store: SwiftData sorts what it fetches without.
  case preferInMemorySort
  /// The store does not do that.
  case unsupportedFeature
}
