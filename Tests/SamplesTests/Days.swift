import Foundation

/// A day of September 2026, in UTC.
func day(_ number: Int) -> Date {
  Date(timeIntervalSinceReferenceDate: 809_913_600 + Double(number - 1) * 86_400)
}
