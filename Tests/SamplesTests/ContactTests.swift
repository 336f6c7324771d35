import SwiftData
import Testing

@Suite("Contacts with values of many kinds")
struct ContactTests {
  @Test("Structs and enums are read back as they were saved.")
  func roundTrip() throws {
    let container = try ModelContainer(
      for: Contact.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
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
      try ContactSearch(context: ModelContext(container)).contact(id: contact.id)
    )
    #expect(read.address == contact.address)
    #expect(read.channel == .phone(number: "+47", isMobile: true))
    #expect(read.tags == ["", "ü", "🧭"])
    #expect(read.visits == contact.visits)
    #expect(read.photo == contact.photo)
    #expect(read.previousStatus == nil && read.billingAddress == nil)
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
