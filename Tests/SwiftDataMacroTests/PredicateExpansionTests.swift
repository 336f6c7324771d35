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
        trip.items.contains { third.evaluate($0) } == (first.evaluate(trip) == self.second.evaluate(trip))
      }
      """#,
      #"""
      let p = #_Predicate<Trip> { trip in
        // Both.
        trip.items.contains {
          third[$0, default: "evaluate"]
        } == (first[trip, default: "evaluate"] == self.second[trip, default: "evaluate"])
      }
      """#
    )
  }

  @Test("#Predicate leaves other functions named evaluate unchanged.")
  func others() {
    expectExpansion(
      #"let p = #Predicate<Trip> { [evaluate($0), $0.evaluate(), $0.evaluate(at: 1)] }"#,
      #"""
      let p = #_Predicate<Trip> {
        [evaluate($0), $0.evaluate(), $0.evaluate(at: 1)]
      }
      """#
    )
  }

  @Test("#Predicate passes each term of a condition to Foundation's macro separately.")
  func chain() {
    expectExpansion(
      #"""
      let p = #Predicate<Trip> { trip in
        trip.name == name || first.evaluate(trip)
          && !(trip.items.contains { item in item.trip == trip } || flag)
      }
      """#,
      #"""
      let p = Foundation.Predicate<Trip>({ trip in
          let _$input0 = SwiftData._PredicateInput(trip)
          let _$term0 = #_Predicate {
            _$input0["variable"].name == name
          } .expression
          let _$term1 = #_Predicate {
            first[_$input0["variable"], default: "evaluate"]
          } .expression
          let _$term2 = #_Predicate {
            _$input0["variable"].items.contains { item in
              item.trip == _$input0["variable"]
            }
          } .expression
          let _$term3 = #_Predicate {
            flag
          } .expression
          return SwiftData._or(_$term0, SwiftData._and(_$term1, SwiftData._not(SwiftData._or(_$term2, _$term3))))
        })
      """#
    )
  }

  @Test(
    "#Predicate does not split a condition in which another variable has the name of an input.",
    arguments: [
      "{ trip in trip.items.contains { trip in trip.flag } && trip.flag }",
      "{ trip in trip.flag || trip.items.contains { [trip] item in item.trip == trip } }",
      "{ trip in trip.flag || (if let trip = trip.next { trip.flag } else { false }) }",
    ]
  )
  func ambiguous(closure: String) {
    #expect(expand("let p = #Predicate<Trip> \(closure)").text.contains("#_Predicate<Trip> {"))
  }
}
