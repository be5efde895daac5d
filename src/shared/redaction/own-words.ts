const marked = new WeakSet<object>();

/** Marks an object of texts of the program itself, shared by many records: redaction need not look at it each time. */
export function ownWords<Value extends object>(value: Value): Value {
  marked.add(value);
  return value;
}

export function isOwnWords(value: object): boolean {
  return marked.has(value);
}
