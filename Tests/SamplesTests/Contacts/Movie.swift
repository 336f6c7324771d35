import Foundation
import SwiftData

/// A model that an app reads from the JSON of a server, and sends back as JSON.
@Model
final class Movie: Codable {
  enum CodingKeys: String, CodingKey {
    case title, year, genres, director
  }

  var title: String
  var year: Int
  var genres: [String]
  @Relationship(deleteRule: .nullify, inverse: \Director.movies)
  var director: Director?

  init(title: String, year: Int, genres: [String] = []) {
    self.title = title
    self.year = year
    self.genres = genres
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    year = try container.decode(Int.self, forKey: .year)
    genres = try container.decodeIfPresent([String].self, forKey: .genres) ?? []
    director = try container.decodeIfPresent(Director.self, forKey: .director)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encode(year, forKey: .year)
    try container.encode(genres, forKey: .genres)
    try container.encodeIfPresent(director, forKey: .director)
  }
}

@Model
final class Director: Codable {
  enum CodingKeys: CodingKey {
    case name
  }

  @Attribute(.unique) var name: String
  var movies: [Movie] = []

  init(name: String) {
    self.name = name
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
  }
}
