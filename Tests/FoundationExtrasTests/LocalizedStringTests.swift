import Foundation
import FoundationExtras
import Testing

@Suite("Localized strings")
struct LocalizedStringTests {
  let english = Locale(identifier: "en_US")

  @Test("A text that is in no table is used as it is.")
  func plain() {
    #expect(String(localized: "No trips") == "No trips")
    #expect(String(localized: "100 %") == "100 %")
    #expect(String(localized: "no.trips", defaultValue: "No trips") == "No trips")
    #expect(String(localized: "Trips", comment: "The title of the list") == "Trips")
  }

  @Test("Values are inserted at their places.")
  func values() {
    let name = "Oslo"
    #expect(String(localized: "\(name): \(3) of \(1_000)", locale: english) == "Oslo: 3 of 1,000")
    #expect(String(localized: "\(0.5)", locale: english) == "0.500000")
    #expect(String(localized: "\(50) % of \(name)", locale: english) == "50 % of Oslo")
    #expect(String(localized: "\(UInt64.max)") == "18446744073709551615")
    #expect(String(localized: "\(0.5, format: .percent.locale(english))") == "50%")
    #expect(String(localized: "\([1, 2])") == "[1, 2]")
  }

  @Test("A resource is looked up when it is used.")
  func resource() {
    let count = 2
    let resource: LocalizedStringResource = "\(count) trips"
    #expect(resource.key == "%lld trips")
    #expect(String(localized: resource) == "2 trips")
    #expect(LocalizedStringResource("Trips") == "Trips")
  }

  @Test("A bundle's table translates a text, and may reorder its values.")
  func table() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString + ".bundle", directoryHint: .isDirectory)
    let language = folder.appending(path: "en.lproj", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: language, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try Data(#""%@ in %@" = "In %2$@: %1$@"; "bye" = "Farewell";"#.utf8)
      .write(to: language.appending(path: "Localizable.strings"))
    let bundle = try #require(Bundle(url: folder))
    #expect(String(localized: "bye", bundle: bundle) == "Farewell")
    #expect(String(localized: "\("Fjord") in \("Oslo")", bundle: bundle) == "In Oslo: Fjord")
  }

  @Test("A pool runs its function and returns the result or the error.")
  func pool() throws {
    struct Refused: Error {}
    #expect(autoreleasepool { 7 } == 7)
    #expect(throws: Refused.self) { try autoreleasepool { throw Refused() } }
  }
}
