import { realpathSync } from 'node:fs';

/** Folders of a trial by name: they are elsewhere in every trial, and texts that name them mean the same. */
export type TrialFolders = Readonly<Record<string, string>>;

/** Exchanges the folders of a trial for their names, `<assay:work>`, and names for the folders of another trial. */
export class TrialPaths {
  readonly #names: ReadonlyMap<string, string>;
  readonly #folders: TrialFolders;
  readonly #found: RegExp | undefined;

  /** Where two names have the same folder, the first is used. */
  constructor(folders: TrialFolders) {
    this.#folders = folders;
    const names = new Map<string, string>();
    for (const [name, folder] of Object.entries(folders)) {
      for (const path of new Set([folder, realPath(folder)])) {
        // The root of the file system is part of every path.
        if (!/^\/[^/]/.test(path)) continue;
        addOnce(names, path, `<assay:${name}>`);
        addOnce(names, dashed(path), `<assay:${name}:dashed>`);
      }
    }
    this.#names = names;
    const longestFirst = [...names.keys()]
      .sort((a, b) => b.length - a.length)
      .map((path) => path.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
    this.#found = longestFirst.length === 0 ? undefined : new RegExp(`(?:${longestFirst.join('|')})(?![\\w-])`, 'g');
  }

  /** Folders that a text names. */
  readonly toNames: Replacement = {
    find: (text) => (this.#found ? [...text.matchAll(this.#found)].map(spanOf) : []),
    replace: (found) => this.#names.get(found) ?? found,
  };

  /** Names in a recorded text, for the folders of this trial; unknown names stay. */
  readonly toFolders: Replacement = {
    find: (text) => [...text.matchAll(/<assay:(\w+)(:dashed)?>/g)].map(spanOf),
    replace: (found) => {
      const [, name = '', isDashed] = /^<assay:(\w+)(:dashed)?>$/.exec(found) ?? [];
      const folder = this.#folders[name];
      if (folder === undefined) return found;
      return isDashed ? dashed(folder) : folder;
    },
  };
}

/** Finds parts of a text, and gives the text that takes the place of each. */
export interface Replacement {
  find(text: string): readonly Span[];
  replace(found: string): string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text with every match replaced. */
export function replaced(text: string, replacement: Replacement): string {
  return replacedAcross([text], replacement)[0] ?? '';
}

/** The same for a text in pieces: a match that spans several is replaced where it begins. */
export function replacedAcross(pieces: readonly string[], { find, replace }: Replacement): string[] {
  const whole = pieces.join('');
  const spans = find(whole);
  if (spans.length === 0) return [...pieces];
  let begin = 0;
  return pieces.map((piece) => {
    const [from, to] = [begin, begin + piece.length];
    begin = to;
    let text = '';
    let at = from;
    for (const { start, end } of spans) {
      if (end <= at || start >= to) continue;
      text += whole.slice(at, Math.max(at, start));
      if (start >= from) text += replace(whole.slice(start, end));
      at = Math.min(end, to);
    }
    return text + whole.slice(at, to);
  });
}

function spanOf(match: RegExpMatchArray): Span {
  const start = match.index ?? 0;
  return { start, end: start + match[0].length };
}

function addOnce(names: Map<string, string>, path: string, name: string): void {
  if (!names.has(path)) names.set(path, name);
}

/** Agents name their own folders after the work directory in this way. */
function dashed(path: string): string {
  return path.replace(/[^A-Za-z0-9]/g, '-');
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
