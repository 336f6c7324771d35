// A submodule needs a header. Everything that `os.log` declares is written in Swift.
