import SwiftData

// The changes of the app and its widget.
extension Seeder {
  func addTags(_ context: ModelContext) throws {
    for tag in Words.tags {
      let tag = Tag(word: tag.word, color: UInt32(numbers.below(0x100_0000)), symbol: tag.symbol)
      context.insert(tag)
    }
  }

  /// A new trip with its bucket list, and perhaps a place to stay and tags.
  func planTrip(_ context: ModelContext) throws {
    let trip = newTrip(in: context)
    for _ in 0..<numbers.number(in: 3...10) { addItem(to: trip) }
    if numbers.chance(60) { trip.livingAccommodation = newAccommodation() }
    if numbers.chance(40) { trip.tags = someTags(numbers.number(in: 1...3)) }
  }

  /// One trip of each kind, with a value for every property.
  func planWithEverything(_ context: ModelContext) throws {
    for (index, kind) in [KnownTrip.Kind.plain, .personal, .business].enumerated() {
      let trip = newTrip(in: context, wanted: kind)
      trip.reference = numbers.uuid()
      trip.rating = 4.5
      trip.budget = numbers.amount(100...6000)
      trip.coordinate = coordinate(numbers.pick(Words.cities))
      trip.website = website("trip", number: serial)
      trip.notes = notes()
      trip.packingList = packingList()
      trip.picturesPerDay = [12, 0, 40]
      trip.photo = photo(21 + index)
      (trip as? PersonalTrip)?.companions = companions()
      (trip as? BusinessTrip)?.expenses = [expense(), expense()]
      for _ in 0..<5 { addItem(to: trip) }
      if let item = trip.bucketList.first {
        item.minutes = 90
        item.meters = 1200
        item.cost = numbers.amount(0...90)
        item.payment = payment()
        item.links = [website("activities", number: serial)].compactMap { $0 }
        item.doneAt = clock.now
      }
      let place = newAccommodation()
      place.booking = numbers.uuid()
      place.stars = 4.5
      place.warmth = 21.5
      place.floor = -1
      place.distance = 700
      place.wifiBytes = .max
      place.contact = website("stay", number: serial)
      place.doorCode = Data(numbers.bytes(4))
      place.amenities = Words.amenities
      place.ratings = ["breakfast": 5]
      trip.livingAccommodation = place
    }
  }

  /// Changes some properties of one or a few trips.
  func editTrips(_ context: ModelContext) throws {
    for _ in 0..<numbers.pick([1, 1, 1, 2, 3]) {
      let trip = anyTrip(in: context)
      for _ in 0..<numbers.number(in: 1...3) { edit(trip) }
    }
  }

  func edit(_ trip: Trip) {
    switch numbers.below(11) {
    case 0: trip.status = numbers.pick(TripStatus.allCases)
    case 1: trip.isFavorite.toggle()
    case 2: trip.budget = numbers.chance(10) ? nil : numbers.amount(100...6000)
    case 3: trip.rating = Double(numbers.number(in: 1...10)) / 2
    case 4: trip.notes = notes()
    case 5: trip.packingList = packingList()
    case 6: trip.website = website("trip", number: numbers.below(100_000))
    case 7: trip.picturesPerDay = (0..<numbers.number(in: 1...7)).map { _ in numbers.below(200) }
    case 8:
      let delay = Double(numbers.number(in: -3...9)) * 86_400
      trip.startDate += delay
      trip.endDate += delay
    case 9:
      let city = numbers.pick(Words.cities)
      trip.destination = "\(city.name), \(city.country)"
      trip.coordinate = coordinate(city)
    default:
      if let trip = trip as? BusinessTrip {
        trip.expenses.append(expense())
        trip.perDiem = numbers.amount(30...120)
      } else if let trip = trip as? PersonalTrip {
        trip.reason = numbers.pick(Reason.allCases)
        trip.companions = companions()
      } else {
        trip.reference = numbers.uuid()
      }
    }
  }

