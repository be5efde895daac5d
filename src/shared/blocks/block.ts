/** How words are to be read: a colour on a terminal and in pages; `strong` is bold everywhere. */
export type Tone = 'good' | 'bad' | 'unsure' | 'strong' | 'quiet';

/** Words of one tone, or of a command or name that is shown as code. */
export interface Span {
  readonly text: string;
  readonly tone?: Tone | undefined;
  readonly isCode?: boolean;
}

/** Text of a report, of Assay or foreign: whatever draws it makes sure that it can neither be markup nor steer a terminal. */
export type Words = string | readonly (string | Span)[];

/** A sign before an item: how something ended, or any other of one character. */
export type Mark = 'pass' | 'fail' | 'error' | 'skipped' | 'unknown' | 'note';

/** A sign and its tone. */
export const marks: Readonly<Record<Mark, readonly [sign: string, tone: Tone | undefined]>> = {
  pass: ['✓', 'good'],
  fail: ['✗', 'bad'],
  error: ['!', 'unsure'],
  unknown: ['?', 'unsure'],
  skipped: ['-', 'quiet'],
  note: ['-', 'quiet'],
};

/** A line of a list. */
export interface Item {
  readonly words: Words;
  readonly mark?: Mark | undefined;
  /** Stands before the words, in its own column: `A`, `attack success`. */
  readonly name?: string | undefined;
  readonly tone?: Tone | undefined;
  /** Whether a terminal cuts its words at the end of a line. */
  readonly isOneLine?: boolean | undefined;
  /** Lines that belong to it. */
  readonly below?: readonly Words[] | undefined;
  /** The trial that a page leads to. */
  readonly trialId?: string | undefined;
}

interface Column {
  readonly head: string;
  /** Figures stand at the right. */
  readonly isFigure?: boolean | undefined;
  /** Gives way where a terminal is too narrow; by default the first column does. */
  readonly isCut?: boolean | undefined;
}

export interface Row {
  readonly cells: readonly Words[];
  /** How bad each cell is, from 0 to 1: a page colours it; null for cells that say nothing of the kind. */
  readonly heat?: readonly (number | null)[] | undefined;
  readonly tone?: Tone | undefined;
  /** The trial that a page leads to from its first cell. */
  readonly trialId?: string | undefined;
}

export interface Table {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** A part of a section. */
export type Block =
  | { readonly kind: 'text'; readonly words: Words; readonly tone?: Tone | undefined }
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | Table;

/** A part of a report, made once and drawn on terminals, in Markdown and in pages. */
export interface Section {
  readonly title?: Words | undefined;
  /** Of its heading; 1 for the title of the report, 2 by default. */
  readonly level?: 1 | 2 | 3 | 4 | undefined;
  /** Whether its title says something by itself, as that of a report does: others are not drawn without content. */
  readonly isStatement?: boolean | undefined;
  /** Whether a page that folds sections opens this one: readers must see it. */
  readonly isOpen?: boolean | undefined;
  readonly blocks: readonly Block[];
}

export const text = (words: Words, tone?: Tone): Block => ({ kind: 'text', words, tone });

/** A list of items; a text stands for an item without anything else. */
export function list(items: readonly (Item | string)[]): Block {
  return { kind: 'list', items: items.map((item) => (typeof item === 'string' ? { words: item } : item)) };
}

/** A table whose heads are names of columns: those that begin with `#` have figures. */
export function table(heads: readonly string[], rows: readonly (Row | readonly Words[])[]): Table {
  return {
    kind: 'table',
    columns: heads.map((head) => (head.startsWith('#') ? { head: head.slice(1), isFigure: true } : { head })),
    rows: rows.map((row) => ('cells' in row ? row : { cells: row })),
  };
}

export const code = (written: string): Span => ({ text: written, isCode: true });

/** The first of many, and how many more there are: `… and 3 more cases`. */
export function firstOf<Kind>(all: readonly Kind[], most: number, moreText: (hidden: number) => string) {
  const hidden = all.length - most;
  return { listed: all.slice(0, most), more: hidden > 0 ? [`… and ${moreText(hidden)}`] : [] };
}

/** Words without their tones. */
export function plainWords(words: Words): string {
  return typeof words === 'string'
    ? words
    : words.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

/** Sections with something to show. */
export function shownSections(sections: readonly Section[]): Section[] {
  return sections
    .filter(({ blocks, level, isStatement = level === 1 }) => isStatement || blocks.some(isShown))
    .map((section) => ({ ...section, blocks: section.blocks.filter(isShown) }));
}

function isShown(block: Block): boolean {
  if (block.kind === 'list') return block.items.length > 0;
  return block.kind !== 'table' || block.rows.length > 0;
}
