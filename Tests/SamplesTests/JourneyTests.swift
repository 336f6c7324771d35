import SwiftData
import Testing

@Suite("Journeys, with formatters and a queue that Foundation on Linux does not have")
struct JourneyTests {
  @Test("An actor with a queue as its executor saves journeys, whose values are formatted.")
  func timetable() async throws {
    let container = try ModelContainer(
      for: Journey.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let now = Date(timeIntervalSinceReferenceDate: 0)
    let timetable = Timetable(container: container)
    try await timetable.add(
      "Bergensbanen",
      departure: now + 86_400,
      duration: 6 * 3_600 + 2_400,
      meters: 496_000
    )
    try await timetable.add("Bergensbanen", departure: now, duration: 0, meters: 371_000)
    #expect(try await timetable.count() == 1)
    let journey = try #require(try ModelContext(container).fetch(FetchDescriptor<Journey>()).first)
    #expect(journey.distance.converted(to: .kilometers).value == 371)
    #expect(journey.kind == .train)
    let english = Locale(identifier: "en_US")
    #expect(journey.distanceText(locale: english) == "231 mi")
    #expect(journey.distanceText(locale: Locale(identifier: "nb_NO")) == "371 km")
    journey.departure = now + 86_400
    journey.duration = 6 * 3_600 + 2_400
    #expect(journey.departureText(now: now, locale: english) == "tomorrow")
    #expect(journey.durationText == "6h 40m")
  }
}
