import SwiftData

extension Seeder {
  /// A trip with a new name, or with the name of the trip that it replaces.
  func newTrip(
    in context: ModelContext,
    wanted: KnownTrip.Kind? = nil,
    replacing entry: KnownTrip? = nil
  ) -> Trip {
    let kind =
      entry?.kind ?? wanted
      ?? numbers.pick([.plain, .personal, .personal, .personal, .business])
    let city = numbers.pick(Words.cities)
    let hour = Double(numbers.number(in: 0...400 * 24)) * 3600
    let start = clock.now + hour + Double(numbers.below(60)) * 60
    let end = entry?.endDate ?? start + Double(numbers.number(in: 20...400)) * 3600
    let name = entry?.name ?? newName(kind, city: city, start: start)
    let destination = "\(city.name), \(city.country)"
    let trip: Trip =
      switch kind {
      case .plain:
        Trip(name: name, destination: destination, startDate: min(start, end), endDate: end)
      case .personal:
        PersonalTrip(
          name: name,
          destination: destination,
          startDate: min(start, end),
          endDate: end,
          reason: numbers.pick(Reason.allCases)
        )
      case .business:
        BusinessTrip(
          name: name,
          destination: destination,
          startDate: min(start, end),
          endDate: end,
          perDiem: numbers.amount(30...120),
          costCenter: UInt16(numbers.number(in: 1000...9999))
        )
      }
    trip.coordinate = numbers.chance(80) ? coordinate(city) : nil
    trip.budget = numbers.chance(70) ? numbers.amount(100...6000) : nil
    trip.isFavorite = numbers.chance(15)
    if numbers.chance(50) { trip.notes = notes() }
    if numbers.chance(30) { trip.packingList = packingList() }
    if numbers.chance(20) { trip.website = website("trip", number: serial) }
    context.insert(trip)
    if entry == nil { remember(trip, kind: kind) }
    return trip
  }

  private func newName(_ kind: KnownTrip.Kind, city: Words.City, start: Date) -> String {
    serial += 1
    let days = Int(start.timeIntervalSince1970) / 86_400
    let (year, month) = yearAndMonth(days)
    let occasion = numbers.pick(kind == .business ? Words.errands : Words.occasions)
    return "\(occasion) \(city.name), \(Words.months[month - 1]) \(year) \(code(serial))"
  }

  func code(_ serial: Int) -> String { "#" + String(serial, radix: 36).uppercased() }

  func addItem(to trip: Trip) {
    let item = BucketListItem(
      title: numbers.pick(Words.activities),
      details: numbers.chance(40) ? numbers.pick(Words.remarks) : "",
      hasReservation: numbers.chance(20),
      isInPlan: numbers.chance(50)
    )
    item.priority = numbers.pick(Priority.allCases)
    if numbers.chance(60) { item.minutes = Int32(numbers.number(in: 2...40) * 15) }
    if numbers.chance(30) { item.cost = numbers.amount(0...90) }
    if numbers.chance(30) { item.payment = payment() }
    trip.bucketList.append(item)
  }

  func newAccommodation() -> LivingAccommodation {
    let place = LivingAccommodation(
      placeName: numbers.pick(Words.stays),
      address: street(),
      isConfirmed: numbers.chance(30)
    )
    place.pricePerNight = numbers.amount(40...300)
    place.rooms = UInt8(numbers.number(in: 1...4))
    place.loyaltyPoints = Int64(numbers.below(1_000_000))
    if place.isConfirmed { place.booking = numbers.uuid() }
    if numbers.chance(70) { place.stars = Float(numbers.number(in: 2...10)) / 2 }
    if numbers.chance(40) { place.warmth = Float16(numbers.number(in: 160...240)) / 10 }
    if numbers.chance(50) { place.floor = Int8(numbers.number(in: -1...40)) }
    if numbers.chance(50) { place.distance = Int16(numbers.below(30_000)) }
    // Some of these numbers are greater than `Int64.max`.
    if numbers.chance(30) { place.wifiBytes = numbers.next() >> UInt64(numbers.below(40)) }
    if numbers.chance(40) { place.contact = website("stay", number: numbers.below(900)) }
    if numbers.chance(30) { place.doorCode = Data(numbers.bytes(numbers.pick([0, 2, 4, 16]))) }
    place.amenities = (0..<numbers.below(5)).map { _ in numbers.pick(Words.amenities) }
    if numbers.chance(50) {
      place.ratings = ["breakfast": 4, "price": 3.5, "quiet": numbers.fraction() * 5]
    }
    return place
  }

  func notes() -> String {
    (0..<numbers.number(in: 1...4)).map { _ in numbers.pick(Words.remarks) }
      .joined(separator: numbers.chance(30) ? "\n" : " ")
  }

  func packingList() -> [String] {
    (0..<numbers.number(in: 1...6)).map { _ in numbers.pick(Words.luggage) }
  }

  func companions() -> [String] {
    (0..<numbers.number(in: 1...3)).map { _ in
      "\(numbers.pick(Words.firstNames)) \(numbers.pick(Words.lastNames))"
    }
  }

  func expense() -> Expense {
    Expense(
      what: numbers.pick(Words.costs),
      cents: numbers.number(in: 200...90_000),
      date: clock.now
    )
  }

  func payment() -> Payment {
    switch numbers.below(3) {
    case 0: .none
    case 1: .onSite(currency: numbers.pick(["EUR", "NOK", "JPY", "USD", "KRW"]))
    default:
      .prepaid(cents: numbers.number(in: 500...30_000), reference: code(numbers.below(99_999)))
    }
  }

  func street() -> String { "\(numbers.pick(Words.streets)) \(numbers.number(in: 1...140))" }

  func website(_ kind: String, number: Int) -> URL? {
    URL(string: "https://\(kind).example.org/\(number)")
  }

  func coordinate(_ city: Words.City) -> Coordinate {
    Coordinate(
      latitude: city.latitude + (numbers.fraction() - 0.5) / 50,
      longitude: city.longitude + (numbers.fraction() - 0.5) / 50
    )
  }

  /// One of a few pictures; the last one is large, with bytes like those of a camera.
  func photo(_ index: Int) -> Data {
    if let photo = photos[index] { return photo }
    var noise = SeededNumbers(seed: 0xca_0e7a + UInt64(index))
    let size =
      hasSmallPhotos
      ? 100 + 20 * index
      : index == 23
        ? 1_200_000 : noise.number(in: index % 2 == 0 ? 140_000...300_000 : 20_000...120_000)
    let photo = Data([0xff, 0xd8, 0xff, 0xe0] + noise.bytes(size) + [0xff, 0xd9])
    photos[index] = photo
    return photo
  }
}

/// The year and the month of a day since 1970, in the Gregorian calendar.
private func yearAndMonth(_ days: Int) -> (year: Int, month: Int) {
  let shifted = days + 719_468
  let era = shifted / 146_097
  let dayOfEra = shifted % 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month)
}
