import Foundation
import SwiftData

enum ContactStatus: String, Codable, CaseIterable {
  case lead, customer, former
}

enum Channel: Codable, Hashable {
  case mail(address: String)
  case phone(number: String, isMobile: Bool)
  case none
}

struct PostalAddress: Codable, Hashable {
  var street: String
  var city: String
  var postalCode: String
  var location: Location?
}

struct Location: Codable, Hashable {
  var latitude: Double
  var longitude: Double
}

@Model
final class Contact {
  @Attribute(.unique) var id: UUID
  var name: String
  var status: ContactStatus
  var previousStatus: ContactStatus?
  var address: PostalAddress
  var billingAddress: PostalAddress?
  var channel: Channel
  var tags: [String]
  var visits: [Location]
  @Attribute(.externalStorage) var photo: Data?

  init(
    id: UUID = UUID(),
    name: String,
    status: ContactStatus = .lead,
    address: PostalAddress,
    channel: Channel = .none,
    tags: [String] = []
  ) {
    self.id = id
    self.name = name
    self.status = status
    self.address = address
    self.channel = channel
    self.tags = tags
    self.visits = []
  }
}

struct ContactSearch {
  let context: ModelContext

  func inCity(_ city: String) throws -> [Contact] {
    try context.fetch(
      FetchDescriptor(
        predicate: #Predicate { $0.address.city == city },
        sortBy: [SortDescriptor(\.name)]
      )
    )
  }

  func billed(in city: String) throws -> [Contact] {
    try context.fetch(
      FetchDescriptor(
        predicate: #Predicate { $0.billingAddress?.city == city },
        sortBy: [SortDescriptor(\.name)]
      )
    )
  }

  func with(_ status: ContactStatus) throws -> [Contact] {
    try context.fetch(
      FetchDescriptor(
        predicate: #Predicate { $0.status == status },
        sortBy: [SortDescriptor(\.name)]
      )
    )
  }

  func rawStatus(_ status: String) throws -> Int {
    try context.fetchCount(
      FetchDescriptor<Contact>(predicate: #Predicate { $0.status.rawValue == status })
    )
  }

  func neverChanged() throws -> [Contact] {
    try context.fetch(
      FetchDescriptor(
        predicate: #Predicate { $0.previousStatus == nil },
        sortBy: [SortDescriptor(\.name)]
      )
    )
  }

  func sorted(byCity order: SortOrder) throws -> [String] {
    try context.fetch(
      FetchDescriptor(sortBy: [SortDescriptor(\Contact.address.city, order: order)])
    )
    .map(\.name)
  }

  func contact(id: UUID) throws -> Contact? {
    var descriptor = FetchDescriptor<Contact>(predicate: #Predicate { $0.id == id })
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }
}
