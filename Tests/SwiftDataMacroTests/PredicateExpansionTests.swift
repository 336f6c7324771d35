import Testing

@Suite("The expansion of #Predicate")
struct PredicateExpansionTests {
  @Test("#Predicate over a model expands like Foundation's macro.")
  func plain() {
    expectExpansion(
      #"let p = #Predicate<Trip> { $0.name == "x" }"#,
      #"""
      let p = #_Predicate<Trip> {
        $0.name == "x"
      }
      """#
    )
    expectExpansion(
      #"let p: Predicate<Trip> = #Predicate({ $0.name == "x" })"#,
      #"""
      let p: Predicate<Trip> = #_Predicate({
        $0.name == "x"
      })
      """#
    )
    expectExpansion(
      #"let e = #Expression<Trip, Int> { $0.items.count }"#,
      #"""
      let e = #_Expression<Trip, Int> {
        $0.items.count
      }
      """#
    )
  }

  @Test("#Predicate turns calls of evaluate into a subscript.")
  func evaluate() {
    expectExpansion(
      #"""
      let p = #Predicate<Trip> { trip in
        // Both.
        first.evaluate(trip) && !self.second.evaluate(trip)
          && trip.items.contains { third.evaluate($0) } && count.evaluate(trip.items) > 0
      }
      """#,
      #"""
      let p = #_Predicate<Trip> { trip in
        // Both.
        first[trip, default: "evaluate"] && !self.second[trip, default: "evaluate"]
          && trip.items.contains {
          third[$0, default: "evaluate"]
        } && count[trip.items, default: "evaluate"] > 0
      }
      """#
    )
  }

  @Test("#Predicate leaves other functions named evaluate unchanged.")
  func others() {
    expectExpansion(
      #"let p = #Predicate<Trip> { evaluate($0) || $0.evaluate() || $0.evaluate(at: 1) }"#,
      #"""
      let p = #_Predicate<Trip> {
        evaluate($0) || $0.evaluate() || $0.evaluate(at: 1)
      }
      """#
    )
  }
}
