/// The state that a model class keeps for its own part of an object.
///
/// Not for use in applications. It is made with the first value that `init` gives the object, and
/// not at all for an object that is read from a store and gets the state of its row.
public struct _OwnState {
  private let description: _ModelDescription
  private var made: _ModelState?

  /// Stands for the state of a new object of a class.
  public init(_ description: _ModelDescription) { self.description = description }

  /// Stands for a state that exists.
  public init(_ state: _ModelState) {
    description = state.description
    made = state
  }

  /// The state.
  public var state: _ModelState {
    mutating get {
      if let made { return made }
      let state = _ModelState(description)
      made = state
      return state
    }
  }
}
