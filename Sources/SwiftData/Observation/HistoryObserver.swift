import Format
import Store

/// Observes the history of a container's stores, and increases a counter if there are new
/// transactions.
///
/// Observe ``eventCounter``. If it changes, fetch the transactions after your own token:
///
/// ```swift
/// let observer = try HistoryObserver(authors: ["app"], modelContainer: container)
/// for await _ in Observations({ observer.eventCounter }) {
///   for try await transaction in container.history(after: token) {
///     token = transaction.token
///   }
/// }
/// ```
///
/// The observer detects commits of this process immediately, and commits of other processes within
/// 0.1 seconds. It reads the whole history between two tokens, so it does not miss a transaction.
/// It watches the files of the container until it is released. The history of a custom store is
/// read only after saves of this process.
public final class HistoryObserver: Observable, Sendable {
  /// The container whose stores are observed; the observer keeps it open.
  public let modelContainer: ModelContainer
  /// The observed models, including their subclasses; empty to count the transactions of all
  /// models.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose transactions count; if empty, all transactions count, even those without an
  /// author.
  public let authors: Set<String>

  private struct State {
    var eventCounter = 0
    var lastError: (any Error)?
  }

  private struct Reading {
    var places: [HistoryPlace]
    var isFailing = false
  }

  private let filter: HistoryFilter
  private let registrar = ObservationRegistrar()
  private let state = Guarded(State())
  private let reading: Guarded<Reading>
  private let target: NotificationTarget

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - historyTokens: The tokens to begin after, by store identifier. A store without a token is
  ///     observed from now on.
  ///   - observedModels: The models to observe; empty for all models.
  ///   - authors: The authors to observe; empty for all authors.
  ///   - modelContainer: The container to observe.
  ///   - isolation: The actor on which ``eventCounter`` changes.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if transactions after a token were deleted,
  /// ``SwiftDataError/historyDiverged`` if the store of a token was restored from an older copy,
  /// and ``SwiftDataError/invalidTransactionFetchRequest`` if the store of a token is not in the
  /// container.
  public init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [],
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    filter = HistoryFilter(
      entities: try modelContainer.entityNames(of: observedModels),
      authors: authors
    )
    target = NotificationTarget(isolation)
    do {
      reading = Guarded(Reading(places: try modelContainer.historyPlaces(historyTokens ?? [:])))
      try modelContainer.changes.add(self, of: modelContainer) { [weak self] in
        self?.look() ?? false
      }
    } catch let error as StoreError {
      throw SwiftDataError(error)
    }
    // Reports commits that were made after the tokens were read.
    modelContainer.changes.async { [weak self] in _ = self?.look() }
  }

  deinit { modelContainer.changes.remove(self) }

  /// A number that increases if there are new transactions of the observed models and authors.
  ///
  /// Several transactions may increase the number only once.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock { $0.eventCounter }
  }

  /// The last error while reading the history; nil if there was no error.
  ///
  /// ``eventCounter`` also increases after an error. The error
  /// ``SwiftDataError/historyTokenExpired`` means that transactions were deleted before the
  /// observer read them; the observer then continues with the remaining transactions. After other
  /// errors, the observer tries again.
  public var lastError: (any Error)? {
    registrar.access(self, keyPath: \.lastError)
    return state.withLock { $0.lastError }
  }

  /// Reads new transactions; returns whether the function must be called again soon.
  private func look() -> Bool {
    var found = HistoryPlace.Finding()
    var failure: (any Error)?
    let wasFailing = reading.withLock { reading in
      for index in reading.places.indices {
        do {
          found.add(try reading.places[index].advance(filter))
        } catch {
          failure = (error as? StoreError).map { SwiftDataError($0) } ?? error
          found.isUnfinished = true
          guard (error as? StoreError)?.code == .historyExpired else { continue }
          do { try reading.places[index].skipWhatIsGone() } catch { failure = error }
        }
      }
      defer { reading.isFailing = failure != nil }
      return reading.isFailing
    }
    // If a failure repeats, only the first one counts as an event.
    if found.isRelevant || (failure != nil && !wasFailing) { publish(failure) }
    return found.isUnfinished
  }

  private func publish(_ failure: (any Error)?) {
    target.run { [weak self] in
      guard let self else { return }
      if let failure {
        registrar.withMutation(of: self, keyPath: \.lastError) {
          state.withLock { $0.lastError = failure }
        }
      }
      registrar.withMutation(of: self, keyPath: \.eventCounter) {
        state.withLock { $0.eventCounter += 1 }
      }
    }
  }
}

extension ModelContainer {
  fileprivate func entityNames(of models: [any PersistentModel.Type]) throws -> Set<String> {
    var names: Set<String> = []
    for model in models {
      let description = _ModelDescription.of(model)
      guard map.entity(of: description) != nil else {
        throw unknownModel(description)
      }
      for entity in map.entities where entity.model.isKind(of: description) {
        names.insert(entity.name)
      }
    }
    return names
  }

  /// For each store with a history, the position at which an observer begins.
  fileprivate func historyPlaces(_ tokens: [String: any HistoryToken]) throws -> [HistoryPlace] {
    for store in tokens.keys where !storeIdentifiers.contains(store) {
      throw HistoryPlace.wrongToken(store)
    }
    var places = try nativeHistories.map { history in
      guard let token = tokens[history.store.identifier] else { return try history.end() }
      guard let token = token as? DefaultHistoryToken else {
        throw HistoryPlace.wrongToken(history.store.identifier)
      }
      return try history.place(of: token)
    }
    for store in stores {
      let place = try tokens[store.identifier].map { try store.place(of: $0) }
      if let place = try place ?? store.endOfHistory() { places.append(place) }
    }
    return places
  }
}
