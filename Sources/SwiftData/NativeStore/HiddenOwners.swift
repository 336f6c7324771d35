import Format

/// The new owners of members of to-many relationships without an inverse.
///
/// Hidden columns in the rows of the members record the owners.
struct HiddenOwners {
  private struct Member {
    let state: _ModelState
    /// The owner in each column that changes; nil if the member was removed from its collection.
    var owners: [String: _ModelState?] = [:]
  }

  private var members: [ObjectIdentifier: Member] = [:]
  /// Whether a collection in memory may still contain a member that moved to another collection.
  private(set) var mayLeaveStrays = false

  /// The members whose columns change.
  var states: [_ModelState] { members.values.map(\.state) }

  /// Collects the members that the collections of some objects gained or lost.
  ///
  /// Members from an earlier call are forgotten.
  mutating func collect(from states: [_ModelState]) {
    members = [:]
    for state in states {
      for property in state.entity?.loose ?? [] {
        guard case .toMany(let many) = state.slots[property.index] else { continue }
        let column = "_\(property.owner)_\(property.name)"
        for member in many.removed.elements { set(column, of: member._$state, to: nil) }
        for member in many.added.elements { set(column, of: member._$state, to: state) }
      }
    }
  }

  private mutating func set(_ column: String, of member: _ModelState, to owner: _ModelState?) {
    guard member.phase != .deleting else { return }
    var entry = members[ObjectIdentifier(member)] ?? Member(state: member)
    let isKnown = entry.owners[column] != nil
    // The member moved from one owner to another; the entry of the new owner must remain.
    if owner == nil, isKnown { return }
    // The member may still be in another collection, unless it is new and was added to only one
    // collection.
    if owner != nil, isKnown || member.phase != .inserting { mayLeaveStrays = true }
    entry.owners.updateValue(owner, forKey: column)
    members[ObjectIdentifier(member)] = entry
  }

  func owner(of member: _ModelState, column: String) -> _ModelState? {
    members[ObjectIdentifier(member)]?.owners[column] ?? nil
  }

  /// The names of the columns that change in a member's row, sorted by name.
  func columns(of member: _ModelState) -> [String] {
    members[ObjectIdentifier(member)]?.owners.keys.sorted() ?? []
  }

  /// The new value of a column; nil if the column does not change.
  func value(of member: _ModelState, column: String) -> Value? {
    members[ObjectIdentifier(member)]?.owners[column].map { owner in
      owner.map { .integer($0.row) } ?? .null
    }
  }
}
