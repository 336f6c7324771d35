/// An interface for describing a store.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration.
  var name: String { get }
  /// The models that it is for; nil for all models of the container that no other has.
  ///
  /// A container that finds nil here puts those models in before it makes the store.
  var schema: Schema? { get set }
  /// Checks the description before a store is made of it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts everything.
  public func validate() throws {}
}
