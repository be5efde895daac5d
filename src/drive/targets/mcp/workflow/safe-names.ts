const longestName = 64;

/**
 * Names that providers take for those that they refuse, by the names that were given; two of them are never the same,
 * so that each can be taken back.
 */
export function safeNames(names: readonly string[], isTaken: (name: string) => boolean): Map<string, string> {
  const safe = new Map(names.filter(isTaken).map((name) => [name, name]));
  const used = new Set(safe.keys());
  for (const name of names) {
    if (safe.has(name)) continue;
    const replacement = freeName(name, used);
    used.add(replacement);
    safe.set(name, replacement);
  }
  return safe;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `_${number}`;
    const candidate = plain.slice(0, longestName - ending.length) + ending;
    if (!used.has(candidate)) return candidate;
  }
}

/** Whether every provider takes a name for a tool. */
export function isToolName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name);
}

/** Whether every provider takes a name for an argument. */
export function isArgumentName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name);
}
