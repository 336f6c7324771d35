import Format

/// The change of an object in the open transaction so far, with the row of the change.
struct Touch {
  var kind: ChangeKind
  /// The id of the row; zero if it is not written yet.
  var row: Int64
}

/// The changed objects of one entity, by id.
///
/// The table is a hash table in two arrays of numbers, because each written row is looked up in it
/// and a `Dictionary` is slower.
struct TouchTable {
  /// Objects of a store have only integer ids, which need no reference counting.
  private var ids: [Int64] = []
  /// For each place of the table, the id of the row times four, plus the kind; zero for a free
  /// place.
  private var states: [Int64] = []
  private var count = 0

  /// The state of a removed object.
  ///
  /// The place of a removed object is not free, because the search for other ids must continue
  /// after it.
  private static let removed: Int64 = -1

  /// The change of an object; setting nil removes it.
  subscript(id: ObjectID) -> Touch? {
    @inline(__always)
    get {
      guard count > 0 else { return nil }
      let place = place(of: id)
      let state = states[place]
      guard state != 0, state != Self.removed else { return nil }
      return Touch(state: state)
    }
    set {
      guard let newValue else {
        guard count > 0 else { return }
        let place = place(of: id)
        if states[place] != 0 { states[place] = Self.removed }
        return
      }
      put(id, state: newValue.row << 2 | newValue.kind.code)
    }
  }

  /// Whether an object was removed.
  ///
  /// For a removed object, an older entry in a ``TouchFile`` is not valid.
  func isRemoved(_ id: ObjectID) -> Bool { count > 0 && states[place(of: id)] == Self.removed }

  /// Removes an object that a ``TouchFile`` may contain.
  mutating func remove(_ id: ObjectID) { put(id, state: Self.removed) }

  @inline(__always)
  private mutating func put(_ id: ObjectID, state: Int64) {
    if count * 2 >= ids.count { grow() }
    let place = place(of: id)
    if states[place] == 0 {
      count += 1
      ids[place] = id.integer
    }
    states[place] = state
  }

  /// The entries of all objects by id, including removed objects.
  ///
  /// A state is the id of the object's row times four, plus the kind.
  var sortedStates: [(id: ObjectID, state: Int64)] {
    states.indices.filter { states[$0] != 0 }.map { (ObjectID(ids[$0]), states[$0]) }
      .sorted { $0.0 < $1.0 }
  }

  /// Removes all entries, and keeps the memory of a small table.
  mutating func removeAll() {
    guard count > 0 else { return }
    if ids.count > 1024 {
      ids = []
      states = []
    } else {
      for place in states.indices { states[place] = 0 }
    }
    count = 0
  }

  /// The place of an id, or the free place for it.
  @inline(__always)
  private func place(of id: ObjectID) -> Int { place(of: id.integer) }

  @inline(__always)
  private func place(of id: Int64) -> Int {
    let mask = ids.count - 1
    let mixed = UInt64(bitPattern: id) &* 0x9e37_79b9_7f4a_7c15
    var place = Int(truncatingIfNeeded: mixed >> 32) & mask
    while states[place] != 0, ids[place] != id { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = (ids, states)
    let size = max(16, ids.count * 2)
    ids = Array(repeating: 0, count: size)
    states = Array(repeating: 0, count: size)
    count = 0
    // Removed objects are kept, because a ``TouchFile`` may contain them.
    for index in old.0.indices where old.1[index] != 0 {
      let place = place(of: old.0[index])
      ids[place] = old.0[index]
      states[place] = old.1[index]
      count += 1
    }
  }
}

extension Touch {
  /// Decodes a state of ``TouchTable/sortedStates``; nil for a removed object.
  init?(stored state: Int64) {
    guard state > 0 else { return nil }
    self.init(state: state)
  }

  @inline(__always)
  fileprivate init(state: Int64) {
    self.init(kind: ChangeKind(code: state & 3), row: state >> 2)
  }
}

extension ChangeKind {
  fileprivate init(code: Int64) {
    switch code {
    case 1: self = .insert
    case 2: self = .update
    default: self = .delete
    }
  }

  fileprivate var code: Int64 {
    switch self {
    case .insert: 1
    case .update: 2
    case .delete: 3
    }
  }
}
