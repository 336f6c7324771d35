extension PredicateExpressions.CollectionIndexSubscript: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    throw NotTranslatable.node(nodeName(self))
  }
}

extension PredicateExpressions.CollectionRangeSubscript: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    throw NotTranslatable.node(nodeName(self))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    throw NotTranslatable.node(nodeName(self))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    throw NotTranslatable.node(nodeName(self))
  }
}
