import Foundation

/// The violations of a JSON Schema; only the keywords in `docs/audit.schema.json` are supported.
func violations(
  _ value: Any,
  _ schema: [String: Any],
  _ root: [String: Any],
  at path: String = "$"
)
  -> [String]
{
  if let reference = schema["$ref"] as? String {
    var target: Any? = root
    for part in reference.dropFirst(2).split(separator: "/") {
      target = (target as? [String: Any])?[String(part)]
    }
    guard let target = target as? [String: Any] else { return ["\(path): no \(reference)"] }
    return violations(value, target, root, at: path)
  }
  var result: [String] = []
  if let choices = schema["oneOf"] as? [[String: Any]] {
    let fitting = choices.filter { violations(value, $0, root).isEmpty }
    if fitting.count != 1 {
      let type = (value as? [String: Any])?["type"] ?? ""
      result.append("\(path): \(fitting.count) choices fit type \(type)")
    }
  }
  if let type = schema["type"] as? String, !isOf(type, value) {
    return result + ["\(path): is not of the type \(type)"]
  }
  if let constant = schema["const"] as? NSObject, constant != value as? NSObject {
    result.append("\(path): is not \(constant)")
  }
  if let choices = schema["enum"] as? [NSObject],
    !choices.contains(where: { $0 == value as? NSObject })
  {
    result.append("\(path): is none of \(choices)")
  }
  if let list = value as? [Any], let items = schema["items"] as? [String: Any] {
    for (index, item) in list.enumerated() {
      result += violations(item, items, root, at: "\(path)[\(index)]")
    }
  }
  if let object = value as? [String: Any] {
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for name in schema["required"] as? [String] ?? [] where object[name] == nil {
      result.append("\(path): lacks \(name)")
    }
    for (name, member) in object {
      if let property = properties[name] {
        result += violations(member, property, root, at: "\(path).\(name)")
      } else if schema["properties"] != nil {
        // The schema allows other keys for later versions; the present version has none.
        result.append("\(path): has \(name)")
      }
    }
  }
  return result
}

private func isOf(_ type: String, _ value: Any) -> Bool {
  switch type {
  case "object": value is [String: Any]
  case "array": value is [Any]
  case "string": value is String
  case "boolean": value is Bool
  case "integer": (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
  default: false
  }
}
