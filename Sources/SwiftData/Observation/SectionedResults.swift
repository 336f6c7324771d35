/// The results of a fetch in sections; the sections are in the order of their first elements.
///
/// ```swift
/// for section: ResultsSection in sections as SectionedResults { print(section.title, section.count) }
/// ```
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

  /// The index of the first section; always 0.
  public var startIndex: Int { 0 }
  /// The number of sections; 0 if there are no results.
  public var endIndex: Int { sections.count }
  /// The section at an index, which must be less than ``endIndex``.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

  /// The titles of the sections in order; each occurs once.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// Whether there is a section with the title; O(1).
  public func contains(sectionTitle title: SectionTitle) -> Bool { places[title] != nil }

  /// The index of the section with the title; nil if there is none; O(1).
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }

  /// The section with the title; nil if there is no such section.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[title].map { sections[$0] }
  }
}

/// Results of a fetch that have the same section title; never empty.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Identifiable, Equatable
{
  /// The title that all elements of the section share; empty if their text is nil.
  public let title: SectionTitle
  fileprivate(set) var elements: [Element] = []

  fileprivate init(title: SectionTitle) { self.title = title }

  /// The title, which is unique among the sections.
  public var id: SectionTitle { title }
  /// The index of the first element; always 0.
  public var startIndex: Int { 0 }
  /// The number of elements, at least 1.
  public var endIndex: Int { elements.count }
  /// The element at an index, which must be less than ``endIndex``.
  public subscript(position: Int) -> Element { elements[position] }
}
