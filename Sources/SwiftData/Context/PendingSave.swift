import Format

/// The changes that a store reports after a save; objects receive them once all stores have
/// written.
protocol SaveOutcome {
  /// Objects that were deleted or changed without being marked so in memory.
  var deletedIdentifiers: [PersistentIdentifier] { get }
  var updatedIdentifiers: [PersistentIdentifier] { get }

  /// Merges each new object with the existing object that has the same identity in the store.
  func join(in context: ModelContext)
  /// Marks objects as deleted that the store deleted by its delete rules.
  func loseObjects(in context: ModelContext)
  /// Applies the values that the store changed.
  func reregister(in context: ModelContext) throws
}

/// The state of a save while it is being written, before the objects are updated.
final class PendingSave {
  let context: ModelContext
  var inserted: [_ModelState] = []
  var changed: [_ModelState] = []
  var deleted: [_ModelState] = []
  let changes: PendingChanges
  /// The reports of the stores about changes that were not requested.
  var outcomes: [any SaveOutcome] = []
  /// Identifiers of objects that batch deletions removed, for stores that do not report rows.
  var batchDeleted: [PersistentIdentifier] = []
  /// Objects that were read only because this save deletes them.
  var doomed: [any PersistentModel] = []

  @exclusivity(unchecked) var renumbered: [Renumbering] = []
  /// Objects with a temporary identity that the application may still use.
  private(set) var givenRows: [(row: Int64, state: _ModelState)] = []

  struct Renumbering {
    var state: _ModelState
    var row: Int64
  }

  init(_ changes: PendingChanges, in context: ModelContext) {
    self.changes = changes
    self.context = context
    inserted = changes.inserted.elements.map(\._$state)
    changed = changes.changed.elements.map(\._$state).filter { $0.phase == .stored }
    deleted = changes.deleted.elements.map(\._$state)
  }

  func touches(storeIndex: Int) -> Bool {
    [inserted, changed, deleted].joined()
      .contains { $0.entity?.storeIndex == storeIndex }
      || changes.batchDeleted.contains { $0.entity.storeIndex == storeIndex }
  }

  func prepare() throws {
    for state in inserted + changed { try validate(state) }
  }

  private func validate(_ state: _ModelState) throws {
    for property in state.description.counted {
      guard let relationship = property.relationship,
        case .toMany(let many) = state.slots[property.index], many.isLoaded
      else { continue }
      let count = many.count
      let minimum = relationship.minimumModelCount ?? 0
      let maximum = relationship.maximumModelCount ?? 0
      if count < minimum || (maximum > 0 && count > maximum) {
        throw SwiftDataError(.modelValidationFailure) {
          "\(state.description.name).\(property.name) has \(countText(count, noun: "object")), but"
            + " \(count < minimum ? "at least \(minimum)" : "at most \(maximum)") are allowed."
        }
      }
    }
  }

  /// Records which object has a temporary identity that the application may still use.
  func keepIdentifier(of new: _ModelState, as target: _ModelState) {
    if new.isIdentifierGiven { givenRows.append((new.row, target)) }
  }
}
