/// The results of a fetch in sections, in the order in which the sections first occur.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Equatable
{
  private var sections: [ResultsSection<Element, SectionTitle>] = []
  private var places: [SectionTitle: Int] = [:]

  init(_ elements: some Sequence<Element>, title: (Element) -> SectionTitle) {
    for element in elements {
      let title = title(element)
      let place = places[title] ?? sections.count
      if place == sections.count {
        places[title] = place
        sections.append(ResultsSection(title: title))
      }
      sections[place].elements.append(element)
    }
  }

  /// The first position.
  public var startIndex: Int { 0 }
  /// The position after the last.
  public var endIndex: Int { sections.count }
  /// The section at a position.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  /// The titles of the sections, in their order.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// Whether there is a section of that title.
  public func contains(sectionTitle title: SectionTitle) -> Bool { places[title] != nil }

  /// The position of the section of that title; nil if there is none.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }

  /// The section of that title; nil if there is none.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[title].map { sections[$0] }
  }
}

/// The results of a fetch that have the same title.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Identifiable, Equatable
{
  /// The value that all elements of the section have in common.
  public let title: SectionTitle
  fileprivate(set) var elements: [Element] = []

  fileprivate init(title: SectionTitle) { self.title = title }

  /// The title, which no other section has.
  public var id: SectionTitle { title }
  /// The first position.
  public var startIndex: Int { 0 }
  /// The position after the last.
  public var endIndex: Int { elements.count }
  /// The element at a position.
  public subscript(position: Int) -> Element { elements[position] }
}
