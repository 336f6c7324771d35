extension TableDescription {
  /// The flags that leave out what looks like a secret, by the names of the table and its columns.
  package var suggestions: [String] {
    guard case .triggers(let key) = recording else { return [] }
    if isSecretName(name) { return ["--without-table '\(name)'"] }
    let secret = columns.filter { !$0.isLeftOut && !$0.isGenerated && isSecretName($0.name) }
    if secret.contains(where: { key.columns.contains($0.name) && !isOnlyKey($0.name) }) {
      return ["--without-table '\(name)'"]
    }
    return secret.filter { !key.columns.contains($0.name) }.map {
      "--without-column '\(name).\($0.name)'"
    }
  }
}

/// Whether a name is just "key", as the key of many tables that map keys to values.
private func isOnlyKey(_ name: String) -> Bool { name.lowercased() == "key" }

/// Whether one word of a name is usual for secrets.
///
/// The words of a name begin with capital letters or follow other characters, as in `apiKey` and
/// `api_key`.
private func isSecretName(_ name: String) -> Bool {
  var words: [String] = [""]
  var isLower = false
  for character in name {
    if !character.isLetter || character.isUppercase && isLower { words.append("") }
    if character.isLetter { words[words.count - 1] += character.lowercased() }
    isLower = character.isLowercase
  }
  let secrets = ["session", "password", "passwd", "passphrase", "token", "secret", "key", "cookie"]
  return words.contains { word in secrets.contains { word == $0 || word == $0 + "s" } }
    || ["password", "secret", "apikey"].contains { name.lowercased().contains($0) }
}
