extension EntityLayout.Column {
  /// The value of an erased property in a replica's row, until history has another value.
  ///
  /// The placeholder for an optional property is null. Any other placeholder has the type of the
  /// property. If the type has enough values, each object has a different placeholder, because the
  /// property may have to be unique.
  package func placeholder(for object: Int64) -> Value {
    guard !isOptional else { return .null }
    // The id of an object is never zero, so the reference does not refer to an object.
    guard let type else { return .integer(0) }
    return type.placeholder(for: object)
  }
}
