import {
  type Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml';
import type { FilePosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import { grouped } from '../../shared/format.ts';
import { duplicateKey, tooDeepMessage } from './refused-data.ts';

/** Position of an offset in the file. */
export type At = (offset: number) => FilePosition;

const mostAliasedNodes = 100_000;
/** The parser looks through the whole file for each alias. */
const mostAliases = 1_000;

/** Problems of well-formed YAML: duplicate keys, unknown tags, aliases that contain themselves. */
export function documentProblems(document: Document, text: string, at: At): Problem[] {
  const tags = document.warnings.map(({ pos: [offset] }) => ({
    at: at(offset),
    message: 'unsupported tag',
    hint: tagHint(text, offset),
  }));
  return [...tags, ...structureProblems(document, at)];
}

/** In YAML, `!` begins a tag; in a criterion it means "not", so ignoring it would invert the criterion. */
function tagHint(text: string, offset: number): string {
  if (text.startsWith('!!', offset)) return 'Remove the tag.';
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = text.indexOf('\n', offset);
  const rest = text.slice(offset, lineEnd === -1 ? undefined : lineEnd);
  const written = rest.replace(/\s+#.*$/, '').trimEnd();
  const before = text.slice(lineStart, offset);
  // Inside brackets the end of the expression is unclear.
  if (/[[{]/.test(before)) return 'Put the whole expression in quotes: `!` begins a tag in YAML.';
  return `\`!\` begins a tag in YAML. Put the value in quotes: ${before.trim()} "${written.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function structureProblems(document: Document, at: At): Problem[] {
  const problems: Problem[] = [];
  const aliases = new AliasCheck();
  visit(document, (_key, node, ancestors) => {
    if (isMap(node)) problems.push(...duplicateKeys(node, at));
    if (isPair(node)) problems.push(...misusedMerge(node, at));
    if (!isNode(node)) return undefined;
    const message = isAlias(node) ? aliases.check(node, ancestors) : aliases.remember(node);
    if (message === undefined) return undefined;
    problems.push({ at: at(node.range?.[0] ?? 0), message });
    return message === tooManyNodes || message === tooManyAliases ? visit.BREAK : undefined;
  });
  return problems;
}

const tooManyAliases = `too many aliases: a file may have ${grouped(mostAliases)}`;
const tooManyNodes = `too many values: with this alias the file has more than ${grouped(mostAliasedNodes)}`;

/** Follows anchors in the order of the text, as YAML defines them. */
class AliasCheck {
  readonly #anchors = new Map<string, Node>();
  readonly #sizes = new Map<Node, number>();
  #aliasedNodes = 0;
  #aliases = 0;

  remember(node: Node & { readonly anchor?: string }): undefined {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
  }

  check(alias: Alias, ancestors: readonly unknown[]): string | undefined {
    const target = this.#anchors.get(alias.source);
    if (!target) return `unknown anchor \`&${alias.source}\``;
    if (ancestors.includes(target)) return `the alias \`*${alias.source}\` contains itself`;
    const size = this.#sizeOf(target);
    this.#sizes.set(alias, size);
    this.#aliasedNodes += size;
    if (++this.#aliases > mostAliases) return tooManyAliases;
    return this.#aliasedNodes > mostAliasedNodes ? tooManyNodes : undefined;
  }

  /** Number of values of a node with its aliases expanded; earlier aliases have been checked. */
  #sizeOf(node: unknown): number {
    const cached = this.#sizes.get(node as Node);
    if (cached !== undefined) return cached;
    if (isPair(node)) return this.#sizeOf(node.key) + this.#sizeOf(node.value);
    if (!isMap(node) && !isSeq(node)) return 1;
    const size = (node.items as unknown[]).reduce<number>((total, item) => total + this.#sizeOf(item), 1);
    this.#sizes.set(node, size);
    return size;
  }
}

function duplicateKeys(map: YAMLMap, at: At): Problem[] {
  const offsets = new Map<string, number>();
  const found: Problem[] = [];
  for (const { key } of map.items) {
    if (!isScalar(key)) continue;
    const name = keyText(key.value);
    const offset = key.range?.[0] ?? 0;
    const first = offsets.get(name);
    if (first === undefined) offsets.set(name, offset);
    else found.push(duplicateKey(name, at(offset), at(first)));
  }
  return found;
}

function misusedMerge({ key, value }: Pair, at: At): Problem[] {
  if (!isScalar(key) || keyText(key.value) !== '<<') return [];
  const sources = isSeq(value) ? value.items : [value];
  if (sources.every((source) => isMap(source) || isAlias(source))) return [];
  return [{ at: at(key.range?.[0] ?? 0), message: '`<<` can merge only objects' }];
}

/** The parser represents a merge key as a symbol. */
function keyText(value: unknown): string {
  return typeof value === 'symbol' ? (value.description ?? '') : String(value);
}

type Words = Pick<Problem, 'message' | 'hint'>;

/** The first syntax error of a document; later ones are mostly its consequences. */
export function syntaxProblem(document: Document.Parsed | Document, text: string, at: At): Problem[] {
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (!first) return [];
  const opening = /closing .quote/.test(first.message) ? openingQuote(document, first.pos[0]) : undefined;
  return [{ at: at(opening ?? first.pos[0]), ...wordsFor(first as YAMLParseError, text) }];
}

function wordsFor({ code, message, pos }: YAMLParseError, text: string): Words {
  const [first = message] = message.split('\n');
  if (/closing .quote/.test(first)) return { message: 'the quote is not closed' };
  const bracket = /end with a (.)$/.exec(first)?.[1];
  if (bracket)
    return {
      message: `a closing \`${bracket}\` is missing before this`,
      hint: 'Close the bracket, or indent its content.',
    };
  const words = wordsByCode[code];
  if (words) return words;
  if (/followed by map values/.test(first)) return { message: 'a `:` is missing after this key' };
  const character = text[pos[0]] === '`' ? 'a back-tick' : `\`${text[pos[0]]}\``;
  if (code === 'BAD_SCALAR_START') return { message: `a value cannot start with ${character}`, hint: quoteIt };
  if (code === 'UNEXPECTED_TOKEN' && text.slice(pos[0] - 1, pos[0] + 1) === '${')
    return { message: 'a `$' + '{…}` stands unquoted between brackets', hint: quoteIt };
  if (code === 'UNEXPECTED_TOKEN') return { message: `unexpected \`${restOfLine(text, pos[0])}\``, hint: lookAround };
  return { message: `invalid YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}` };
}

const quoteIt = 'Put the whole value in quotes.';
const lookAround = 'Check the quotes, brackets and indentation before it.';

const wordsByCode: Partial<Record<ErrorCode, Words>> = {
  TAB_AS_INDENT: { message: 'tabs cannot be used for indentation', hint: 'Indent with spaces.' },
  MULTIPLE_DOCS: {
    message: 'a second document starts here, but a file may contain only one',
    hint: 'Move it to its own file.',
  },
  BAD_INDENT: { message: 'the indentation does not match the lines around it', hint: lookAround },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'unexpected mapping',
    hint: 'Fix the indentation, or quote a value that contains `: `.',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a `:` is missing on this line, or its indentation is wrong',
    hint: lookAround,
  },
  BAD_DQ_ESCAPE: {
    message: 'unknown escape sequence in double quotes',
    hint: 'Write `\\\\` for a backslash, or use single quotes.',
  },
  RESOURCE_EXHAUSTION: { message: tooDeepMessage },
  ALIAS_PROPS: { message: 'an alias cannot have an anchor or a tag' },
  MULTIPLE_ANCHORS: { message: 'a value can have only one anchor' },
  BAD_DIRECTIVE: { message: 'unknown directive: files are read as YAML 1.2' },
};

function restOfLine(text: string, offset: number): string {
  const [line = ''] = text.slice(offset, offset + 40).split(/\r?\n/);
  return line.trim();
}

function openingQuote(document: Document, closingOffset: number): number | undefined {
  let found: number | undefined;
  visit(document, {
    Scalar(_key, node) {
      const start = node.range?.[0] ?? 0;
      if (isScalar(node) && node.type?.startsWith('QUOTE') && start < closingOffset) found = start;
    },
  });
  return found;
}
