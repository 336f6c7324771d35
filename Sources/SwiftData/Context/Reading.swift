import Store

/// How new what a context has read from a store is, as history tells it.
///
/// Attributes and references are brought up to date with each fetch, by the row that it reads.
/// Collections are not in that row. They are read again where somebody else has saved since.
struct Reading {
  /// Goes up whenever it is noticed that somebody else has saved.
  private(set) var number: Int32 = 0
  /// How far the history that is known reaches.
  private var head: Reader.Head?

  /// Takes note of how far the history reaches in what is being read.
  mutating func note(_ head: Reader.Head) {
    if self.head == head { return }
    if self.head != nil { number &+= 1 }
    self.head = head
  }

  /// Takes note of a transaction of the context's own.
  ///
  /// If somebody else has saved between, the next reading is to notice that.
  mutating func noteOwn(_ transaction: Int64) {
    if head == nil || head == .transaction(transaction - 1) { head = .transaction(transaction) }
  }
}
