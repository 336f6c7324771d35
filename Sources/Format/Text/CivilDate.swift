/// A day of the proleptic Gregorian calendar, as in RFC 3339.
package struct CivilDate: Hashable {
  package var year: Int
  package var month: Int
  package var day: Int

  /// Creates a date; nil if the day does not exist, or if the year is not from 1 to 9999.
  init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.daysIn(month: month, year: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates a date from the number of days since 2001-01-01.
  init(daysSinceReference days: Int) {
    // Years begin in March, so the leap day is the last day of a year. Years are grouped into eras
    // of 400 years, which all have the same number of days. Day zero of era zero is 0000-03-01.
    let shifted = days + Self.referenceDays
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Creates a date from the number of days since 1970-01-01.
  package init(daysSince1970 days: Int) {
    self.init(daysSinceReference: days - Self.daysFrom1970)
  }

  /// The number of days since 2001-01-01.
  var daysSinceReference: Int { Self.days(year, month: month, day: day) - Self.daysFrom1970 }

  /// The number of days from 1970-01-01 to a day, which need not exist.
  package static func days(_ year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - referenceDays + daysFrom1970
  }

  /// The days from 0000-03-01 to 2001-01-01.
  private static let referenceDays = 730_791
  /// The days from 1970-01-01 to 2001-01-01.
  private static let daysFrom1970 = 11_323

  private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }

  private static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: return 30
    case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: return 31
    }
  }
}
