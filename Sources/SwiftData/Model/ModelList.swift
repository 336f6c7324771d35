/// A list of objects in insertion order, without duplicates.
///
/// Searching or removing takes constant time in long lists.
struct ModelList<Element> {
  /// The objects of the list; entries of removed objects may remain until the list is compacted.
  private var places: [Element]
  /// The objects of a long list, for searches; nil for a short list, which is searched directly.
  private var present: Set<UInt>?
  /// For each object, how many of its entries in `places` are removed; the removed entries are
  /// always its first entries.
  private var removed: [UInt: Int] = [:]
  private var removedCount = 0

  private static var longestToSearch: Int { 32 }

  init(_ elements: [Element] = []) { places = elements }

  var count: Int { places.count - removedCount }
  var isEmpty: Bool { count == 0 }

  var elements: [Element] {
    guard removedCount > 0 else { return places }
    var removed = removed
    return places.filter { element in
      guard let count = removed[identity(element)], count > 0 else { return true }
      removed[identity(element)] = count - 1
      return false
    }
  }

  /// Removes the entries of removed objects, so that the elements can be read without a copy.
  mutating func compact() {
    guard removedCount > 0 else { return }
    places = elements
    removed = [:]
    removedCount = 0
  }

  /// Adds an object that is not in the list yet.
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

  /// The address of an object, which is the first word of each kind of reference to it.
  private func identity(_ element: Element) -> UInt {
    withUnsafeBytes(of: element) { $0.load(as: UInt.self) }
  }
}
