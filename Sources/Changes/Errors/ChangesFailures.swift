import Glibc

/// The reason why a schema can't be represented as tables.
package enum SchemaFailure: StoreReason {
  case duplicateEntity(String)
  case ownAncestor(String)
  case missingEntity(String, neededBy: String)
  case reservedName(String)
  case sameTable(String)
  case tooManyProperties(Int, limit: Int)
  case tooManyAncestors(String, limit: Int)

  package var code: StoreError.Code { .invalidSchema }

  package func wording(_ path: String) -> Wording {
    switch self {
    case .duplicateEntity(let name):
      "The schema has two entities named \(name).\nRename one of them."
    case .ownAncestor(let name):
      "The entity \(name) is its own ancestor.\nGive it another parent, or none."
    case .missingEntity(let name, let user):
      "\(user) refers to \(name), which is not in the schema.\nAdd \(name) to the schema."
    case .reservedName(let name):
      "No entity can be named \(name): names that begin with sqlite_, store_ or history_ are"
        + " reserved for the store.\nRename the entity."
    case .sameTable(let name):
      "Two tables would be named \(name), because SQLite ignores case."
        + "\nRename one of the two entities."
    case .tooManyProperties(let count, let limit):
      "An entity and its descendants have \(count) properties; the limit is \(limit)."
        + "\nSplit the entity."
    case .tooManyAncestors(let name, let limit):
      "The entity \(name) inherits from more than \(limit) entities, one from the other; the limit is"
        + " \(limit).\nGive it a parent that inherits from fewer entities."
    }
  }
}

/// The reason why a history token can't be read.
package enum TokenFailure: StoreReason {
  case unreadable(String)
  case kind(String?, expected: String)
  case version(Int, known: Int)
  case members(missing: [String], unknown: [String])
  case lacksItsStore(String)
  case impossiblePoint(lineage: Int64, transaction: Int64, digest: String)

  package var code: StoreError.Code {
    if case .version = self { .newerFormat } else { .damaged }
  }

  package func wording(_ path: String) -> Wording {
    let delete = "The token was damaged or altered; delete the token."
    return switch self {
    case .unreadable(let detail):
      "The history token can't be read (\(abbreviated(detail))).\n\(delete)"
    case .kind(let kind, let expected):
      "This is not a history token: its kind is \(abbreviated(kind ?? "missing")), not \(expected)."
        + "\n\(delete)"
    case .version(let version, let known):
      "The history token has version \(version); this program reads version \(known)."
    case .members(let missing, let unknown):
      unknown.isEmpty
        ? "The history token lacks the keys [\(listText(missing))].\n\(delete)"
        : "The history token has the unknown keys [\(listText(unknown.map(abbreviated)))].\n\(delete)"
    case .lacksItsStore(let store):
      "The history token names the store \(abbreviated(store)), but contains no position for this store."
        + "\n\(delete)"
    case .impossiblePoint(let lineage, let transaction, let digest):
      "The history token has an impossible position: lineage \(lineage), transaction"
        + " \(transaction), digest \(abbreviated(digest)).\n\(delete)"
    }
  }
}

/// The reason why the values of a change can't be kept in memory or read.
package enum ValueFailure: StoreReason {
  case outOfMemory(bytes: Int)
  /// A system call on a blob file failed.
  case file(verb: String, Int32)
  case altered(digest: String)

  package var code: StoreError.Code {
    switch self {
    case .outOfMemory: .outOfMemory
    case .file(_, let number): number == ENOENT || number == ENOTDIR ? .missingBlob : .inputOutput
    case .altered: .damaged
    }
  }

  package func wording(_ path: String) -> Wording {
    switch self {
    case .outOfMemory(let bytes):
      "There is not enough memory for a change of \(countText(bytes, noun: "byte"))."
    case .file(let verb, let number):
      "Can't \(verb) the large value \(path): \(systemText(number)).\nRestore the file from a copy."
    case .altered(let digest):
      "The large value \(digest) of the store was altered: its bytes do not have this digest."
    }
  }
}
