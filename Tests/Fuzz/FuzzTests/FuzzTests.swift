import Foundation
import LogFuzzing
import TestSupport
import Testing

@Suite("Fuzzing with arbitrary bytes")
struct FuzzTests {
  /// Inputs that libFuzzer kept because they reach new code, and inputs that caused a fault.
  private static let corpora = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Corpora").standardizedFileURL

  @Test(
    "Each input that libFuzzer found is accepted or refused as its target requires.",
    arguments: FuzzTarget.allCases
  )
  func corpus(_ target: FuzzTarget) throws {
    let folder = Self.corpora.appendingPathComponent(target.rawValue)
    let files = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    #expect(files.count >= 15)
    for file in files {
      #expect(throws: Never.self, "\(file.lastPathComponent)") {
        try target.run(Array(Data(contentsOf: file)))
      }
    }
  }

  @Test(
    "Randomly changed inputs are accepted or refused as their targets require.",
    arguments: FuzzTarget.allCases
  )
  func random(_ target: FuzzTarget) throws {
    var random = SeededGenerator(for: "fuzzing of \(target.rawValue)")
    let folder = Self.corpora.appendingPathComponent(target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let inputs = try names.map { Array(try Data(contentsOf: folder.appendingPathComponent($0))) }
    for _ in 0..<trials(60, long: 20_000) {
      var bytes = inputs.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes, inputs, &random) }
      #expect(throws: Never.self, "\(Data(bytes).base64EncodedString())") { try target.run(bytes) }
    }
  }

  private func change(
    _ bytes: inout [UInt8],
    _ inputs: [[UInt8]],
    _ random: inout SeededGenerator
  ) {
    guard let place = bytes.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(place..<min(bytes.count, place + 8))
    case 3:
      let other = inputs.randomElement(using: &random) ?? []
      bytes.replaceSubrange(place..., with: other.suffix(bytes.count - place))
    default: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
    }
  }
}
