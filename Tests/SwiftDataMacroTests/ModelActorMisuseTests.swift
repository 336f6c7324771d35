import Testing

@Suite("Misused @ModelActor")
struct ModelActorMisuseTests {
  @Test("@ModelActor refuses a type that is not an actor.")
  func notAnActor() {
    expectComplaints(
      "@ModelActor final class Importer {}",
      [
        "1:1 @ModelActor needs an actor, which protects the context; 'Importer' is a class."
      ]
    )
    expectComplaints(
      "@ModelActor struct Importer {}",
      [
        "1:1 @ModelActor needs an actor, which protects the context; 'Importer' is a struct."
      ]
    )
    expectComplaints(
      "@ModelActor enum Importer {}",
      [
        "1:1 @ModelActor needs an actor, which protects the context; 'Importer' is an enum."
      ]
    )
  }

  @Test("@ModelActor refuses a property that its initializer can't set.")
  func noValue() {
    expectComplaints(
      "@ModelActor actor Importer { let limit: Int }",
      [
        "1:34 @ModelActor generates 'init(modelContainer:)', which has no value for 'limit'; "
          + "give the property a default value, or write an initializer of your own for "
          + "'Importer' that sets 'modelContainer' and 'modelExecutor' too."
      ]
    )
    expectComplaints("@ModelActor actor Importer { var limit: Int? }", [])
    expectComplaints("@ModelActor actor Importer { lazy var limit = 1 }", [])
    expectComplaints("@ModelActor actor Importer { static let limit: Int = 3 }", [])
    expectComplaints("@ModelActor actor Importer { let limit: Int; init(limit: Int) {} }", [])
  }
}
