/** Replaces every placeholder of a template in one pass, so that placeholders inside the data stay data. */
export function fillIn(template: string, parts: Readonly<Record<string, string>>): string {
  return template
    .replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) =>
      Object.hasOwn(parts, name) ? (parts[name] ?? placeholder) : placeholder,
    )
    .trimEnd();
}
