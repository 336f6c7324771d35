import SwiftData
import Testing

@Suite("Contacts with values of many kinds")
struct ContactTests {
  private func makeContext() throws -> ModelContext {
    let container = try ModelContainer(
      for: Contact.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    for (name, status, city) in [
      ("Ada", .customer, "Oslo"), ("Bo", .lead, "Bergen"), ("Cy", .customer, "Bergen"),
    ] as [(String, ContactStatus, String)] {
      let address = PostalAddress(street: "Harbour 1", city: city, postalCode: "0150")
      context.insert(Contact(name: name, status: status, address: address, tags: [name, city]))
    }
    return context
  }

  @Test("Structs and enums are read back as they were saved.")
  func roundTrip() throws {
    let context = try makeContext()
    let contact = Contact(
      name: "Di",
      address: PostalAddress(
        street: "A \"quoted\" street\n",
        city: "Oslo",
        postalCode: "",
        location: Location(latitude: 59.91, longitude: 10.75)
      ),
      channel: .phone(number: "+47", isMobile: true),
      tags: ["", "ü", "🧭"]
    )
    contact.visits = [Location(latitude: -0.0, longitude: 1e-300)]
    contact.photo = Data(repeating: 7, count: 300_000)
    context.insert(contact)
    try context.save()

    let read = try #require(
      try ContactSearch(context: ModelContext(context.container)).contact(id: contact.id)
    )
    #expect(read.address == contact.address)
    #expect(read.channel == .phone(number: "+47", isMobile: true))
    #expect(read.tags == ["", "ü", "🧭"])
    #expect(read.visits == contact.visits)
    #expect(read.photo == contact.photo)
    #expect(read.previousStatus == nil && read.billingAddress == nil)
  }

  @Test("A change inside a struct is a change of the contact.")
  func changeWithin() throws {
    let context = try makeContext()
    try context.save()
    let ada = try #require(try ContactSearch(context: context).inCity("Oslo").first)
    ada.address.city = "Tromsø"
    ada.address.location = Location(latitude: 69.6, longitude: 18.9)
    ada.tags.append("north")
    #expect(ada.hasChanges)
    try context.save()
    let read = try ContactSearch(context: ModelContext(context.container)).inCity("Tromsø")
    #expect(read.map(\.name) == ["Ada"])
    #expect(read.first?.tags == ["Ada", "Oslo", "north"])
  }

  @Test("Contacts are found by key paths into their structs and by enums, saved or not.")
  func queries() throws {
    let context = try makeContext()
    let search = ContactSearch(context: context)
    for _ in 0..<2 {
      #expect(try search.inCity("Bergen").map(\.name) == ["Bo", "Cy"])
      #expect(try search.with(.customer).map(\.name) == ["Ada", "Cy"])
      #expect(try search.with(.former).isEmpty)
      #expect(try search.rawStatus("lead") == 1)
      #expect(try search.neverChanged().count == 3)
      #expect(try search.billed(in: "Oslo").isEmpty)
      #expect(try search.sorted(byCity: .reverse).first == "Ada")
      try context.save()
    }
    let ada = try #require(try search.inCity("Oslo").first)
    ada.billingAddress = PostalAddress(street: "", city: "Oslo", postalCode: "")
    ada.previousStatus = .lead
    for _ in 0..<2 {
      #expect(try search.billed(in: "Oslo").map(\.name) == ["Ada"])
      #expect(try search.neverChanged().map(\.name) == ["Bo", "Cy"])
      try context.save()
    }
  }

  @Test("Models are encoded as JSON and decoded, and a shared object stays one object.")
  func codableModels() throws {
    let json = """
      [{"title": "Ran", "year": 1985, "genres": ["drama"], "director": {"name": "Kurosawa"}},
       {"title": "Ikiru", "year": 1952, "director": {"name": "Kurosawa"}}]
      """
    let movies = try JSONDecoder().decode([Movie].self, from: Data(json.utf8))
    let container = try ModelContainer(
      for: Movie.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    for movie in movies { context.insert(movie) }
    try context.save()

    let other = ModelContext(container)
    let directors = try other.fetch(FetchDescriptor<Director>())
    #expect(directors.map(\.name) == ["Kurosawa"])
    #expect(directors.first?.movies.map(\.title).sorted() == ["Ikiru", "Ran"])

    let read = try other.fetch(FetchDescriptor<Movie>(sortBy: [SortDescriptor(\.year)]))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      String(decoding: try encoder.encode(read), as: UTF8.self)
        == #"[{"director":{"name":"Kurosawa"},"genres":[],"title":"Ikiru","year":1952},"#
        + #"{"director":{"name":"Kurosawa"},"genres":["drama"],"title":"Ran","year":1985}]"#
    )
  }
}
