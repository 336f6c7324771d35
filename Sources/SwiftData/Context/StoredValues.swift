/// The values that a store gave of one object.
protocol StoredValues {
  /// Calls with what the slots of an object are to hold, but for those that were changed here.
  func forEach(of state: _ModelState, _ body: (PropertyDescription, Slot) throws -> Void) throws
  /// Gives a new object its values.
  func fill(_ state: _ModelState) throws
}

extension StoredValues {
  /// Gives an object the values that it does not have.
  func fillEmpty(_ state: _ModelState) throws {
    try forEach(of: state) { property, slot in
      if case .empty = state.slots[property.index] { state.slots[property.index] = slot }
    }
  }

  func fill(_ state: _ModelState) throws { try fillEmpty(state) }
}
