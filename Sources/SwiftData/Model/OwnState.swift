/// The state of a model class's own part of an object.
///
/// Not for use in applications. It is created with the first value that `init` sets, but not for
/// objects that are read from a store.
public struct _OwnState {
  private let description: _ModelDescription
  private var made: _ModelState?

  /// Represents the state of a new object of a class.
  public init(_ description: _ModelDescription) { self.description = description }

  /// Represents an existing state.
  public init(_ state: _ModelState) {
    description = state.description
    made = state
  }

  /// The state; created at the first call.
  public var state: _ModelState {
    mutating get {
      if let made { return made }
      let state = _ModelState(description)
      made = state
      return state
    }
  }
}
