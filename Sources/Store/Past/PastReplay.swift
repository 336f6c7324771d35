import Format

/// The changes that make the rows of a state, if no store has them.
package struct PastReplay {
  /// The schema of all changes.
  package let schema: StoreSchema
  /// Returns a large value by its SHA-256.
  package let content: (String) throws -> LargeValue
  /// Calls a closure with each change, from the oldest to the newest.
  package let read: (_ body: (Change) throws -> Void) throws -> Void

  package init(
    schema: StoreSchema,
    content: @escaping (String) throws -> LargeValue,
    read: @escaping (_ body: (Change) throws -> Void) throws -> Void
  ) {
    (self.schema, self.content, self.read) = (schema, content, read)
  }
}
