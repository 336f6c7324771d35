/// Objects in the order in which they were added, each once.
///
/// Whether a long list contains an object, and removing one, take the same time however long it is.
struct ModelList<Element> {
  /// The objects, and before some of them the places of objects that were removed since.
  private var places: [Element]
  /// The objects of a long list that was searched; to search a short one costs less than this.
  private var present: Set<UInt>?
  /// How many of the first places of an object are those of a removed one.
  private var removed: [UInt: Int] = [:]
  private var removedCount = 0

  private static var longestToSearch: Int { 32 }

  init(_ elements: [Element] = []) { places = elements }

  var count: Int { places.count - removedCount }
  var isEmpty: Bool { count == 0 }

  /// The objects in their order.
  var elements: [Element] {
    guard removedCount > 0 else { return places }
    var removed = removed
    return places.filter { element in
      guard let count = removed[identity(element)], count > 0 else { return true }
      removed[identity(element)] = count - 1
      return false
    }
  }

  /// Drops the places of removed objects, as reading the elements is free without them.
  mutating func compact() {
    guard removedCount > 0 else { return }
    places = elements
    removed = [:]
    removedCount = 0
  }

  /// Adds an object that is not in the list.
  mutating func append(_ element: Element) {
    places.append(element)
    let added = identity(element)
    present?.insert(added)
  }

  mutating func contains(_ element: Element) -> Bool {
    makeSearchable()
    let wanted = identity(element)
    return present?.contains(wanted) ?? places.contains { identity($0) == wanted }
  }

  /// Removes an object; returns false if it is not in the list.
  @discardableResult
  mutating func remove(_ element: Element) -> Bool {
    makeSearchable()
    let wanted = identity(element)
    guard present != nil else {
      guard let index = places.firstIndex(where: { identity($0) == wanted }) else { return false }
      places.remove(at: index)
      return true
    }
    guard present?.remove(wanted) != nil else { return false }
    if let last = places.last, identity(last) == wanted {
      places.removeLast()
    } else {
      removed[wanted, default: 0] += 1
      removedCount += 1
      if removedCount > places.count / 2 { compact() }
    }
    return true
  }

  private mutating func makeSearchable() {
    guard present == nil, places.count > Self.longestToSearch else { return }
    present = Set(places.map(identity))
  }

  /// The address of an object, which comes first in every kind of reference to it.
  private func identity(_ element: Element) -> UInt {
    withUnsafeBytes(of: element) { $0.load(as: UInt.self) }
  }
}
