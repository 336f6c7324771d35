// As in Apple's framework, there is a separate initializer for each combination of criteria,
// sections and source.

extension ResultsObserver where SectionTitle == Never {
  /// Observes the models that a descriptor selects.
  ///
  /// - Throws: The error of the first fetch, if it fails.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, in: modelContext, on: isolation)
  }

  /// Observes the models that a descriptor selects, in a new context.
  ///
  /// - Throws: The error of the first fetch, if it fails.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, in: ModelContext(modelContainer), on: isolation)
  }

  /// Observes the models that a predicate selects; without a predicate, all models of the class.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(filterBy, sortBy: sortBy), in: modelContext, on: isolation)
  }

  /// Observes the models that a predicate selects, in a new context; without a predicate, all
  /// models of the class.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(filterBy, sortBy: sortBy),
      in: ModelContext(modelContainer),
      on: isolation
    )
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Observes the models that a descriptor selects, in sections by a text property; models whose
  /// text is nil are in a section with an empty title.
  public convenience init<Title: _SectionText>(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, Title>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, by: SectionOrder(sectionBy), in: modelContext, on: isolation)
  }

  /// Observes the models that a descriptor selects, in a new context and in sections by a text
  /// property; models whose text is nil are in a section with an empty title.
  public convenience init<Title: _SectionText>(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, Title>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor,
      by: SectionOrder(sectionBy),
      in: ModelContext(modelContainer),
      on: isolation
    )
  }

  /// Observes the models that a predicate selects, in sections by a text property; models whose
  /// text is nil are in a section with an empty title.
  @_disfavoredOverload
  public convenience init<Title: _SectionText>(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, Title>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(filterBy, sortBy: sortBy),
      by: SectionOrder(sectionBy),
      in: modelContext,
      on: isolation
    )
  }

  /// Observes the models that a predicate selects, in a new context and in sections by a text
  /// property; models whose text is nil are in a section with an empty title.
  @_disfavoredOverload
  public convenience init<Title: _SectionText>(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, Title>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(filterBy, sortBy: sortBy),
      by: SectionOrder(sectionBy),
      in: ModelContext(modelContainer),
      on: isolation
    )
  }
}

extension FetchDescriptor {
  fileprivate init(_ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>]?) {
    self.init(predicate: predicate, sortBy: sortBy ?? [])
  }
}
