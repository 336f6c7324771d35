// What differs between a store of the library and an adopted file, by the question that code asks.

/// What people call the parts of a store.
package enum SchemaWords: Sendable {
  /// Entities with objects, in a store of the library.
  case entities
  /// Tables with rows, in an adopted file.
  case tables

  package var entity: String { self == .tables ? "table" : "entity" }
  package var object: String { self == .tables ? "row" : "object" }
}

extension StoreSchema {
  package var words: SchemaWords { adopted == nil ? .entities : .tables }

  /// Whether each attribute has a declared type.
  ///
  /// Otherwise values are texts that begin with SQLite's storage class.
  package var hasValueTypes: Bool { adopted == nil }

  /// The operation of almost all transactions: in an adopted file, another program makes them.
  package var usualOperation: TransactionOperation { adopted == nil ? .recorded : .foreign }

  /// The last transaction without changes at the beginning of a whole history.
  ///
  /// Transaction 1 of an adopted file records the adoption, and has no changes. The logs of the file
  /// begin with a snapshot of the state after it.
  package var emptyBeginning: Int64 { adopted == nil ? 0 : 1 }

  /// Whether the state after any transaction can be read from the rows and the history, whatever
  /// happened to the schema since.
  package var hasReadablePast: Bool { adopted != nil }

  /// Whether a program chose the constraints and the journal mode, and writes to the file itself.
  package var belongsToProgram: Bool { adopted != nil }
}