  /// Plans and reserves bucket list items.
  func workThroughBucketList(_ context: ModelContext) throws {
    let trip = anyTrip(in: context)
    for item in trip.bucketList.prefix(12) where numbers.chance(70) {
      switch numbers.below(5) {
      case 0: item.isInPlan.toggle()
      case 1:
        item.hasReservation = true
        item.payment = payment()
      case 2: item.priority = numbers.pick(Priority.allCases)
      case 3: item.doneAt = clock.now
      default:
        item.details = numbers.pick(Words.remarks)
        item.minutes = Int32(numbers.number(in: 2...40) * 15)
        item.links = [website("activities", number: numbers.below(5000))].compactMap { $0 }
      }
    }
  }

  func extendBucketList(_ context: ModelContext, count: Int) throws {
    let trip = anyTrip(in: context)
    let most = max(1, count)
    for _ in 0..<(count == 6 ? numbers.number(in: 1...most) : most) { addItem(to: trip) }
  }

  func shortenBucketList(_ context: ModelContext) throws {
    let items = anyTrip(in: context).bucketList
    for item in items.suffix(numbers.number(in: 1...4)) { context.delete(item) }
  }

  /// Replaces a place to stay.
  func book(_ context: ModelContext) throws {
    let trip = anyTrip(in: context)
    if let place = trip.livingAccommodation {
      if numbers.chance(50) {
        place.pricePerNight = numbers.amount(40...300)
        place.rooms += 1
        place.ratings["price", default: 3] += 0.5
        return
      }
      context.delete(place)
    }
    trip.livingAccommodation = newAccommodation()
    trip.status = .booked
  }

  func sortWithTags(_ context: ModelContext) throws {
    let trip = anyTrip(in: context)
    if numbers.chance(60) || trip.tags.isEmpty {
      for tag in someTags(2) where !trip.tags.contains(tag) { trip.tags.append(tag) }
    } else {
      // The tag with the highest id, which does not depend on the order of `tags`.
      let last = trip.tags.max { $0.persistentModelID < $1.persistentModelID }
      trip.tags.removeAll { $0 === last }
    }
  }

  /// Adds a picture, which several trips can share.
  func addPhoto(_ context: ModelContext) throws {
    let trip = anyTrip(in: context)
    trip.photo = trip.photo != nil && numbers.chance(30) ? nil : photo(numbers.below(24))
  }

  /// Deletes a trip and everything that belongs to it.
  func deleteTrip(_ context: ModelContext) throws {
    guard known.count > 20 else { return try planTrip(context) }
    // The kinds of trips take turns, so that a short history contains all of them.
    let wanted: KnownTrip.Kind = [.plain, .personal, .business][deleted % 3]
    let indices = known.indices.filter { known[$0].kind == wanted }
    guard !indices.isEmpty else { return try planTrip(context) }
    let index = numbers.pick(indices)
    let trip = known[index].trip
    guard trip.bucketList.count + 30 <= remaining else { return edit(trip) }
    known.remove(at: index)
    deleted += 1
    context.delete(trip)
  }

  func confirm(_ context: ModelContext) throws {
    let trip = anyTrip(in: context)
    guard let place = trip.livingAccommodation else { return trip.isFavorite.toggle() }
    place.isConfirmed.toggle()
    place.booking = place.isConfirmed ? numbers.uuid() : nil
  }

  /// The widget marks an item as done.
  func tickOff(_ context: ModelContext) throws {
    let trip = anyTrip(in: context)
    guard let item = trip.bucketList.first(where: { $0.doneAt == nil }) else {
      return trip.isFavorite.toggle()
    }
    item.doneAt = clock.now
  }

  func someTags(_ count: Int) -> [Tag] {
    let words = Set((0..<count).map { _ in numbers.pick(Words.tags).word })
    return words.sorted().compactMap { tags[$0] }
  }
}
