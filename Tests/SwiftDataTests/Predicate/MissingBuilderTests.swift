import SwiftData
import Testing

@Suite("Predicates that Foundation on Linux lacks")
struct MissingBuilderTests {
  let store: PredicateStore

  init() throws {
    store = try PredicateStore()
    for (index, name) in ["Café", "cafe", "CAFE\u{301}", "tea", "Tea", "", "x café y"].enumerated()
    {
      let item = PItem(number: index)
      item.name = name
      store.context.insert(item)
    }
    try store.context.save()
  }

  @Test("A localized search ignores case and accents.")
  func localizedContains() throws {
    for (text, count) in [("CAFE", 4), ("é", 6), ("tea", 2), ("", 0), ("zz", 0), ("E Y", 1)] {
      let found = try store.expectSame(
        #Predicate<PItem> { $0.name.localizedStandardContains(text) }
      )
      #expect(found == count, "\(text)")
    }
  }

  @Test("Comparisons that ignore case and localized comparisons are supported.")
  func comparisons() throws {
    typealias Nodes = PredicateExpressions
    for text in ["tea", "CAFÉ", ""] {
      for wanted in [ComparisonResult.orderedSame, .orderedAscending] {
        try store.expectSame(
          Predicate<PItem> { item in
            Nodes.build_Equal(
              lhs: Nodes.build_KeyPath(
                root: Nodes.build_caseInsensitiveCompare(
                  Nodes.build_KeyPath(root: item, keyPath: \.name),
                  Nodes.build_Arg(text)
                ),
                keyPath: \.rawValue
              ),
              rhs: Nodes.build_Arg(wanted.rawValue)
            )
          }
        )
        try store.expectSame(
          Predicate<PItem> { item in
            Nodes.build_Equal(
              lhs: Nodes.build_KeyPath(
                root: Nodes.build_localizedCompare(
                  Nodes.build_KeyPath(root: item, keyPath: \.name),
                  Nodes.build_Arg(text)
                ),
                keyPath: \.rawValue
              ),
              rhs: Nodes.build_Arg(wanted.rawValue)
            )
          }
        )
      }
    }
  }

  @Test("Regular expressions are supported.")
  func patterns() throws {
    try store.expectSame(#Predicate<PItem> { $0.name.contains(#/[ct]af?e/#) })
    try store.expectSame(#Predicate<PItem> { $0.name.contains(#/^x/#) })
  }
}
