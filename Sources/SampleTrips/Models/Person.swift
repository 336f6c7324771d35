import SwiftData

extension SampleTripsSchemaV3 {
  /// A person who takes part in trips, in a separate store.
  @Model
  package final class Person {
    @Attribute(.unique, .preserveValueOnDeletion) package var name: String
    package var email: String?
    package var birthday: Date?
    @Attribute(.externalStorage) package var portrait: Data?
    @Relationship(deleteRule: .cascade, inverse: \Address.person)
    package var addresses: [Address] = []

    package init(name: String, email: String? = nil, birthday: Date? = nil) {
      self.name = name
      self.email = email
      self.birthday = birthday
    }
  }

  @Model
  package final class Address {
    package var street: String
    package var city: String
    package var country: String?
    package var isHome: Bool = false
    package var person: Person?

    package init(street: String, city: String, country: String? = nil, isHome: Bool = false) {
      self.street = street
      self.city = city
      self.country = country
      self.isHome = isHome
    }
  }
}
