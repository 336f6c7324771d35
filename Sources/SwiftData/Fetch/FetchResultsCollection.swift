import Format
import Store

/// The results of a fetch; only one batch of them is in memory at a time.
///
/// ```swift
/// let trips: FetchResultsCollection = try context.fetch(FetchDescriptor<Trip>(), batchSize: 500)
/// for trip in trips { print(trip.name) }
/// ```
public final class FetchResultsCollection<Element>: RandomAccessCollection {
  private let identifiers: [PersistentIdentifier]
  private let batchSize: Int
  private let context: ModelContext
  private var loaded: (number: Int, elements: [Element])?

  init<T>(_ descriptor: FetchDescriptor<T>, batchSize: Int, context: ModelContext) throws {
    identifiers = try context.fetchIdentifiers(descriptor)
    self.batchSize = Swift.max(1, batchSize)
    self.context = context
  }

  init(_ elements: [Element], context: ModelContext) where Element: PersistentModel {
    identifiers = elements.map(\.persistentModelID)
    batchSize = Swift.max(elements.count, 1)
    self.context = context
    loaded = (0, elements)
  }

  /// The index of the first result; always 0.
  public var startIndex: Int { 0 }
  /// The number of results; O(1), because the identifiers of all results are in memory.
  public var endIndex: Int { identifiers.count }

  /// The result at an index; reads the result's batch if it is not in memory.
  public subscript(position: Int) -> Element {
    let number = position / batchSize
    if let loaded, loaded.number == number { return loaded.elements[position % batchSize] }
    let elements = batch(number)
    loaded = (number, elements)
    return elements[position % batchSize]
  }

  var batches: some Sequence<[Element]> {
    (0..<(identifiers.count + batchSize - 1) / batchSize).lazy.map { self.batch($0) }
  }

  private func batch(_ number: Int) -> [Element] {
    let range = number * batchSize..<Swift.min((number + 1) * batchSize, identifiers.count)
    let wanted = identifiers[range]
    if Element.self == PersistentIdentifier.self { return wanted.compactMap { $0 as? Element } }
    let held = context.readTogether(Array(wanted))
    defer { withExtendedLifetime(held) {} }
    return wanted.compactMap { context.model(for: $0) as? Element }
  }
}

extension ModelContext {
  /// Reads the objects with these identities in a few queries, and keeps them in memory.
  func readTogether(_ identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    var wanted: [Int: [PersistentIdentifier]] = [:]
    for identifier in identifiers.map(registry.current)
    where registeredAny(for: identifier) == nil {
      guard let entity = container.map[identifier.entityName] else { continue }
      wanted[entity.storeIndex, default: []].append(identifier)
    }
    var held: [any PersistentModel] = []
    for (index, identifiers) in wanted {
      let found = report { try registry.sessions[index].models(for: identifiers) }
      held += found.map { Array($0.values) } ?? []
    }
    return held
  }
}
