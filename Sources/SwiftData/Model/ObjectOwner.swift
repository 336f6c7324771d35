/// What an object may ask of the context that it belongs to.
///
/// The registry of the context answers, because it outlives the context.
protocol ObjectOwner: AnyObject {
  /// Called before the value of a slot changes.
  func willChange(_ state: _ModelState, at index: Int)
  /// Reads missing values of an object.
  func fill(_ state: _ModelState)
  func readExternal(_ digest: String, of state: _ModelState) -> Data?
  /// Reads a to-one relationship; nil if the reading failed.
  func readToOne(_ state: _ModelState, at index: Int) -> ToOne?
  /// Reads the members of a collection.
  func load(_ many: ToMany, of state: _ModelState, at index: Int)
  /// The destination of a to-one relationship, read from the store if necessary.
  func relatedModel(of state: _ModelState, at index: Int, row: Int64) -> (any PersistentModel)?
  /// The destination of a to-one relationship, if it is in memory.
  func registeredRelative(
    of state: _ModelState,
    at index: Int,
    row: Int64
  ) -> (any PersistentModel)?
  /// The objects that share the state of a row.
  func twins(_ entity: EntityDescription, row: Int64) -> [any PersistentModel]
  func insertAny(_ model: any PersistentModel)
  func unregister(_ state: _ModelState)
  /// Records that a relationship was set to an object of another context.
  func noteForeignLink(of owner: any PersistentModel, at index: Int, to other: any PersistentModel)
  /// Whether the store distinguishes a nil collection from an empty one.
  func keepsNilCollections(of entity: EntityDescription) -> Bool
  func storeIdentifier(of entity: EntityDescription) -> String
}
