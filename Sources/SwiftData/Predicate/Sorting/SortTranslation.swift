import Store

enum SortTranslation {
  /// The terms of ORDER BY for a table with the alias `t0`.
  ///
  /// The last term is the default order of the rows, so that equal objects always have the same
  /// order.
  static func translate<T: PersistentModel>(
    _ sort: [SortDescriptor<T>],
    entity: EntityDescription,
    map: EntityMap,
    sources: SQLSources
  ) throws -> String {
    var translation = SQLTranslation(map: map, sources: sources)
    let row = SQLObject(id: "t0.id", entity: entity, alias: "t0", isNullable: false)
    return try translate(
      sort,
      root: .object(row),
      last: sources.order(entity.table),
      in: &translation
    )
  }

  /// The terms of ORDER BY for a row; `last` is the last term, which orders rows that are otherwise
  /// equal.
  static func translate<T>(
    _ sort: [SortDescriptor<T>],
    root: SQLTerm,
    last: String,
    in translation: inout SQLTranslation
  ) throws -> String {
    var terms: [String] = []
    for descriptor in sort {
      guard let keyPath = descriptor.keyPath else {
        throw NotTranslatable.node("a sort descriptor without a key path")
      }
      let term = try NotTranslatable.naming("a sort descriptor") {
        try self.term(
          keyPath,
          comparator: descriptor.stringComparator,
          of: root,
          in: &translation
        )
      }
      // SQLite orders NULL before all values, or after all values with DESC; Swift orders nil in
      // the same way.
      terms.append(descriptor.order == .forward ? term : term + " DESC")
    }
    return (terms + [last]).joined(separator: ", ")
  }

  private static func term(
    _ keyPath: AnyKeyPath,
    comparator: String.StandardComparator?,
    of root: SQLTerm,
    in translation: inout SQLTranslation
  ) throws -> String {
    let origin = LocalizedKeyPaths.origin(of: keyPath)
    let path = origin?.path.keyPath ?? keyPath
    let term = try translation.follow(path, from: root)
    switch term {
    case .history(.token): return "t.id"
    case .history(.time): return "t.time"
    default: break
    }
    if let ranks = Ranks(of: unwrappedType(type(of: path).valueType)) {
      return try inlined(translation.rank(term, by: ranks))
    }
    let scalar = try translation.scalar(term)
    guard scalar.isOrdered else {
      throw NotTranslatable.operands("\(scalar.swiftType)")
    }
    var sql = scalar.sql
    switch origin?.kind ?? comparator.flatMap(LocalizedStringComparator.init)?.kind {
    case .standard: sql.append(" COLLATE LOCALIZED_STANDARD")
    case .localized: sql.append(" COLLATE LOCALIZED")
    case nil: sql.append(scalar.collation)
    }
    return try inlined(sql)
  }

  /// The SQL of a term with its parameters written into it.
  ///
  /// All parameters are constants of enumerations.
  private static func inlined(_ query: SQLQuery) throws -> String {
    var result = ""
    var bindings = query.bindings[...]
    for character in query.text {
      guard character == "?", let value = bindings.popFirst() else {
        result.append(character)
        continue
      }
      switch value {
      case .integer(let integer): result += String(integer)
      case .text(let text) where !text.utf8.contains(0):
        result += "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
      default: throw NotTranslatable.node("a sort descriptor over values of this kind")
      }
    }
    return result
  }
}

extension SQLTranslation {
  fileprivate mutating func follow(_ keyPath: AnyKeyPath, from root: SQLTerm) throws -> SQLTerm {
    switch root {
    case .object(let object): return try follow(keyPath, from: object)
    case .history(let term): return try property(keyPath, of: term)
    default: throw NotTranslatable.operands(root.kind, node: "\(keyPath)")
    }
  }

  mutating func follow(_ keyPath: AnyKeyPath, from object: SQLObject) throws -> SQLTerm {
    guard let components = keyPath.components, components.count > 1 else {
      return try property(keyPath, of: object)
    }
    var term = SQLTerm.object(object)
    for component in components {
      // Force unwrapping nil would fail in Swift; in SQL such rows come first.
      guard case .property = component else { continue }
      switch term {
      case .object(let next):
        guard let property = next.entity.model.property(for: component) else {
          throw NotTranslatable.property("\(next.entity.name) … \(keyPath)")
        }
        term = try self.property(property, of: next)
      case .collection(let collection) where isCount(component, of: collection):
        term = .scalar(.count(of: collection))
      default: throw NotTranslatable.operands(term.kind, node: "\(keyPath)")
      }
    }
    return term
  }

  private func isCount(_ component: KeyPathComponent, of collection: SQLCollection) -> Bool {
    guard case .object(let element) = collection.element else { return false }
    func components<Element: PersistentModel>(_: Element.Type) -> [KeyPathComponent]? {
      (\[Element].count as AnyKeyPath).components
    }
    return components(element.entity.model.type) == [component]
  }
}
