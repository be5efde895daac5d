/** Paths are kept, reduced to their last name, or taken out. */
export type PathTreatment = 'kept' | 'last-name' | 'out';

interface Treatment {
  readonly paths: PathTreatment;
  readonly quotes: 'kept' | 'out';
}

/** More of a text than this does not distinguish steps, and reading it costs time. */
const longestText = 1_000;

// Each begins where a word does, or with a letter that nothing else begins with: the time stays linear in the text.
const times = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g;
const uuids = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const hashes = /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b/gi;
const longIds = /(?<![\w-])(?=(?:[A-Za-z_-]*\d){3})(?=\d*[A-Za-z_-])[\w-]{12,}/g;
const pathLike = /(?<![\w.@~-])(?:[A-Za-z]:|[\w.@~-]+)?(?:[\\/][\w.@%+-]+)+[\\/]?/g;
const numbers = /(?<![A-Za-z_])\d+(?:[.,]\d+)*/g;
const quoted = /"(?:[^"\\]|\\.)*"|`[^`]*`|“[^”]*”|(?<!\w)'[^']*'(?!\w)/g;

/** Replaces the parts that vary from try to try: times, ids, numbers and, by option, paths and quotes. */
export function normalizeText(text: string, { paths, quotes }: Treatment): string {
  const start = text.slice(0, longestText).replace(/\s+/g, ' ').trim();
  const unquoted = quotes === 'out' ? start.replace(quoted, '<text>') : start;
  return unquoted
    .replace(times, '<time>')
    .replace(uuids, '<id>')
    .replace(hashes, '<id>')
    .replace(longIds, '<id>')
    .replace(pathLike, (path) => normalizePath(path, paths))
    .replace(numbers, '#');
}

function normalizePath(path: string, treatment: PathTreatment): string {
  // A share such as 3/5 is not a path.
  if (treatment === 'kept' || /^[\d/.]+$/.test(path)) return path;
  if (treatment === 'out') return '<path>';
  return path.split(/[\\/]/).findLast((name) => name !== '') ?? path;
}
