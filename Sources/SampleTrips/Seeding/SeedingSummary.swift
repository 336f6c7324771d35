/// What a seeded history came to.
package struct SeedingSummary: Hashable, Sendable {
  /// What the history of one store holds.
  package struct Counts: Hashable, Sendable {
    /// How many saves.
    package var transactions = 0
    package var changes = 0
  }

  /// What the store of trips holds.
  package var trips: Counts
  /// What the store of people holds; nil if there is none.
  package var people: Counts?
}
