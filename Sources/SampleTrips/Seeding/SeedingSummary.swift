/// The numbers of transactions and changes in seeded histories.
package struct SeedingSummary: Hashable, Sendable {
  /// The numbers in the history of one store.
  package struct Counts: Hashable, Sendable {
    package var transactions = 0
    package var changes = 0
  }

  package var trips: Counts
  /// Nil if there is no store of people.
  package var people: Counts?
}
