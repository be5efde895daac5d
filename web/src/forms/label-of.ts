const spellings: Readonly<Record<string, string>> = {
  id: 'ID',
  url: 'URL',
  json: 'JSON',
  yaml: 'YAML',
  usd: 'USD',
  ms: 'ms',
  mcp: 'MCP',
};

/** The words for a key: `maxMs` and `max_ms` are both "Max ms". */
export function labelOf(key: string): string {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
    .map((word) => spellings[word.toLowerCase()] ?? word.toLowerCase());
  const text = words.join(' ');
  return text === '' ? key : text.charAt(0).toUpperCase() + text.slice(1);
}
