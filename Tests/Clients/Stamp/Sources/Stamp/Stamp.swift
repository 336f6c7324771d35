/// The text "stamped".
@freestanding(expression)
public macro stamp() -> String =
  #externalMacro(module: "StampMacros", type: "StampMacro")
