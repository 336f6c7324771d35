// If Package.swift does not find SwiftSyntax, only this file of the module is compiled.
#error(
  """
  No swiftc on the PATH has SwiftSyntax beside it (lib/swift/host/SwiftSyntaxMacros.swiftmodule). \
  Install a Swift 6.2 or newer toolchain from swift.org and put its bin folder on the PATH.
  """
)
