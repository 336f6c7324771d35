import Foundation
import SwiftData

@Model final class Page {
  var number: Int
  init(number: Int) { self.number = number }
}

/// Saves pages in a new store, and returns the numbers above one, in order.
public func pages() throws -> [Int] {
  let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
  let container = try ModelContainer(for: Page.self, configurations: configuration)
  let context = ModelContext(container)
  for number in [3, 1, 2] { context.insert(Page(number: number)) }
  try context.save()
  let descriptor = FetchDescriptor<Page>(
    predicate: #Predicate { $0.number > 1 },
    sortBy: [SortDescriptor(\.number)]
  )
  return try context.fetch(descriptor).map(\.number)
}
