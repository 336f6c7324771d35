import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("Watching for commits")
struct CommitWatchTests {
  @Test(
    "A watch reports each commit once, from any connection, and nothing between commits.",
    arguments: Place.allCases
  )
  func commits(_ place: Place) throws {
    try withStore(place) { store, open in
      let watch = try store.watch()
      let other = try store.watch()
      #expect(try watch.hasChanged())
      for id in 1...3 as ClosedRange<Int64> {
        for _ in 0..<2 { #expect(try !watch.hasChanged()) }
        try open().write(Author()) { try $0.insert(tag, id: id, values: [.text("\(id)")]) }
        #expect(try watch.hasChanged())
      }
      #expect(try !watch.hasChanged())
      // A watch that was not asked meanwhile reports all commits as one.
      #expect(try other.hasChanged())
      #expect(try !other.hasChanged())
    }
  }
}
