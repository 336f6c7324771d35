import Format
import SQLite

// Without a cached model, the tables tell the entities, and the declared types of columns tell the
// types of attributes. References are integers like any other.

extension AppleModel {
  init(
    guessedFrom connection: Connection,
    _ tables: FileTables,
    _ keys: [PrimaryKey],
    reason: String
  ) throws {
    var entities: [AppleEntity] = []
    let keys = keys.filter { 1..<16_000 ~= $0.number && !$0.name.isEmpty }
    var places: [Int64: Int] = [:]
    var isTaken: Set<String> = []
    // A parent has a lower number than its children.
    for key in keys.sorted(by: { $0.number < $1.number }) where places[key.number] == nil {
      var entity = AppleEntity(name: key.name)
      entity.number = key.number
      entity.parent = places[key.parent]
      entity.root = entity.parent.map { entities[$0].root } ?? entities.count
      guard isTaken.insert(key.name).inserted else { continue }
      if entity.parent == nil {
        let table = "Z\(key.name.uppercased())"
        guard ["Z_PK", "Z_ENT"].allSatisfy({ tables.has($0, in: table) }) else { continue }
        entity.attributes = tables.guessedAttributes(of: table)
      }
      places[key.number] = entities.count
      entities.append(entity)
    }
    if keys.isEmpty {
      for table in tables.columns.keys.sorted(by: precedes)
      where table.hasPrefix("Z") && !FileTables.isKnown(table) && tables.has("Z_ENT", in: table)
        && tables.has("Z_PK", in: table)
      {
        let statement = try connection.prepare("SELECT Z_ENT FROM \(quoted(table)) LIMIT 1")
        var entity = AppleEntity(name: String(table.dropFirst()))
        entity.number = try statement.step() ? statement.int64(at: 0) : -Int64(entities.count) - 1
        entity.root = entities.count
        entity.attributes = tables.guessedAttributes(of: table)
        entities.append(entity)
      }
    }
    self.init(entities, guess: "The model is guessed from tables and columns. \(reason)")
  }
}

extension AppleLayout {
  /// The columns of a guessed model, which exist.
  init(guessed model: AppleModel, file: FileTables) {
    for (index, entity) in model.entities.enumerated() where entity.parent == nil {
      let name = "Z\(entity.name.uppercased())"
      tables.append(Table(root: index, name: name, columns: file.columns[name] ?? []))
      for attribute in entity.attributes {
        attributes[AppleProperty(index, attribute.name)] = [attribute.column]
      }
    }
    let known = Set(tables.map(\.name))
    otherTables = file.columns.keys.filter { !known.contains($0) && !FileTables.isKnown($0) }
      .sorted(by: precedes)
  }
}

extension AppleAttribute {
  /// The column of a guessed attribute.
  fileprivate var column: String { name.hasPrefix("Z") ? name : "Z\(name.uppercased())" }
}

extension FileTables {
  fileprivate func guessedAttributes(of table: String) -> [AppleAttribute] {
    let own: Set = ["Z_PK", "Z_ENT", "Z_OPT"]
    return typedColumns(of: table).compactMap { column, type in
      guard !own.contains(column) else { return nil }
      let kind: AppleAttribute.Kind =
        switch type.uppercased() {
        case "FLOAT": .double
        case "TIMESTAMP": .date
        case "DECIMAL": .decimal
        case "VARCHAR": .string
        case "BLOB": .binary
        default: .int64
        }
      let plain = column.dropFirst().lowercased()
      // Other columns, such as those of hidden references, keep their names.
      let isPlain = "Z\(plain.uppercased())" == column && plain.first?.isLetter == true
      return AppleAttribute(name: isPlain ? plain : column, kind: kind, isOptional: true)
    }.sorted { precedes($0.name, $1.name) }
  }
}
