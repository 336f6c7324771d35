/// The names of places, people and things for plausible trips.
enum Words {
  struct City {
    let name: String
    let country: String
    let latitude: Double
    let longitude: Double
  }

  static let cities: [City] = [
    City(name: "Bergen", country: "Norway", latitude: 60.3913, longitude: 5.3221),
    City(name: "Oslo", country: "Norway", latitude: 59.9139, longitude: 10.7522),
    City(name: "Tromsø", country: "Norway", latitude: 69.6492, longitude: 18.9553),
    City(name: "Göteborg", country: "Sweden", latitude: 57.7089, longitude: 11.9746),
    City(name: "Reykjavík", country: "Iceland", latitude: 64.1466, longitude: -21.9426),
    City(name: "Edinburgh", country: "Scotland", latitude: 55.9533, longitude: -3.1883),
    City(name: "Galway", country: "Ireland", latitude: 53.2707, longitude: -9.0568),
    City(name: "Antwerpen", country: "Belgium", latitude: 51.2194, longitude: 4.4025),
    City(name: "Köln", country: "Germany", latitude: 50.9375, longitude: 6.9603),
    City(name: "Lübeck", country: "Germany", latitude: 53.8655, longitude: 10.6866),
    City(name: "Zürich", country: "Switzerland", latitude: 47.3769, longitude: 8.5417),
    City(name: "Annecy", country: "France", latitude: 45.8992, longitude: 6.1294),
    City(name: "Saint-Malo", country: "France", latitude: 48.6493, longitude: -2.0257),
    City(name: "San Sebastián", country: "Spain", latitude: 43.3183, longitude: -1.9812),
    City(name: "Córdoba", country: "Spain", latitude: 37.8882, longitude: -4.7794),
    City(name: "Porto", country: "Portugal", latitude: 41.1579, longitude: -8.6291),
    City(name: "Bologna", country: "Italy", latitude: 44.4949, longitude: 11.3426),
    City(name: "Palermo", country: "Italy", latitude: 38.1157, longitude: 13.3615),
    City(name: "Ljubljana", country: "Slovenia", latitude: 46.0569, longitude: 14.5058),
    City(name: "Kraków", country: "Poland", latitude: 50.0647, longitude: 19.945),
    City(name: "Tallinn", country: "Estonia", latitude: 59.437, longitude: 24.7536),
    City(name: "Athens", country: "Greece", latitude: 37.9838, longitude: 23.7275),
    City(name: "İzmir", country: "Türkiye", latitude: 38.4237, longitude: 27.1428),
    City(name: "Marrakesh", country: "Morocco", latitude: 31.6295, longitude: -7.9811),
    City(name: "Zanzibar", country: "Tanzania", latitude: -6.1659, longitude: 39.2026),
    City(name: "Cape Town", country: "South Africa", latitude: -33.9249, longitude: 18.4241),
    City(name: "Kyoto 京都", country: "Japan", latitude: 35.0116, longitude: 135.7681),
    City(name: "Busan 부산", country: "Korea", latitude: 35.1796, longitude: 129.0756),
    City(name: "Hội An", country: "Vietnam", latitude: 15.8801, longitude: 108.338),
    City(name: "Hobart", country: "Australia", latitude: -42.8821, longitude: 147.3272),
    City(name: "Wellington", country: "New Zealand", latitude: -41.2866, longitude: 174.7756),
    City(name: "Valparaíso", country: "Chile", latitude: -33.0472, longitude: -71.6127),
    City(name: "Cusco", country: "Peru", latitude: -13.532, longitude: -71.9675),
    City(name: "Oaxaca", country: "Mexico", latitude: 17.0732, longitude: -96.7266),
    City(name: "New Orleans", country: "USA", latitude: 29.9511, longitude: -90.0715),
    City(name: "Québec", country: "Canada", latitude: 46.8139, longitude: -71.208),
    City(name: "Halifax", country: "Canada", latitude: 44.6488, longitude: -63.5752),
  ]

