import Foundation

/// A value of a property list, which the tests write without the code that reads it.
package indirect enum Plist: Sendable {
  case null, bool(Bool), integer(Int64), real(Double), date(Double), data([UInt8]), text(String)
  case uid(Int), array([Plist]), dictionary([(String, Plist)])
  /// The entry with a number, whatever it is: the way to cycles.
  case entry(Int)

  /// The bytes of a binary property list.
  package var bytes: [UInt8] {
    var writer = PlistWriter()
    _ = writer.add(self)
    return writer.file()
  }
}

/// Writes entries in the order in which they occur, each with a reference of four bytes.
private struct PlistWriter {
  private var entries: [[UInt8]] = []

  mutating func add(_ value: Plist) -> Int {
    if case .entry(let number) = value { return number }
    let place = entries.count
    entries.append([])
    switch value {
    case .null, .entry: entries[place] = [0]
    case .bool(let isTrue): entries[place] = [isTrue ? 9 : 8]
    case .integer(let number): entries[place] = integer(number)
    case .real(let number): entries[place] = [0x23] + big(number.bitPattern, 8)
    case .date(let number): entries[place] = [0x33] + big(number.bitPattern, 8)
    case .uid(let number): entries[place] = [0x83] + big(UInt64(number), 4)
    case .data(let bytes): entries[place] = head(4, bytes.count) + bytes
    case .text(let text) where text.utf8.allSatisfy { $0 < 128 }:
      entries[place] = head(5, text.utf8.count) + text.utf8
    case .text(let text):
      entries[place] = head(6, text.utf16.count) + text.utf16.flatMap { big(UInt64($0), 2) }
    case .array(let elements):
      let numbers = elements.map { add($0) }
      entries[place] = head(10, numbers.count) + numbers.flatMap { big(UInt64($0), 4) }
    case .dictionary(let members):
      let keys = members.map { add(.text($0.0)) }
      let values = members.map { add($0.1) }
      entries[place] = head(13, keys.count) + (keys + values).flatMap { big(UInt64($0), 4) }
    }
    return place
  }

  func file() -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for entry in entries {
      offsets += big(UInt64(bytes.count), 8)
      bytes += entry
    }
    let start = bytes.count
    bytes += offsets
    bytes += [0, 0, 0, 0, 0, 0, 8, 4]
    return bytes + big(UInt64(entries.count), 8) + big(0, 8) + big(UInt64(start), 8)
  }

  private func integer(_ number: Int64) -> [UInt8] {
    switch number {
    case 0...0xff: [0x10, UInt8(number)]
    case 0x100...0xffff: [0x11] + big(UInt64(number), 2)
    case 0x1_0000...0xffff_ffff: [0x12] + big(UInt64(number), 4)
    default: [0x13] + big(UInt64(bitPattern: number), 8)
    }
  }

  private func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15] + integer(Int64(count))
  }

  private func big(_ number: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}

/// The objects of a keyed archive.
package final class ArchiveBuilder {
  private var objects: [Plist] = [.text("$null")]
  private var classes: [String: Int] = [:]

  package init() {}

  /// A place for an object that is set later, so that objects can refer to each other.
  package func reserve() -> Int {
    objects.append(.null)
    return objects.count - 1
  }

  package func add(_ value: Plist) -> Plist {
    objects.append(value)
    return .uid(objects.count - 1)
  }

  package func text(_ text: String?) -> Plist { text.map { add(.text($0)) } ?? .uid(0) }

  package func set(_ place: Int, _ name: String, _ members: [(String, Plist)]) {
    if classes[name] == nil {
      classes[name] = objects.count
      objects.append(
        .dictionary([
          ("$classname", .text(name)), ("$classes", .array([.text(name), .text("NSObject")])),
        ])
      )
    }
    objects[place] = .dictionary(members + [("$class", .uid(classes[name] ?? 0))])
  }

  package func object(_ name: String, _ members: [(String, Plist)]) -> Plist {
    let place = reserve()
    set(place, name, members)
    return .uid(place)
  }

  package func list(_ elements: [Plist], _ name: String = "NSArray") -> Plist {
    object(name, [("NS.objects", .array(elements))])
  }

  package func dictionary(_ members: [(String, Plist)], _ name: String = "NSDictionary") -> Plist {
    object(
      name,
      [
        ("NS.keys", .array(members.map { text($0.0) })),
        ("NS.objects", .array(members.map(\.1))),
      ]
    )
  }

  /// A dictionary with a fixed set of keys, one of which has no value.
  package func knownKeys(_ members: [(String, Plist)]) -> Plist {
    let empty = text("__empty_slot_token__")
    let strategy = object(
      "NSKnownKeysMappingStrategy1",
      [
        ("version", .integer(1)), ("length", .integer(Int64(members.count + 1))),
        ("keys", list((members.map(\.0) + ["unused"]).map { text($0) })),
      ]
    )
    return object(
      "NSKnownKeysDictionary1",
      [
        ("version", .integer(1)), ("searchMapping", strategy), ("emptyToken", empty),
        ("values", list(members.map(\.1) + [empty])),
      ]
    )
  }

  package func bytes(root: Plist) -> [UInt8] {
    Plist.dictionary([
      ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
      ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
    ]).bytes
  }
}
