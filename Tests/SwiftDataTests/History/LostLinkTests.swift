import Foundation
import Store
import SwiftData
import TestSupport
import Testing

@Suite("Links that a deletion removes")
struct LostLinkTests {
  @Test(
    "History has the lost link of each remaining object, also between objects with equal ids.",
    arguments: [false, true],
    [false, true]
  )
  func deletion(deletesTag: Bool, isFetchedAgain: Bool) throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("trips.store")
      let container = try ModelContainer(for: Trip.self, configurations: .init(url: url))
      let context = ModelContext(container)
      let tags = ["north", "south"].map { Tag(label: $0) }
      let items = ["Swim", "Row"].map { BucketListItem(title: $0) }
      for tag in tags {
        context.insert(tag)
        try context.save()
      }
      for item in items {
        context.insert(item)
        try context.save()
      }
      items[0].tags = tags
      items[1].tags = [tags[1]]
      try context.save()
      let other = isFetchedAgain ? ModelContext(container) : context
      if deletesTag {
        let south = try #require(
          try other.fetch(FetchDescriptor<Tag>(predicate: #Predicate { $0.label == "south" })).first
        )
        other.delete(south)
      } else {
        let swim = try #require(
          try other.fetch(
            FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == "Swim" })
          ).first
        )
        other.delete(swim)
      }
      try other.save()
      let changes = try #require(try allHistory(other).last).changes
      // The items own the links, so a deleted item has its lost links in its own change.
      #expect(changes.count == (deletesTag ? 3 : 1))
      var findings: [String] = []
      _ = try Store.open(.file(url)).check { findings.append($0.description) }
      #expect(findings == [])
    }
  }
}
