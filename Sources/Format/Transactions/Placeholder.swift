extension ObjectID {
  /// The integer, or a number that names rarely share.
  package var placeholderNumber: Int64 {
    guard let text else { return integer }
    return Int64(
      bitPattern: text.utf8.reduce(0xcbf2_9ce4_8422_2325) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
    )
  }
}

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
