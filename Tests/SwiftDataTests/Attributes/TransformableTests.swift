import Foundation
import SwiftData
import Testing

struct Color: Equatable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
}

final class ColorTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    guard let color = value as? Color else { return nil }
    return Data([color.red, color.green, color.blue])
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 3 else { return nil }
    let bytes = Array(data)
    return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
  }
}

@Model final class Flag {
  var name: String
  @Attribute(.transformable(by: "ColorTransformer")) var color: Color
  @Attribute(.transformable(by: ColorTransformer.self)) var border: Color?
  init(name: String, color: Color) {
    self.name = name
    self.color = color
  }
}

@Model final class Unregistered {
  @Attribute(.transformable(by: "NobodyTransformer")) var color: Color
  init(color: Color) { self.color = color }
}

@Suite("Transformable values")
struct TransformableTests {
  private func container() throws -> ModelContainer {
    ValueTransformer.setValueTransformer(
      ColorTransformer(),
      forName: NSValueTransformerName("ColorTransformer")
    )
    return try ModelContainer(
      for: Flag.self,
      Unregistered.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
  }

  @Test("Values that are not Codable are stored and read by their transformers.")
  func roundTrip() throws {
    let container = try container()
    let context = ModelContext(container)
    let flag = Flag(name: "NO", color: Color(red: 186, green: 12, blue: 47))
    context.insert(flag)
    try context.save()
    func read() throws -> (Color, Color?) {
      let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Flag>()).first)
      return (found.color, found.border)
    }
    #expect(try read() == (Color(red: 186, green: 12, blue: 47), nil))
    flag.border = Color(red: 0, green: 32, blue: 91)
    flag.color.green = 13
    try context.save()
    #expect(
      try read() == (Color(red: 186, green: 13, blue: 47), Color(red: 0, green: 32, blue: 91))
    )
    flag.border = nil
    try context.save()
    #expect(try read().1 == nil)
  }

  @Test("The error of an unregistered transformer names it, and the object stays unsaved.")
  func unknown() throws {
    let context = ModelContext(try container())
    context.insert(Unregistered(color: Color(red: 1, green: 2, blue: 3)))
    #expect { try context.save() } throws: { "\($0)".contains("NobodyTransformer") }
    #expect(context.hasChanges)
  }
}
