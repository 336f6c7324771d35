// A submodule must have a header. Everything that `os.log` declares is written in Swift.
