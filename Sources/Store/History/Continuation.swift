extension Reader {
  /// Makes sure that what comes after a point can be told from this history, where the point may be
  /// the last transaction that was deleted from its beginning.
  ///
  /// - Throws: As ``check(_:)``.
  public func checkContinuation(after point: HistoryPoint) throws {
    if try history.base() == point { return }
    try check(point)
  }
}
