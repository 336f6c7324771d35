/// Runs a function.
///
/// Swift on Linux does not have autorelease pools: an object is released with its last reference.
/// So this function only calls the closure.
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
