import Format
import Store

/// Observes the results of a fetch, which change when the context changes, and when other contexts
/// and processes save.
///
/// ```swift
/// let observer = try ResultsObserver<Trip, String>(
///   sortBy: [SortDescriptor(\.startDate)], sectionBy: \.destination, modelContext: context)
/// if let sections = observer.sections { print(sections.sectionTitles) }
/// ```
///
/// Use `Never` as the section title if there are no sections. The observer belongs to the actor of
/// its context. Reading ``results`` after a change fetches again. If you change many objects in a
/// loop, read the results once before the loop and keep them in a constant.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The context that fetches; the results include its unsaved changes.
  public let modelContext: ModelContext
  /// The descriptor of the fetch; its order always begins with the order that the sections require.
  public private(set) var fetchDescriptor: FetchDescriptor<Element>
  /// The property that contains the section titles; nil if there are no sections.
  public let sectionBy: PartialKeyPath<Element>?

  /// The results of one fetch, and the state of the context and the stores at that time.
  private struct Fetched {
    var results: FetchResultsCollection<Element>
    var identifiers: [PersistentIdentifier]
    var sections: SectionedResults<Element, SectionTitle>?
    var changeCount: Int
    var generation: Int
  }

  private let sectionOrder: SectionOrder<Element, SectionTitle>?
  private let registrar = ObservationRegistrar()
  private let signal: ChangeSignal
  private var fetched: Fetched
  private var lastError: (any Error)?

  init(
    _ descriptor: FetchDescriptor<Element>,
    by sectionOrder: SectionOrder<Element, SectionTitle>? = nil,
    in context: ModelContext,
    on isolation: (any Actor)?
  ) throws {
    modelContext = context
    self.sectionOrder = sectionOrder
    sectionBy = sectionOrder?.keyPath
    var descriptor = descriptor
    if let sectionOrder { descriptor.sortBy = sectionOrder.sorting(descriptor.sortBy) }
    fetchDescriptor = descriptor
    let signal = ChangeSignal(context.container.changes, target: NotificationTarget(isolation))
    self.signal = signal
    let changes = context.container.changes
    do {
      // The signal is added before the fetch, so that no commit after the fetch is missed.
      try changes.add(signal, of: context.container) {
        signal.notifySoon()
        return false
      }
      fetched = try Self.fetch(descriptor, sectionOrder: sectionOrder, context: context)
    } catch {
      changes.remove(signal)
      throw (error as? StoreError).map { SwiftDataError($0) } ?? error
    }
    signal.lead(to: self)
    context.changeListeners.append {
      guard signal.observer != nil else { return false }
      signal.notifySoon()
      return true
    }
  }

  deinit { modelContext.container.changes.remove(signal) }

  /// The predicate that selects the results, or nil for all models; setting it fetches again.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set {
      fetchDescriptor.predicate = newValue
      refresh()
    }
  }

  /// The order of the results; setting it fetches again.
  ///
  /// If there are sections and the order does not begin with their property, the property is added
  /// at the beginning of the order.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set {
      fetchDescriptor.sortBy = sectionOrder?.sorting(newValue) ?? newValue
      refresh()
    }
  }

  /// The current results; reading them after a change fetches again.
  public var results: FetchResultsCollection<Element> {
    prepareToRead()
    registrar.access(self, keyPath: \.results)
    return fetched.results
  }

  /// The results in sections; nil if the observer has no sections.
  public var sections: SectionedResults<Element, SectionTitle>? {
    prepareToRead()
    registrar.access(self, keyPath: \.sections)
    return fetched.sections
  }

  /// The error of the last fetch; nil if the fetch succeeded.
  ///
  /// After an error, the results of the last successful fetch remain.
  public var fetchError: (any Error)? {
    prepareToRead()
    registrar.access(self, keyPath: \.fetchError)
    return lastError
  }

  /// The model at an index path of section and element; nil if the index path has no model.
  public func element(at indexPath: IndexPath) -> Element? {
    guard let sections, indexPath.count == 2, sections.indices.contains(indexPath[0]),
      sections[indexPath[0]].indices.contains(indexPath[1])
    else { return nil }
    return sections[indexPath[0]][indexPath[1]]
  }

  /// The index path of a model; nil if there are no sections, or if the model is not in the
  /// results.
  public func indexPath(for element: Element) -> IndexPath? {
    guard let sections else { return nil }
    for (number, section) in sections.enumerated() {
      if let index = section.firstIndex(of: element) { return [number, index] }
    }
    return nil
  }

  private static func fetch(
    _ descriptor: FetchDescriptor<Element>,
    sectionOrder: SectionOrder<Element, SectionTitle>?,
    context: ModelContext
  ) throws -> Fetched {
    // The generation is read before the fetch, because a commit during the fetch must cause another
    // fetch.
    let generation = context.container.changes.generation
    let elements = try context.fetch(descriptor)
    return Fetched(
      results: FetchResultsCollection(elements, context: context),
      identifiers: elements.map(\.persistentModelID),
      sections: sectionOrder.map { order in
        SectionedResults(elements, title: { order.title($0) })
      },
      changeCount: context.changeCount,
      generation: generation
    )
  }

  private func prepareToRead() {
    refreshIfNeeded()
    _ = signal.pulse
  }

  func refreshIfNeeded() {
    let isCurrent =
      fetched.changeCount == modelContext.changeCount
      && fetched.generation == modelContext.container.changes.generation
    if !isCurrent { refresh() }
  }

  private func refresh() {
    // If reading a property failed, the next fetch or save of the application must throw that
    // error.
    guard modelContext.deferredError == nil else { return }
    do {
      let new = try Self.fetch(fetchDescriptor, sectionOrder: sectionOrder, context: modelContext)
      let old = fetched
      if lastError != nil {
        registrar.withMutation(of: self, keyPath: \.fetchError) { lastError = nil }
      }
      guard new.identifiers != old.identifiers || new.sections != old.sections else {
        fetched = new
        return
      }
      registrar.withMutation(of: self, keyPath: \.results) {
        registrar.withMutation(of: self, keyPath: \.sections) { fetched = new }
      }
    } catch {
      // Without another change, fetching again would fail again. So the next fetch waits for a
      // change.
      fetched.changeCount = modelContext.changeCount
      fetched.generation = modelContext.container.changes.generation
      registrar.withMutation(of: self, keyPath: \.fetchError) { lastError = error }
    }
  }
}

extension ResultsObserver: ChangeFollower {}

extension ResultsObserver: CustomDebugStringConvertible {
  /// The type of the results, and their number.
  public var debugDescription: String {
    "ResultsObserver<\(Element.self), \(SectionTitle.self)>: \(fetched.identifiers.count) results"
  }
}

@available(*, unavailable, message: "A ResultsObserver belongs to the actor of its context.")
extension ResultsObserver: Sendable {}
