/// Runs a function.
///
/// Swift on Linux does not have autorelease pools: an object is released with its last reference.
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
