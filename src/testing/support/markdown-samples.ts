import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the checkout. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * A comment above a block says what a block alone does not: `<!-- sample: … -->`.
 *
 * - `setup`: hidden shell lines inside the comment itself, run before the next block
 * - `file <path>`: write the block to this path; a first line such as `# path.yaml` or `// path.ts` does the same
 * - `part of <base>`: a fragment of a scenario or config, completed by `bases` before it is validated
 * - `criteria`: one criterion to a line
 * - `exit <code>`: the commands of the block end with this exit code
 * - `syntax only: <reason>`: parsed, and its `assay` commands are checked, but nothing is run
 */
type Directive =
  | { readonly kind: 'setup' | 'criteria' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'part'; readonly of: string }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'syntax-only'; readonly reason: string };

/** A fenced block of a page, or a hidden setup. */
export interface Sample {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly directive: Directive | undefined;
  /** The file that the block is, by its directive or its first line. */
  readonly path: string | undefined;
}

/** How a page begins that is generated from the source, with its own test. */
const generatedMark = '[//]: # (Generated';

/** Pages with samples: README, hand-written docs, and the READMEs of examples. */
export async function pagesWithSamples(): Promise<string[]> {
  const pages = ['README.md'];
  for (const folder of ['docs', 'examples']) {
    const entries = await readdir(join(checkout, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name).slice(checkout.length);
      if (entry.isFile() && path.endsWith('.md') && !/node_modules|\.assay\/|templates?\/|guidance\//.test(path)) {
        const text = await readFile(join(checkout, path), 'utf8');
        if (!text.startsWith(generatedMark)) pages.push(path);
      }
    }
  }
  return pages.sort();
}

/** The samples of a page in its order. */
export async function samplesOf(page: string): Promise<Sample[]> {
  const lines = (await readFile(join(checkout, page), 'utf8')).split('\n');
  const samples: Sample[] = [];
  let directive: Directive | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const comment = /^\s*<!-- sample: (.*?)( -->)?$/.exec(line);
    const fence = /^(\s*)(`{3,})(\S*)/.exec(line);
    if (comment) {
      const from = index;
      if (comment[2] === undefined) while (lines[index]?.trim() !== '-->') index = nextLine(index, lines, page);
      directive = readDirective(comment[1] ?? '', `${page}:${from + 1}`);
      if (directive.kind !== 'setup') continue;
      const text = lines.slice(from + 1, index).join('\n');
      samples.push({ page, line: from + 1, language: 'sh', text, directive, path: undefined });
      directive = undefined;
    } else if (fence) {
      const [, indent = '', ticks = '', language = ''] = fence;
      const from = index;
      do index = nextLine(index, lines, page);
      while (lines[index]?.trim() !== ticks);
      const text = lines.slice(from + 1, index).map((each) => each.slice(Math.min(indent.length, each.search(/\S|$/))));
      const path = directive?.kind === 'file' ? directive.path : namedPath(text[0]);
      samples.push({ page, line: from + 1, language, text: `${text.join('\n')}\n`, directive, path });
      directive = undefined;
    } else if (directive && line.trim() !== '') {
      throw new Error(`${page}:${index + 1}: a sample directive stands above text instead of a block`);
    }
  }
  return samples;
}

function nextLine(index: number, lines: readonly string[], page: string): number {
  if (index + 1 >= lines.length) throw new Error(`${page}: a block or comment does not end`);
  return index + 1;
}

/** `# scenarios/a.yaml` and `// a.test.ts` as the whole first line name the file. */
function namedPath(firstLine: string | undefined): string | undefined {
  return /^(?:#|\/\/) ([\w./-]+\.[a-z]+)$/.exec(firstLine ?? '')?.[1];
}

function readDirective(text: string, place: string): Directive {
  const [, word = '', rest = ''] = /^(setup|file|part of|criteria|exit|syntax only:) ?(.*)$/.exec(text) ?? [];
  if (word === 'setup' || word === 'criteria') return { kind: word };
  if (word === 'file') return { kind: 'file', path: rest };
  if (word === 'part of') return { kind: 'part', of: rest };
  if (word === 'exit') return { kind: 'exit', code: Number(rest) };
  if (word === 'syntax only:' && rest !== '') return { kind: 'syntax-only', reason: rest };
  throw new Error(`${place}: unknown sample directive: ${text}`);
}
