import Changes
import Testing

@Suite("Times given in milliseconds")
struct MillisecondTimeTests {
  @Test(
    "A time before or after 1970 is written with its milliseconds.",
    arguments: [
      (0, "1970-01-01T00:00:00.000000Z"),
      (1_704_697_200_042, "2024-01-08T07:00:00.042000Z"),
      (-1, "1969-12-31T23:59:59.999000Z"),
      (-1000, "1969-12-31T23:59:59.000000Z"),
      (-1001, "1969-12-31T23:59:58.999000Z"),
    ] as [(Int64, String)]
  )
  func text(milliseconds: Int64, expected: String) {
    #expect(timeText(milliseconds: milliseconds) == expected)
  }
}
