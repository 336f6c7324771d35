/// The results of a fetch in sections, in the order of their first elements.
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

  /// Always 0.
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

  /// The section with the title; nil if there is none.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[title].map { sections[$0] }
  }
}

/// The results of a fetch that have the same title; never empty.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>:
  RandomAccessCollection, Identifiable, Equatable
{
  /// The value that all elements of the section share; empty for a text that is nil.
  public let title: SectionTitle
  fileprivate(set) var elements: [Element] = []

  fileprivate init(title: SectionTitle) { self.title = title }

  /// The title, which is unique among the sections.
  public var id: SectionTitle { title }
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of elements, at least 1.
  public var endIndex: Int { elements.count }
  /// The element at an index, which must be less than ``endIndex``.
  public subscript(position: Int) -> Element { elements[position] }
}
