import SwiftData

// The changes in the store of people.
extension Seeder {
  func meet(_ context: ModelContext) throws {
    let person = newPerson(in: context)
    for index in 0..<numbers.number(in: 1...3) {
      let address = newAddress(isHome: index == 0)
      person.addresses.append(address)
    }
  }

  func move(_ context: ModelContext) throws {
    guard let person = somebody() else { return try meet(context) }
    if let home = person.addresses.first(where: \.isHome) {
      home.street = street()
      home.city = numbers.pick(Words.cities).name
    } else {
      person.addresses.append(newAddress(isHome: true))
    }
  }

  func forget(_ context: ModelContext) throws {
    guard let person = somebody() else { return try meet(context) }
    people.removeAll { $0 === person }
    context.delete(person)
  }

  /// People from the server, some with the name of an existing person.
  func receivePeople(_ context: ModelContext) throws {
    for _ in 0..<numbers.number(in: 2...8) { newPerson(in: context).email = nil }
    guard !people.isEmpty else { return }
    let name = numbers.pick(people).name
    context.insert(Person(name: name, email: email(name), birthday: birthday()))
  }

  /// One save that writes to both stores.
  func planTripWithNewFriend(_ context: ModelContext) throws {
    let person = newPerson(in: context)
    let trip = newTrip(in: context)
    trip.notes = "With \(person.name)."
    for _ in 0..<3 { addItem(to: trip) }
  }

  private func somebody() -> Person? {
    people.isEmpty ? nil : numbers.pick(people)
  }

  private func newPerson(in context: ModelContext) -> Person {
    serial += 1
    let name =
      "\(numbers.pick(Words.firstNames)) \(numbers.pick(Words.lastNames)) \(code(serial))"
    let person = Person(name: name, email: email(name), birthday: birthday())
    // The first person always has a portrait, so that the store has at least one.
    if people.isEmpty || numbers.chance(2) { person.portrait = photo(numbers.below(24)) }
    context.insert(person)
    remember(person)
    return person
  }

  private func newAddress(isHome: Bool) -> Address {
    let city = numbers.pick(Words.cities)
    return Address(street: street(), city: city.name, country: city.country, isHome: isHome)
  }

  private func email(_ name: String) -> String {
    let letters = name.lowercased().unicodeScalars.filter {
      $0.isASCII && $0.properties.isAlphabetic
    }
    return String(String.UnicodeScalarView(letters)) + "@example.org"
  }

  private func birthday() -> Date {
    Date(timeIntervalSince1970: Double(numbers.number(in: -7000...14_000)) * 86_400)
  }
}
