import SwiftData

enum Mood: String, Codable, CaseIterable { case calm, wild }
enum Grade: Int, Codable { case low = 1, high = 2 }
enum Shape: Codable, Equatable {
  case point
  case circle(radius: Double)
  case named(String, Int?)
}
struct Address: Codable, Equatable, Hashable {
  var street: String
  var city: String?
  var zip: Int
  var moved: Date?
}

/// One property of each type that a model may have.
@Model final class AllTypes {
  var bool: Bool = true
  var int: Int = -1
  var int8: Int8 = Int8.min
  var int16: Int16 = Int16.max
  var int32: Int32 = Int32.min
  var int64: Int64 = Int64.max
  var uint: UInt = UInt.max
  var uint8: UInt8 = UInt8.max
  var uint16: UInt16 = UInt16.max
  var uint32: UInt32 = UInt32.max
  var uint64: UInt64 = UInt64.max
  var half: Float16 = 1.5
  var float: Float = 0.1
  var double: Double = 0.1
  var string: String = ""
  var date: Date = Date(timeIntervalSinceReferenceDate: 0.1)
  var data: Data = Data()
  var uuid: UUID = UUID()
  var url: URL = URL(fileURLWithPath: "/")
  var decimal: Decimal = 0
  var mood: Mood = Mood.calm
  var grade: Grade = Grade.high
  var shape: Shape = Shape.point
  var address: Address = Address(street: "", city: nil, zip: 0)
  var strings: [String] = []
  var numbers: [Int] = []
  var moods: [Mood] = []
  var addresses: [Address] = []
  var table: [String: Double] = [:]
  var labels: Set<String> = []
  @Attribute(.externalStorage) var photo: Data?

  var optionalBool: Bool?
  var optionalInt: Int?
  var optionalUInt64: UInt64?
  var optionalDouble: Double?
  var optionalString: String?
  var optionalDate: Date?
  var optionalData: Data?
  var optionalUUID: UUID?
  var optionalURL: URL?
  var optionalDecimal: Decimal?
  var optionalMood: Mood?
  var optionalShape: Shape?
  var optionalAddress: Address?
  var optionalStrings: [String]?
  @Attribute(.ephemeral) var ephemeral: Int = 7
  @Transient var transient: Int = 8

  init() {}
}
