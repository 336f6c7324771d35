// Apple's framework has an initializer for each kind of criteria, of sections and of source.

extension ResultsObserver where SectionTitle == Never {
  /// Observes what a descriptor describes, in a context.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectionOrder: nil, context: modelContext, isolation: isolation)
  }

  /// Observes what a descriptor describes, in a new context of a container.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor,
      sectionOrder: nil,
      context: ModelContext(modelContainer),
      isolation: isolation
    )
  }

  /// Observes what a predicate selects, in a context.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(filterBy, sortBy: sortBy),
      sectionOrder: nil,
      context: modelContext,
      isolation: isolation
    )
  }

  /// Observes what a predicate selects, in a new context.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(filterBy, sortBy: sortBy),
      sectionOrder: nil,
      context: ModelContext(modelContainer),
      isolation: isolation
    )
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Observes what a descriptor describes, in sections by a text that may be nil, in a context.
  public convenience init<Title: _SectionText>(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, Title>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor,
      sectionOrder: SectionOrder(sectionBy),
      context: modelContext,
      isolation: isolation
    )
  }

  /// Observes what a descriptor describes, in sections by a text that may be nil, in a new context.
  public convenience init<Title: _SectionText>(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, Title>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor,
      sectionOrder: SectionOrder(sectionBy),
      context: ModelContext(modelContainer),
      isolation: isolation
    )
  }

  /// Observes what a predicate selects, in sections by a text that may be nil, in a context.
  @_disfavoredOverload
  public convenience init<Title: _SectionText>(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, Title>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(filterBy, sortBy: sortBy)
    try self.init(
      descriptor,
      sectionOrder: SectionOrder(sectionBy),
      context: modelContext,
      isolation: isolation
    )
  }

  /// Observes what a predicate selects, in sections by a text that may be nil, in a new context.
  @_disfavoredOverload
  public convenience init<Title: _SectionText>(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, Title>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(filterBy, sortBy: sortBy)
    try self.init(
      descriptor,
      sectionOrder: SectionOrder(sectionBy),
      context: ModelContext(modelContainer),
      isolation: isolation
    )
  }
}

extension FetchDescriptor {
  fileprivate init(_ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>]?) {
    self.init(predicate: predicate, sortBy: sortBy ?? [])
  }
}