  static let firstNames = [
    "Kim", "Ada", "Noor", "Jonas", "Mei", "Tomás", "Ingrid", "Kofi", "Léa", "Yusuf", "Anouk",
    "Sora", "Marta", "Pau", "Zoë", "Emeka", "Hanna", "Luca", "Priya", "Oskar", "Chiara", "Minjun",
    "Aiko", "Fatima", "Søren", "Daniela", "Rui", "Ebba", "Nikos", "Olga",
  ]
  static let lastNames = [
    "Berg", "Okafor", "Tanaka", "Silva", "Novak", "Jansen", "O’Neill", "García", "Rossi", "Yılmaz",
    "Lindqvist", "Haddad", "Kowalska", "Dubois", "Nguyễn", "Park", "Moreau", "Andersen", "Weiß",
    "Santos", "Fischer", "Papadaki", "Sharma", "Müller", "Ito",
  ]
  static let occasions = [
    "Weekend in", "A week in", "Hiking near", "Back to", "Winter in", "Summer in", "Food tour of",
    "By train to", "Reunion in", "Off season in", "Cycling around", "First time in",
  ]
  static let errands = [
    "Conference in", "Client visit in", "Workshop in", "Trade fair in", "Team week in",
    "Interviews in",
  ]
  static let activities = [
    "Climb the tower before the queue", "Swim in the harbour", "Rent bicycles", "Old town at night",
    "Cooking class", "Boat to the island", "Museum of the sea", "Coffee where the locals go",
    "Sunrise from the hill", "Market hall, hungry", "Concert in the church", "Walk the city wall",
    "Photograph the bridge", "Find the bookshop", "Tram to the last stop", "Botanical garden",
    "Ferry at dusk", "Bakery with the blue door", "Open-air cinema", "Ceramics workshop",
    "Row across the lake", "Lighthouse", "Vintage shops", "Sauna, then the cold water",
    "Street food at midnight", "Ride the cable car", "See the aurora", "Whale watching",
    "Temple garden", "Tapas crawl", "Flight over the fjord", "Puffins",
  ]
  static let remarks = [
    "Ask Kim about the tickets.", "Closed on Mondays!", "Book two weeks ahead.",
    "Cheaper with the city card.", "Only if it does not rain.", "The map is in the photo.",
    "They take cash only.", "Bring a towel.", "“Best in town”, says the guide.",
    "Meet at the fountain, 18:30.", "Window seats are on the left.", "早めに予約する。",
    "Allow an hour for the queue.",
  ]
  static let stays = [
    "Hotel Nordlys", "The Old Mill", "Pension Anna", "Casa del Sol", "Riverside Hostel",
    "Grand Hotel", "Villa Aurora", "Seaview Apartments", "Gasthaus zur Post", "Ryokan Matsu",
    "The Lighthouse Inn", "Hôtel du Lac", "Garden Suites", "Station Hotel", "Loft 21",
  ]
  static let streets = [
    "Harbour Street", "Kirkegata", "Rue des Lilas", "Calle Mayor", "Lindenallee", "Via Roma",
    "Station Road", "Strandveien", "Market Square", "Hill Lane", "Rua Nova", "Mill Way",
  ]
  static let tags: [(word: String, symbol: String)] = [
    ("beach", "🏖️"), ("mountains", "🏔️"), ("city", "🏙️"), ("food", "🍜"), ("family", "👨‍👩‍👧"),
    ("train", "🚆"), ("cheap", "💶"), ("museum", "🖼️"), ("winter", "❄️"), ("sea", "⛵️"),
    ("friends", "🫶"), ("work", "💼"), ("cycling", "🚲"), ("music", "🎻"), ("quiet", "🌲"),
    ("bucket", "🪣"), ("short", "⏱️"), ("dog", "🐕"), ("romantic", "🌹"), ("again", "🔁"),
  ]
  static let luggage = [
    "passport", "rain coat", "swimsuit", "charger", "adapter", "hiking boots", "book", "camera",
    "sunscreen", "first-aid kit", "umbrella", "scarf", "earplugs", "water bottle",
  ]
  static let amenities = [
    "breakfast", "sauna", "pool", "parking", "kitchen", "balcony", "bicycles", "laundry",
    "sea view", "pets welcome",
  ]
  static let costs = ["Train", "Taxi", "Hotel", "Dinner", "Parking", "Conference fee", "Flight"]
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
