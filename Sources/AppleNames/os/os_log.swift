import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message to a log at a level.
///
/// If the level is not enabled, the message is not evaluated.
public func os_log(
  _ type: OSLogType = .default,
  log: OSLog = .default,
  _ message: @autoclosure () -> OSLogMessage
) {
  log.write(type, name: type.name, message)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes a message with a format as in C's `printf`, with `%@` for strings and objects.
///
/// Values other than numbers are private, unless the format says `%{public}@`.
public func os_log(
  _ message: StaticString,
  log: OSLog = .default,
  type: OSLogType = .default,
  _ arguments: Any...
) {
  log.write(type, name: type.name) { formatted(message.description, arguments: arguments) }
}

/// The message of a C format such as `%{public}@`, `%d` or `%.2f`.
func formatted(_ format: String, arguments: [Any]) -> OSLogMessage {
  var message = OSLogInterpolation(literalCapacity: 0, interpolationCount: arguments.count)
  var arguments = arguments[...]
  var rest = format[...]
  while let percent = rest.firstIndex(of: "%") {
    message.appendLiteral(String(rest[..<percent]))
    rest = rest[percent...].dropFirst()
    if rest.first == "%" {
      message.appendLiteral("%")
      rest.removeFirst()
      continue
    }
    let options = takeOptions(&rest)
    let flags = rest.prefix { "+-#0123456789. ".contains($0) }
    rest = rest.dropFirst(flags.count)
    let size = rest.prefix { "hlqzjt".contains($0) }
    rest = rest.dropFirst(size.count)
    guard let conversion = rest.popFirst() else { break }
    guard let argument = arguments.popFirst() else {
      message.appendLiteral("<missing argument>")
      continue
    }
    append(argument, flags: String(flags), conversion: conversion, options: options, to: &message)
  }
  message.appendLiteral(String(rest))
  return OSLogMessage(stringInterpolation: message)
}

/// The words between braces after a percent sign, such as `public`.
private func takeOptions(_ rest: inout Substring) -> [Substring] {
  guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return [] }
  defer { rest = rest[end...].dropFirst() }
  return rest[..<end].dropFirst().split { $0 == "," || $0 == " " }
}

private func append(
  _ argument: Any,
  flags: String,
  conversion: Character,
  options: [Substring],
  to message: inout OSLogInterpolation
) {
  let privacy: OSLogPrivacy =
    options.contains("public")
    ? .public
    : options.contains("sensitive") ? .sensitive : options.contains("private") ? .private : .auto
  let isFraction = "fFeEgGaA".contains(conversion)
  let text: String? =
    if isFraction, let number = argument as? any BinaryFloatingPoint {
      String(format: "%\(flags)\(conversion)", Double(number))
    } else if "uxXo".contains(conversion), let number = argument as? any BinaryInteger {
      String(format: "%\(flags)ll\(conversion)", UInt64(truncatingIfNeeded: number))
    } else if "di".contains(conversion), let number = argument as? any BinaryInteger {
      String(format: "%\(flags)lld", Int64(truncatingIfNeeded: number))
    } else {
      nil
    }
  if let text {
    message.parts.append(.value(text, isScalar: true, .none, privacy))
  } else {
    message.appendInterpolation(String(describing: argument), privacy: privacy)
  }
}
